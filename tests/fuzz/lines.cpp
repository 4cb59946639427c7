// Any bytes through the native readers of files: in one part and in many, with every type, they must give the same rows
// and the same complaints, and stay inside the room that was measured (the sanitizers watch).
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "../../native/csv.hpp"
#include "../../native/svmlight.hpp"
#include "../../native/vw.hpp"

using namespace rosenblatt::data;

void try_text(const char* bytes, std::size_t size);       // text.cpp
void try_sentences(const char* bytes, std::size_t size);  // sentences.cpp

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

template <class T, class I>
struct Rows {
    std::vector<I> indptr, indices;
    std::vector<T> values;
    std::vector<std::int64_t> lines, qids, tags;
    std::vector<double> labels, weights;
    Summary summary;
};

template <class T, class I, class Format>
Rows<T, I> rows_of(const char* text, std::int64_t n, const Format& format, std::int64_t part_bytes, int n_threads,
                   bool stop) {
    const std::vector<Part> parts = measure<Format>(text, n, part_bytes, n_threads);
    const Part end = parts.empty() ? Part{} : parts.back();
    const auto rows = static_cast<std::size_t>(end.row + end.lines);
    const auto room = static_cast<std::size_t>(end.room + end.marks);
    Rows<T, I> out;
    out.indptr.resize(rows + 1), out.indices.resize(room), out.values.resize(room);
    out.lines.resize(rows), out.qids.resize(rows), out.tags.resize(2 * rows);
    out.labels.resize(rows), out.weights.resize(rows);
    const Store<T, I> store{out.indptr.data() + 1, out.indices.data(), out.values.data(), out.lines.data(),
                            out.labels.data(),     out.weights.data(), out.qids.data(),   out.tags.data()};
    out.summary = read_lines<T, I>(text, parts, format, store, 5, stop, n_threads);
    const auto kept = static_cast<std::size_t>(out.summary.rows),
               entries = static_cast<std::size_t>(out.summary.entries);
    out.indptr.resize(kept + 1), out.indices.resize(entries), out.values.resize(entries);
    out.lines.resize(kept), out.qids.resize(kept), out.tags.resize(2 * kept);
    out.labels.resize(kept), out.weights.resize(kept);
    return out;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {  // NaN equals itself: bytes are compared
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

template <class T, class I>
void require_same(const Rows<T, I>& a, const Rows<T, I>& b) {
    require(a.summary.wide == b.summary.wide, "wide");
    if (a.summary.wide) return;
    require(a.indptr == b.indptr && a.indices == b.indices && a.values == b.values, "entries depend on the parts");
    require(a.lines == b.lines && a.qids == b.qids && a.tags == b.tags, "rows depend on the parts");
    require(same(a.labels, b.labels) && same(a.weights, b.weights), "labels depend on the parts");
    require(a.summary.smallest == b.summary.smallest && a.summary.largest == b.summary.largest, "range");
    require(a.summary.faulty == b.summary.faulty && a.summary.first.size() == b.summary.first.size(), "faults");
    for (std::size_t i = 0; i < a.summary.first.size(); ++i) {
        const Complaint &x = a.summary.first[i], &y = b.summary.first[i];
        require(std::tie(x.fault, x.line, x.line_begin, x.begin, x.end) ==
                    std::tie(y.fault, y.line, y.line_begin, y.begin, y.end),
                "complaints depend on the parts");
    }
}

template <class T, class I>
void require_canonical(const Rows<T, I>& rows, std::int64_t n) {
    if (rows.summary.wide) return;
    for (std::size_t i = 0; i + 1 < rows.indptr.size(); ++i) {
        require(rows.indptr[i] <= rows.indptr[i + 1], "indptr falls");
        for (auto k = rows.indptr[i]; k < rows.indptr[i + 1]; ++k) {
            const auto at = static_cast<std::size_t>(k);
            require(std::isfinite(rows.values[at]), "a value is not finite");
            require(rows.indices[at] >= 0 && (k == rows.indptr[i] || rows.indices[at - 1] < rows.indices[at]),
                    "columns do not rise");
        }
    }
    for (const Complaint& wrong : rows.summary.first)
        require(wrong.line_begin <= wrong.begin && wrong.begin <= wrong.end && wrong.end <= n, "a place outside");
}

template <class T, class I, class Format>
void try_format(const char* text, std::int64_t n, const Format& format) {
    for (const bool stop : {false, true}) {
        const auto whole = rows_of<T, I>(text, n, format, n + 1, 1, stop);
        require_canonical(whole, n);
        for (const std::int64_t part_bytes : {1, 7, 64})
            require_same(whole, rows_of<T, I>(text, n, format, part_bytes, part_bytes == 64 ? 2 : 1, stop));
    }
}

void try_csv(const char* text, std::int64_t n, char delimiter, char quote) {
    const auto room = static_cast<std::size_t>(n) + 1;
    std::vector<std::int64_t> begins(room), lines(room), begin(1), line(1);
    const CsvRows all =
        csv_rows(text, n, delimiter, quote, true, static_cast<std::int64_t>(room), n, begins.data(), lines.data());
    require(all.consumed == n || all.rows == 0 || all.consumed <= n, "consumed");
    std::int64_t at = 0, passed = 0, rows = 0;  // one row at a time gives the same
    while (at < n) {
        const CsvRows one = csv_rows(text + at, n - at, delimiter, quote, true, 1, n - at, begin.data(), line.data());
        if (one.rows == 0) break;
        require(begins[static_cast<std::size_t>(rows)] == at + begin[0], "a row begins elsewhere");
        require(lines[static_cast<std::size_t>(rows)] == passed + line[0], "a row is on another line");
        at += one.consumed;
        passed += one.lines;
        ++rows;
    }
    require(rows == all.rows, "rows were lost");
    for (std::int64_t n_columns = 1; n_columns <= 3; ++n_columns) {
        std::vector<CsvValue> values;
        std::vector<std::int64_t> wanted{n_columns - 1};
        if (n_columns > 1) wanted.push_back(0);
        if (!csv_values(text, n, begins.data(), all.rows, delimiter, quote, n_columns, wanted, values)) continue;
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            const CsvValue* const column = values.data() + k * static_cast<std::size_t>(all.rows);
            std::size_t size = 0;
            for (std::int64_t row = 0; row < all.rows; ++row) {
                require(text <= column[row].begin && column[row].begin + column[row].size <= text + n,
                        "a value outside");
                size += static_cast<std::size_t>(column[row].size);
            }
            std::vector<std::int32_t> starts(static_cast<std::size_t>(all.rows) + 1), codes(starts.size());
            std::string copied(size, '\0');  // to the byte, for the sanitizers to see what goes beyond
            if (!copy_column(column, all.rows, quote, starts.data(), copied.data())) continue;
            std::vector<std::string_view> words;
            number_words(copied.data(), starts.data(), all.rows, codes.data(), words);
            for (std::size_t row = 0; row + 1 < starts.size(); ++row)
                require(words[static_cast<std::size_t>(codes[row])] ==
                            std::string_view(copied).substr(static_cast<std::size_t>(starts[row]),
                                                            static_cast<std::size_t>(starts[row + 1] - starts[row])),
                        "a word has another's number");
        }
    }
}

void try_number(const char* text, std::int64_t n) {
    const char* p = text;
    double value = 0;
    if (read_number(p, text + n, value) != Number::read) return;
    const std::string copy(text, p);
    char* stop = nullptr;
    const double expected = std::strtod(copy.c_str(), &stop);
    require(stop == copy.c_str() + copy.size(), "more was read than a number");
    require(std::memcmp(&value, &expected, sizeof value) == 0, "a number is not what strtod reads");
    const char* q = text;
    float single = 0;
    const Number number = read_number(q, text + n, single);
    const float nearest = std::strtof(copy.c_str(), nullptr);
    require(q == p, "float reads another length");
    require((number == Number::read) == std::isfinite(nearest), "float and overflow");
    require(number != Number::read || std::memcmp(&single, &nearest, sizeof single) == 0, "not the nearest float");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A copy without anything behind it, so that reading beyond is seen.
    const std::vector<char> bytes(reinterpret_cast<const char*>(data), reinterpret_cast<const char*>(data) + size);
    const char* const text = bytes.data();
    const auto n = static_cast<std::int64_t>(size);
    try_format<double, std::int32_t>(text, n, Svmlight{1, 1 << 20});
    try_format<float, std::int64_t>(text, n, Svmlight{0, std::int64_t{1} << 62});
    try_format<double, std::int32_t>(text, n, VowpalWabbit{(1u << 20) - 1});
    try_format<float, std::int64_t>(text, n, VowpalWabbit{7});
    try_csv(text, n, ',', '"');
    try_csv(text, n, '\t', '\0');
    try_csv(text, n, '\0', '\0');
    try_number(text, n);
    try_text(text, size);
    try_sentences(text, size);
    return 0;
}
