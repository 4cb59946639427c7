// Any bytes as tokens and as weights: features of tokens are made in memory that is ours, and the best sequence, the
// best one other than a given one and the k best of a lattice are those that are found by listing all sequences.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../native/lattice.hpp"
#include "../../native/sequence_features.hpp"

using namespace rosenblatt;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

// Templates that have every function, far cells, several cells and cells of two columns.
Templates templates(bool named_edges) {
    Templates all;
    all.named_edges = named_edges;
    all.forms = {
        {{}, {{Function::lower}}, {{Function::prefix, 3}}, {{Function::lower}, {Function::suffix, 2}}},
        {{{Function::shape}}, {{Function::digit}}, {{Function::hyphen}}, {{Function::title}}, {{Function::upper}}}};
    for (std::size_t column = 0; column < all.forms.size(); ++column)
        for (std::size_t form = 0; form < all.forms[column].size(); ++form)
            for (const int row : {-kReach, -1, 0, kReach}) {
                TokenTemplate one{"U" + std::to_string(form) + ":", {{row, column, form, "/"}, {0, 0, 0, ""}}};
                one.finish();
                all.list.push_back(one);
            }
    return all;
}

void try_tokens(std::string_view text, bool named_edges) {
    const Templates all = templates(named_edges);
    std::vector<std::vector<std::string_view>> columns(2);
    std::vector<std::int64_t> starts{0};
    for (std::size_t begin = 0; begin < text.size();) {  // a token ends at a byte < 0x20, a sentence at a zero
        const std::size_t end =
            static_cast<std::size_t>(std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(),
                                                  [](char c) { return c >= 0 && c < 0x20; }) -
                                     text.begin());
        columns[0].push_back(text.substr(begin, end - begin));
        columns[1].push_back(text.substr(begin / 2, end - begin));
        begin = end + 1;
        if (end < text.size() && text[end] == 0) starts.push_back(static_cast<std::int64_t>(columns[0].size()));
    }
    starts.push_back(static_cast<std::int64_t>(columns[0].size()));
    TokenReader reader(all, columns);
    TokenRows rows;
    read_token_rows(reader, all, starts.data(), starts.size() - 1, 20, rows);
    require(rows.n_tokens == columns[0].size(), "a token without a row");
    for (std::size_t t = 0; t < rows.n_tokens; ++t) {
        const auto* const first = rows.columns.data() + rows.starts[t];
        const auto* const last = rows.columns.data() + rows.starts[t + 1];
        require(std::adjacent_find(first, last, [](auto a, auto b) { return a >= b; }) == last, "columns out of order");
        require(first == last || (*first >= 0 && last[-1] < 1 << 20), "a column outside");
    }
    HashSet known;
    NewNames names;
    gather_names(reader, starts.data(), starts.size() - 1, known, 1000, names);
    require(names.starts.size() == names.hashes.size() + 1, "a name without a hash");
    require(static_cast<std::size_t>(names.starts.back()) == names.text.size(), "names beside their text");
}

struct Sequence {
    double score;
    std::vector<std::int32_t> tags;
};

// All sequences that may be taken, best first; among equals the one whose last tags are lowest.
std::vector<Sequence> all_sequences(const Lattice& lattice, Index n) {
    std::vector<Sequence> all;
    std::vector<std::int32_t> y(static_cast<std::size_t>(n), 0);
    for (bool more = true; more;) {
        const double score = lattice.score(y.data());
        if (score != Lattice::kNever) all.push_back({score, y});
        more = false;
        for (auto& tag : y) {  // the first token changes fastest: of equals the order is that of the last tags
            if (++tag < lattice.tags.n) {
                more = true;
                break;
            }
            tag = 0;
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const Sequence& a, const Sequence& b) { return a.score > b.score; });
    return all;
}

void try_lattice(std::string_view bytes) {
    if (bytes.size() < 4) return;
    std::size_t at = 0;
    const auto next = [&] { return static_cast<unsigned char>(bytes[at++ % bytes.size()]); };
    const Index k = 1 + next() % 4, order = 1 + next() % 2, n = 1 + next() % 4;
    const Index stride = k == 1 ? 4 : k <= 4 ? 4 : 8;
    Lattice lattice({k, order}, stride);
    // Few different numbers, so that there are ties; some links may not be taken.
    const auto weight = [&] { return static_cast<double>(static_cast<signed char>(next()) / 32); };
    for (Index l = 0; l < lattice.tags.n_links(); ++l)
        for (Index c = 0; c < k; ++c) lattice.set_link(l, c, next() % 8 == 0 ? Lattice::kNever : weight());
    lattice.resize(n);
    for (Index t = 0; t < n; ++t)
        for (Index c = 0; c < stride; ++c) lattice.emission(t)[c] = c < k ? weight() : 0;
    lattice.forward();
    const std::vector<Sequence> all = all_sequences(lattice, n);

    std::vector<std::int32_t> tags(static_cast<std::size_t>(n));
    const double best = lattice.trace(nullptr, tags.data());
    require(all.empty() == (best == Lattice::kNever), "a best sequence where there is none, or none where there is");
    if (!all.empty()) require(best == all[0].score && tags == all[0].tags, "not the best sequence");
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i) {
        const double other = lattice.trace(all[i].tags.data(), tags.data());
        const std::size_t rival = i == 0 ? 1 : 0;
        require((all.size() < 2) == (other == Lattice::kNever), "a rival where there is none");
        if (all.size() > 1) require(other == all[rival].score && tags == all[rival].tags, "not the rival");
    }
    for (const Index some : {Index{1}, Index{3}, static_cast<Index>(all.size()) + 2}) {
        std::vector<std::int32_t> out(static_cast<std::size_t>(some * n));
        std::vector<double> scores(static_cast<std::size_t>(some));
        const Index found = lattice.k_best(some, out.data(), scores.data());
        require(found == std::min(some, static_cast<Index>(all.size())), "not as many sequences as there are");
        for (Index i = 0; i < found; ++i) {
            const Sequence& one = all[static_cast<std::size_t>(i)];
            require(scores[static_cast<std::size_t>(i)] == one.score, "not the score of the k-th best");
            require(std::equal(one.tags.begin(), one.tags.end(), out.begin() + i * n), "not the k-th best");
        }
    }
}

}  // namespace

void try_sentences(const char* bytes, std::size_t size) {
    const std::string_view text(bytes, size);
    for (const bool named_edges : {true, false}) try_tokens(text, named_edges);
    try_lattice(text);
}
