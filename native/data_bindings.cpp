// The Python face of the readers of files: bytes as views, and arrays that the caller made room in.
#include "data_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "border.hpp"
#include "csv.hpp"
#include "hash.hpp"
#include "pages.hpp"
#include "rows_in_use.hpp"
#include "svmlight.hpp"
#include "tuples.hpp"
#include "vw.hpp"

namespace nb = nanobind;
using namespace rosenblatt::data;
using rosenblatt::check_below;
using rosenblatt::sized;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct Text {
    const char* bytes;
    std::int64_t size;
    explicit Text(nb::handle h) {
        Bytes given;
        if (!nb::try_cast(h, given, false)) throw std::invalid_argument("text must be an array of bytes");
        bytes = reinterpret_cast<const char*>(given.data());
        size = static_cast<std::int64_t>(given.size());
    }
};

// The numbers of an array with room for so many.
template <class T>
T* room_in(nb::handle h, std::int64_t at_least, const char* what) {
    nb::ndarray<T, nb::c_contig, nb::device::cpu> a;
    if (!nb::try_cast(h, a, false) || a.size() < static_cast<std::size_t>(at_least))
        throw std::invalid_argument(std::string(what) + " has the wrong type or length");
    return a.data();
}

// The same; null for None.
template <class T>
T* room_or_none(nb::handle h, std::int64_t at_least, const char* what) {
    return h.is_none() ? nullptr : room_in<T>(h, at_least, what);
}

template <class T>
bool holds(nb::handle h) {
    nb::ndarray<T, nb::c_contig, nb::device::cpu> a;
    return nb::try_cast(h, a, false);
}

static_assert(sizeof(Part) == 7 * sizeof(std::int64_t));

// Parts as one, each of which must begin where the one before it ends: its bytes, and the room for what it reads.
Part total_of(const std::vector<Part>& parts) {
    Part all{};
    for (const Part& part : parts) {
        if (part.begin != all.end || part.end < part.begin || part.row != all.lines || part.room != all.marks ||
            part.lines < 0 || part.marks < 0)
            throw std::invalid_argument("parts of a text must follow each other");
        all.end = part.end;
        all.lines += part.lines;
        all.marks += part.marks;
    }
    return all;
}

// format: ("svmlight", smallest index, columns) or ("vw", columns, a power of two)
template <class F>
auto with_format_of(const nb::tuple& format, F&& f) {
    if (format.size() == 3 && nb::cast<std::string>(format[0]) == "svmlight")
        return f(Svmlight{nb::cast<std::int64_t>(format[1]), nb::cast<std::int64_t>(format[2])});
    return f(VowpalWabbit{nb::cast<std::uint64_t>(sized(format, 2, "a format")[1]) - 1});
}

nb::tuple measure_lines(nb::handle text_array, const nb::tuple& format, std::int64_t part_bytes, int n_threads,
                        nb::handle out) {
    const Text text(text_array);
    if (part_bytes < 1) throw std::invalid_argument("parts must have at least one byte");
    Part* const to = reinterpret_cast<Part*>(room_in<std::int64_t>(out, 7 * (1 + text.size / part_bytes), "parts"));
    const std::vector<Part> parts = with_format_of(format, [&]<class Format>(const Format&) {
        nb::gil_scoped_release unlocked;
        return measure<Format>(text.bytes, text.size, part_bytes, n_threads);
    });
    std::copy(parts.begin(), parts.end(), to);
    const Part end = parts.empty() ? Part{} : parts.back();
    return nb::make_tuple(parts.size(), end.row + end.lines, end.room + end.marks);
}

// arrays: indptr, indices, data, lines, labels, and where they are wanted weights, query ids, tags (else None)
nb::tuple read_lines_into(nb::handle text_array, const nb::tuple& format, nb::handle parts_array,
                          const nb::tuple& arrays, std::size_t remembered, bool stop_at_fault, int n_threads) {
    const Text text(text_array);
    const Part* const first = reinterpret_cast<const Part*>(room_in<const std::int64_t>(parts_array, 0, "parts"));
    const std::vector<Part> parts(first, first + nb::len(parts_array) / 7);
    const Part end = total_of(parts);
    const std::int64_t rows = end.lines, room = end.marks;
    if (end.end != text.size) throw std::invalid_argument("parts of another text");
    sized(arrays, 8, "arrays of rows");
    Summary found;
    const auto go = [&]<class T, class I>(T, I) {
        const Store<T, I> store{room_in<I>(arrays[0], rows + 1, "indptr") + 1,
                                room_in<I>(arrays[1], room, "indices"),
                                room_in<T>(arrays[2], room, "data"),
                                room_in<std::int64_t>(arrays[3], rows, "lines"),
                                room_in<double>(arrays[4], rows, "labels"),
                                room_or_none<double>(arrays[5], rows, "weights"),
                                room_or_none<std::int64_t>(arrays[6], rows, "query ids"),
                                room_or_none<std::int64_t>(arrays[7], 2 * rows, "tags")};
        with_format_of(format, [&](const auto& how) {
            nb::gil_scoped_release unlocked;
            found = read_lines<T, I>(text.bytes, parts, how, store, remembered, stop_at_fault, n_threads);
        });
    };
    const bool narrow = holds<std::int32_t>(arrays[1]), single = holds<float>(arrays[2]);
    if (narrow)
        single ? go(float{}, std::int32_t{}) : go(double{}, std::int32_t{});
    else
        single ? go(float{}, std::int64_t{}) : go(double{}, std::int64_t{});
    nb::list faults;
    for (const Complaint& wrong : found.first)
        faults.append(nb::make_tuple(kFaultNames[static_cast<int>(wrong.fault)], wrong.line, wrong.line_begin,
                                     wrong.begin, wrong.end));
    return nb::make_tuple(found.rows, found.entries, found.smallest, found.largest, found.wide, found.faulty, faults);
}

nb::tuple find_csv_rows(nb::handle text_array, int delimiter, int quote, bool last, nb::handle begins, nb::handle lines,
                        std::int64_t enough_bytes) {
    const Text text(text_array);
    const auto room = static_cast<std::int64_t>(nb::len(begins));
    std::int64_t* const begin = room_in<std::int64_t>(begins, room, "begins");
    std::int64_t* const line = room_in<std::int64_t>(lines, room, "lines");
    CsvRows found;
    {
        nb::gil_scoped_release unlocked;
        found = csv_rows(text.bytes, text.size, static_cast<char>(delimiter), static_cast<char>(quote), last, room,
                         enough_bytes, begin, line);
    }
    return nb::make_tuple(found.rows, found.consumed, found.lines, found.open, found.several_lines, found.longest);
}

// A Python bytes object to be written into.
class Room {
    nb::object held_;

  public:
    explicit Room(std::int64_t size) : held_(nb::steal(PyBytes_FromStringAndSize(nullptr, size))) {
        if (!held_) throw nb::python_error();
    }
    char* data() const { return PyBytes_AsString(held_.ptr()); }
    const nb::object& held() const { return held_; }
};

// Columns of text, each as (codes, starts, text): the values, without codes, or, numbered, the different ones. None:
// not all is plain text.
nb::object cut_csv(nb::handle text_array, nb::handle begins, int delimiter, int quote, std::int64_t n_columns,
                   const nb::list& wanted_columns, const nb::list& numbered) {
    const Text text(text_array);
    const auto n_rows = static_cast<std::int64_t>(nb::len(begins));
    const auto* const at = room_in<const std::int64_t>(begins, n_rows, "begins");
    const char quoted = static_cast<char>(quote);
    const auto wanted = nb::cast<std::vector<std::int64_t>>(wanted_columns);
    if (n_rows > 0) rosenblatt::check_starts(at, n_rows - 1, text.size);
    rosenblatt::check_below(wanted.data(), static_cast<std::int64_t>(wanted.size()), n_columns, "columns");
    if (numbered.size() != wanted.size()) throw std::invalid_argument("each column is numbered or not");
    std::vector<CsvValue> values;
    bool plain;
    {
        nb::gil_scoped_release unlocked;
        plain = csv_values(text.bytes, text.size, at, n_rows, static_cast<char>(delimiter), quoted, n_columns, wanted,
                           values);
    }
    nb::list columns;
    for (std::size_t k = 0; plain && k < wanted.size(); ++k) {
        const CsvValue* const column = values.data() + k * static_cast<std::size_t>(n_rows);
        std::int64_t size = 0;
        for (std::int64_t row = 0; row < n_rows; ++row) size += column[row].size;
        if (size > std::numeric_limits<std::int32_t>::max()) return nb::none();
        const Room starts(4 * (n_rows + 1)), bytes(size);
        char* const to = bytes.data();
        auto* const start = reinterpret_cast<std::int32_t*>(starts.data());
        {
            nb::gil_scoped_release unlocked;
            plain = copy_column(column, n_rows, quoted, start, to);
        }
        if (!plain) break;
        if (!nb::cast<bool>(numbered[k])) {
            columns.append(nb::make_tuple(nb::none(), starts.held(), bytes.held()));
            continue;
        }
        const Room codes(4 * n_rows);
        std::vector<std::string_view> words;
        number_words(to, start, n_rows, reinterpret_cast<std::int32_t*>(codes.data()), words);
        const Room begins_of(4 * (static_cast<std::int64_t>(words.size()) + 1));
        auto* begin = reinterpret_cast<std::int32_t*>(begins_of.data());
        std::string all;
        for (const std::string_view word : words) {
            *begin++ = static_cast<std::int32_t>(all.size());
            all += word;
        }
        *begin = static_cast<std::int32_t>(all.size());
        columns.append(nb::make_tuple(codes.held(), begins_of.held(), nb::bytes(all.data(), all.size())));
    }
    return plain ? nb::object(columns) : nb::none();
}

// The hashes of texts that lie one behind the other, each from offsets[i] to offsets[i + 1].
void hash_texts(nb::handle text_array, nb::handle offsets, nb::handle out) {
    const Text text(text_array);
    const auto n = static_cast<std::int64_t>(nb::len(out));
    const auto* const at = room_in<const std::int64_t>(offsets, n + 1, "offsets");
    std::uint32_t* const to = room_in<std::uint32_t>(out, n, "out");
    for (std::int64_t i = 0; i < n; ++i) {
        if (at[i] < 0 || at[i] > at[i + 1] || at[i + 1] > text.size) throw std::invalid_argument("bad offsets");
        to[i] = rosenblatt::murmur3({text.bytes + at[i], static_cast<std::size_t>(at[i + 1] - at[i])});
    }
}

constexpr const char* kNumbers = "numbers of rows";

// An array as rows of bytes.
ByteRows byte_rows(nb::handle h) {
    nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::device::cpu> a;
    if (!nb::try_cast(h, a, false) || (a.shape(1) > 1 && a.stride(1) != 1) || (a.shape(0) > 1 && a.stride(0) < 0))
        throw std::invalid_argument("rows must be a table of bytes, those of a row side by side");
    return {a.data(), static_cast<std::int64_t>(a.shape(0)), static_cast<std::int64_t>(a.shape(1)), a.stride(0)};
}

// f(type of the numbers) of an array of whole numbers.
template <class F>
auto with_numbers(nb::handle h, const F& f) {
    return holds<const std::int32_t>(h) ? f(std::int32_t{}) : f(std::int64_t{});
}

std::int64_t find_rows_in_use(const nb::list& given, nb::object out, std::int64_t n_threads) {
    std::vector<ByteRows> arrays;
    for (nb::handle array : given) arrays.push_back(byte_rows(array));
    const std::int64_t n_rows = arrays.empty() ? 0 : arrays[0].n_rows;
    for (const ByteRows& rows : arrays)
        if (rows.n_rows != n_rows) throw std::invalid_argument("the arrays must have the same rows");
    return with_numbers(out, [&]<class I>(I) {
        if (n_rows > std::numeric_limits<I>::max())
            throw std::invalid_argument("the rows are too many for the numbers");
        I* const room = room_in<I>(out, n_rows, "the room for numbers of rows");
        nb::gil_scoped_release unlocked;
        return rows_in_use(arrays, n_rows, room, n_threads);
    });
}

void set_flags(nb::object numbers, nb::object flags) {
    const auto count = static_cast<std::int64_t>(nb::len(numbers)), n = static_cast<std::int64_t>(nb::len(flags));
    const auto* const which = room_in<const std::int32_t>(numbers, count, kNumbers);
    std::uint8_t* const room = room_in<std::uint8_t>(flags, n, "the flags");
    nb::gil_scoped_release unlocked;
    check_below(which, count, n, kNumbers);
    for (std::int64_t i = 0; i < count; ++i) room[which[i]] = 1;
}

void take_given_rows(nb::handle array, nb::object numbers, nb::object out, std::int64_t n_threads) {
    const ByteRows rows = byte_rows(array);
    const auto count = static_cast<std::int64_t>(nb::len(numbers));
    std::uint8_t* const room = room_in<std::uint8_t>(out, count * rows.width, "the room for rows");
    with_numbers(numbers, [&]<class I>(I) {
        const I* const which = room_in<const I>(numbers, count, kNumbers);
        nb::gil_scoped_release unlocked;
        check_below(which, count, rows.n_rows, kNumbers);
        take_rows(rows, which, count, room, n_threads);
    });
}

PairsInUse pairs_of(const nb::list& given, std::int64_t n_vectors, nb::handle order) {
    PairsInUse pairs{{}, n_vectors, nullptr, static_cast<std::int64_t>(nb::len(order))};
    pairs.order = room_in<const std::int64_t>(order, pairs.n_rows, "the order of rows");
    for (nb::handle array : given) {
        const ByteRows rows = byte_rows(array);
        const std::int64_t item = n_vectors > 0 ? rows.width / n_vectors : 0;
        if (item * n_vectors != rows.width || (item != 4 && item != 8))
            throw std::invalid_argument("numbers of 4 or 8 bytes are needed, one for each vector");
        check_below(pairs.order, pairs.n_rows, rows.n_rows, kNumbers);
        pairs.arrays.push_back({rows, item});
    }
    return pairs;
}

void count_pairs(const nb::list& arrays, std::int64_t n_vectors, nb::object order, nb::object counts,
                 std::int64_t n_threads) {
    const PairsInUse pairs = pairs_of(arrays, n_vectors, order);
    std::int64_t* const room = room_in<std::int64_t>(counts, pairs.n_rows, "the room for counts");
    nb::gil_scoped_release unlocked;
    pairs.count(room, n_threads);
}

void take_pairs(const nb::list& arrays, std::int64_t n_vectors, nb::object order, nb::object starts, nb::object vectors,
                const nb::list& out, std::int64_t n_threads) {
    const PairsInUse pairs = pairs_of(arrays, n_vectors, order);
    const auto* const begins = room_in<const std::int64_t>(starts, pairs.n_rows + 1, "the starts of rows");
    rosenblatt::check_starts(begins, pairs.n_rows, static_cast<std::int64_t>(nb::len(vectors)));
    auto* const which = room_in<std::int32_t>(vectors, begins[pairs.n_rows], "the room for vectors");
    std::vector<std::uint8_t*> room;
    if (nb::len(out) != pairs.arrays.size()) throw std::invalid_argument("room for each array is needed");
    for (std::size_t a = 0; a < pairs.arrays.size(); ++a)
        room.push_back(
            room_in<std::uint8_t>(out[a], begins[pairs.n_rows] * pairs.arrays[a].item, "the room for numbers"));
    nb::gil_scoped_release unlocked;
    pairs.take(begins, which, room, n_threads);
}

// The pages of an array are asked for in the background, or come one by one as they are needed; what it holds stays.
void populate([[maybe_unused]] nb::handle array_like) {
#if defined(MADV_POPULATE_WRITE)
    const auto array = nb::cast<nb::ndarray<nb::c_contig, nb::device::cpu>>(array_like);
    constexpr std::uintptr_t page = 4096, large = 1 << 22, too_large = 1 << 28;  // which may never be needed
    const std::size_t bytes = array.nbytes();
    if (bytes < large || bytes > too_large) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
    const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
    rosenblatt::in_background(
        [=] {  // piece by piece: who asks for other memory meanwhile waits for one of them at most
            constexpr std::uintptr_t piece = rosenblatt::kLargePage;
            for (std::uintptr_t at = first; at < last; at = (at / piece + 1) * piece)
                madvise(reinterpret_cast<void*>(at), std::min(last, (at / piece + 1) * piece) - at,
                        MADV_POPULATE_WRITE);
        });
#endif
}

// Block after block takes as much memory as the one before: what is freed is kept for it and shared by all threads,
// or the system would have to clear new pages each time.
void keep_freed_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace

void bind_data(nb::module_& m) {
    m.def("measure_lines", &measure_lines, nb::arg("text"), nb::arg("format"), nb::arg("part_bytes"),
          nb::arg("n_threads"), nb::arg("out"), "(parts, most rows, most entries) of a text; its parts go to out.");
    m.def("read_lines", &read_lines_into, nb::arg("text"), nb::arg("format"), nb::arg("parts"), nb::arg("arrays"),
          nb::arg("remembered"), nb::arg("stop_at_fault"), nb::arg("n_threads"),
          "Reads the parts of a text into the arrays; (rows, entries, least and largest column, an index was too wide, "
          "faulty lines, the first of them).");
    m.def("csv_rows", &find_csv_rows, nb::arg("text"), nb::arg("delimiter"), nb::arg("quote"), nb::arg("last"),
          nb::arg("begins"), nb::arg("lines"), nb::arg("enough_bytes"),
          "Where rows begin, as many as there is room for, until there are enough bytes; (rows, bytes, lines, open "
          "quote, a value has several lines, "
          "bytes of the longest row).");
    m.def("cut_csv", &cut_csv, nb::arg("text"), nb::arg("begins"), nb::arg("delimiter"), nb::arg("quote"),
          nb::arg("n_columns"), nb::arg("wanted"), nb::arg("numbered"),
          "The text of columns of rows that begin there: (None, starts, text) of each, or, numbered, codes with the "
          "starts and text of the different ones; None where something is not plain UTF-8 text.");
    m.def("hash_texts", &hash_texts, nb::arg("text"), nb::arg("offsets"), nb::arg("out"),
          "MurmurHash3_x86_32 with seed 0 of each text between two offsets.");
    m.def(
        "rows_in_use", &find_rows_in_use, nb::arg("arrays"), nb::arg("out"), nb::arg("n_threads"),
        "The numbers of the rows, as bytes, in which any bit of any array is set, written to out; how many they are.");
    m.def("set_flags", &set_flags, nb::arg("numbers"), nb::arg("flags"),
          "Set the flags, bytes, with these numbers to 1.");
    m.def("take_rows", &take_given_rows, nb::arg("rows"), nb::arg("numbers"), nb::arg("out"), nb::arg("n_threads"),
          "Write the rows, as bytes, with these numbers to out, one behind the other.");
    m.def("count_pairs", &count_pairs, nb::arg("arrays"), nb::arg("n_vectors"), nb::arg("order"), nb::arg("counts"),
          nb::arg("n_threads"), "Write how many vectors of each row, in this order, have a number other than 0.");
    m.def("take_pairs", &take_pairs, nb::arg("arrays"), nb::arg("n_vectors"), nb::arg("order"), nb::arg("starts"),
          nb::arg("vectors"), nb::arg("out"), nb::arg("n_threads"),
          "Write which these are, from the start of each row on, and the numbers of each array.");
    m.def("populate", &populate, nb::arg("array"),
          "Have the system make room for the zeros of a large array in the background, before they are written to.");
    m.def("keep_freed_memory", &keep_freed_memory,
          "Of this process, from now on: for commands that read files block by block.");
}
