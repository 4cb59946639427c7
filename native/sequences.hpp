// Sentences: a row is a sentence, a target its tags. What the rules see is the margin between the right sequence and
// its rival, the best of all others, and ΔΦ, the difference of their features: a row like any other, of which the class
// is always +1. So Collins's structured perceptron (2002) is Rosenblatt's on such differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "lattice.hpp"
#include "models.hpp"

namespace rosenblatt {

// Tokens are CSR rows, a sentence some of them, one behind the other.
template <class T>
struct Sentence {
    using value_type = T;
    const Index* start;  // of its tokens
    const std::int32_t* feature;
    const T* x;     // null: every number is 1
    const T* ones;  // as many as a token has numbers at most
    Index n_tokens, n_features;

    CsrRow<T, std::int32_t> operator[](Index t) const {
        return {feature + start[t], x ? x + start[t] : ones, start[t + 1] - start[t], n_features};
    }
    void prefetch() const {
        prefetch_bytes(feature + start[0], (start[n_tokens] - start[0]) * static_cast<Index>(sizeof(std::int32_t)));
    }
};

template <class T>
struct SentenceRows {
    using value_type = T;
    const Index* sentence;  // sentence i holds the tokens sentence[i] .. sentence[i + 1] − 1
    const Index* start;     // token t holds the entries start[t] .. start[t + 1] − 1
    const std::int32_t* feature;
    const T* x;
    const T* ones;
    Index n_rows, n_features;

    Sentence<T> operator[](Index i) const {
        return {start + sentence[i], feature, x, ones, sentence[i + 1] - sentence[i], n_features};
    }
    void prefetch_start(Index i) const { prefetch_bytes(sentence + i, 1); }
};

// The tags of all sentences, one behind the other.
struct TagSequences {
    const std::int32_t* tag;
    const Index* sentence;

    const std::int32_t* operator[](Index i) const { return tag + sentence[i]; }
};

// ΔΦ: numbers by their places among the weights, in the order in which they are met.
template <class T>
class Difference {
    std::vector<Index> place_;
    std::vector<T> value_;
    std::vector<std::int32_t> table_ = std::vector<std::int32_t>(64, -1);  // numbers of entries, by the hash of a place
    std::vector<std::size_t> used_;                                        // of the table

    std::size_t slot(Index place) const {
        const std::size_t mask = table_.size() - 1;
        auto at = static_cast<std::size_t>(static_cast<std::uint64_t>(place) * 0x9E3779B97F4A7C15u >> 40) & mask;
        while (table_[at] >= 0 && place_[static_cast<std::size_t>(table_[at])] != place) at = (at + 1) & mask;
        return at;
    }
    void put(std::size_t at, std::size_t entry) {
        table_[at] = static_cast<std::int32_t>(entry);
        used_.push_back(at);
    }
    void grow() {
        table_.assign(2 * table_.size(), -1);
        used_.clear();
        for (std::size_t e = 0; e < place_.size(); ++e) put(slot(place_[e]), e);
    }

  public:
    void clear() {
        for (const std::size_t at : used_) table_[at] = -1;
        used_.clear();
        place_.clear();
        value_.clear();
    }
    void add(Index place, T value) {
        std::size_t at = slot(place);
        if (table_[at] >= 0) {
            value_[static_cast<std::size_t>(table_[at])] += value;
            return;
        }
        if (2 * (place_.size() + 1) > table_.size()) {
            grow();
            at = slot(place);
        }
        put(at, place_.size());
        place_.push_back(place);
        value_.push_back(value);
    }
    bool is_empty() const { return place_.empty(); }
    // As a row of the one vector of all weights, of which place 0 is no feature's.
    CsrRow<T, Index> row(Index n_features) const {
        return {place_.data(), value_.data(), static_cast<Index>(place_.size()), n_features};
    }
};

enum class Cost { hamming, root, one };

// The models of sentences: weights by feature and tag, among them those of the links (lattice.hpp).
template <class T>
struct Tagger {
    using Target = const std::int32_t*;
    Weights<T> w;
    bool tie_is_mistake;
    Cost cost;
    const Index* links;  // which rows of the weights are theirs
    Lattice lattice;
    Weights<T> flat;  // the same weights as one vector
    Index size;       // of that
    Difference<T> difference{};
    std::vector<std::int32_t> rival{};
    std::vector<T> narrow{};
    T a = 0;
    double margin_of = 0;
    Shrink how{};

    Tagger(const Weights<T>& weights, Index n_rows, bool ties, Tags tags, Cost by, const Index* rows,
           const std::uint8_t* allowed)
        : w(weights),
          tie_is_mistake(ties),
          cost(by),
          links(rows),
          lattice(tags, weights.stride),
          flat(weights),
          size(n_rows * weights.stride),
          narrow(static_cast<std::size_t>(weights.stride)) {
        // Place p of all weights is feature p − 1 of the one vector, whose bias is place 0: that of tag 0, without use.
        flat.n_classes = flat.stride = 1;
        flat.one = 0;
        flat.sure.stride = 1;
        flat.sure.one = 0;
        for (Index l = 0; l < tags.n_links(); ++l)
            for (Index c = 0; c < tags.n; ++c)
                lattice.set_link(l, c,
                                 allowed && !allowed[l * tags.n + c]
                                     ? Lattice::kNever
                                     : static_cast<double>(w.bias[rows[l] * w.stride + c]));
    }

    // ΔΦ, made when a rule asks for it.
    struct LateDifference {
        using value_type = T;
        Tagger& of;
        const Sentence<T>& x;
        Target y;
        Index n_features;

        ROSENBLATT_APART CsrRow<T, Index> row() const {
            if (of.difference.is_empty()) of.differ(x, y);
            return of.difference.row(n_features);
        }
        T norm2() const { return row().norm2(); }
        template <class... F>
        void each(F&&... f) const {
            row().each(std::forward<F>(f)...);
        }
    };

    // The scores of all sequences; afterwards `lattice` can be asked.
    void look(const Sentence<T>& x) {
        constexpr Index kLine = 64 / static_cast<Index>(sizeof(T));
        const auto ask = [&](Index j) {
            for (Index c = 0; c < w.stride; c += kLine) prefetch_near(w.features() + j * w.stride + c);
        };
        const Index n = x.n_tokens;
        lattice.resize(n);
        if (n > 0) x[0].ask_first(ask);
        for (Index t = 0; t < n; ++t) {
            if (t + 1 < n) x[t + 1].ask_first(ask);
            w.class_scores(x[t], narrow.data());
            double* const e = lattice.emission(t);
            for (Index c = 0; c < w.stride; ++c) e[c] = static_cast<double>(narrow[static_cast<std::size_t>(c)]);
        }
        lattice.forward();
    }

    Outcome consider(const Sentence<T>& x, Target y, double weight, const Rule& rule, Tally& tally) {
        look(x);
        const Index n = x.n_tokens;
        rival.resize(static_cast<std::size_t>(n));
        const double other = lattice.trace(y, rival.data());
        if (other == Lattice::kNever) return {false, false};  // no other sequence may be taken
        const double margin = lattice.score(y) - other;
        bool wrong = !(margin > 0) && (margin != 0 || tie_is_mistake);
        if (margin == 0 && !wrong) wrong = misread_by(lattice, y) > 0;
        tally.note_margin(margin, wrong);
        if (tally.overflow) return {wrong, false};
        difference.clear();
        const LateDifference row{*this, x, y, size};
        const Judged<LateDifference> e{row, 0, margin, loss_of(y, n) - margin, weight, wrong, 0, -1, &flat.sure};
        const T tau = static_cast<T>(std::visit([&](const auto& r) { return r.step(e); }, rule));
        if (!(tau > 0) || w.sure.is_exhausted(tau)) return {wrong, false};
        const double step = static_cast<double>(tau);
        if (w.sure) {
            how = shrink_of(rule, e, step);
            if (!tally.admit_any_step(e.sure_moved2(step, how))) return {wrong, false};
        } else if (!tally.admit_step(step * margin, e.moved2(step))) {
            return {wrong, false};
        }
        a = tau;
        judged_tags_ = y;
        margin_of = margin;
        tally.note_step(step);
        return {wrong, true, step};
    }

    void move(const Sentence<T>& x, Index t) {
        const auto row = LateDifference{*this, x, judged_tags_, size}.row();
        if (w.sure)
            flat.sure.move(row, flat, 0, a, margin_of, how, t);
        else
            flat.add(row, a, t);
        for (const auto& [number, tag] : moved_links_)
            lattice.set_link(number, tag, static_cast<double>(w.bias[links[number] * w.stride + tag]));
    }
    void last_step(double* out) const { *out = static_cast<double>(a); }

    // How many tags the readout gets wrong of the sentence that was considered, after n were learned from.
    ROSENBLATT_APART Index misread(const Sentence<T>& x, Target y, Index n) {
        if (!w.total || n == 0) return misread_by(lattice, y);
        if (!mean_) mean_.emplace(lattice.tags, lattice.stride);
        const double count = static_cast<double>(n);
        const auto less = [&](Index row, Index c) { return w.total[row * w.stride + c] / count; };
        for (Index l = 0; l < lattice.tags.n_links(); ++l)
            for (Index c = 0; c < lattice.tags.n; ++c) mean_->set_link(l, c, lattice.link(l, c) - less(links[l], c));
        mean_->resize(x.n_tokens);
        std::copy_n(lattice.emissions.data(), x.n_tokens * w.stride, mean_->emissions.data());
        for (Index t = 0; t < x.n_tokens; ++t)
            x[t].each([&](Index j, T value) {
                for (Index c = 0; c < w.stride; ++c)
                    mean_->emission(t)[c] -= static_cast<double>(value) * less(1 + j, c);
            });
        mean_->forward();
        return misread_by(*mean_, y);
    }

  private:
    std::vector<std::pair<Index, Index>> moved_links_{};  // those in ΔΦ, and tags
    Target judged_tags_ = nullptr;
    std::vector<std::int32_t> decoded_{};
    std::optional<Lattice> mean_{};  // the lattice of the averaged weights

    ROSENBLATT_APART Index misread_by(Lattice& all, Target y) {
        decoded_.resize(rival.size());
        all.trace(nullptr, decoded_.data());
        Index wrong = 0;
        for (std::size_t t = 0; t < decoded_.size(); ++t) wrong += decoded_[t] != y[t];
        return wrong;
    }
    double loss_of(Target y, Index n) const {
        if (cost == Cost::one) return 1;
        double distance = 0;
        for (Index t = 0; t < n; ++t) distance += rival[static_cast<std::size_t>(t)] != y[t];
        return cost == Cost::root ? std::sqrt(distance) : distance;
    }
    // ΔΦ: emissions token by token, where the tags differ, the right tag before the rival's; then the links.
    void differ(const Sentence<T>& x, Target y) {
        const Index n = x.n_tokens, k = w.stride;
        const std::int32_t* const z = rival.data();
        for (Index t = 0; t < n; ++t) {
            if (y[t] == z[t]) continue;
            x[t].each([&](Index j, T value) {
                difference.add((1 + j) * k + y[t] - 1, value);
                difference.add((1 + j) * k + z[t] - 1, -value);
            });
        }
        const Tags& tags = lattice.tags;
        moved_links_.clear();
        const auto link = [&](Index number, Index tag, T value) {
            difference.add(links[number] * k + tag - 1, value);
            moved_links_.emplace_back(number, tag);
        };
        for (Index t = 0; t < n; ++t) {
            const Index right = tags.link_of(y, t), other = tags.link_of(z, t);
            if (right == other && y[t] == z[t]) continue;
            link(right, y[t], 1);
            link(other, z[t], -1);
        }
        const Index right = tags.end(tags.middle_of(y, n - 1)), other = tags.end(tags.middle_of(z, n - 1));
        if (right == other && y[n - 1] == z[n - 1]) return;
        link(right, y[n - 1], 1);
        link(other, z[n - 1], -1);
    }
};

}  // namespace rosenblatt
