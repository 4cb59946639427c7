// Text of one example a line, read in parts by several threads into the arrays of a CSR matrix.
//
// Two calls. `measure` cuts the text into parts at line ends and counts in each its lines and the bytes that mark an
// entry: bounds on what is to be stored. The caller makes room for that much. `read_lines` then lets each part fill
// its own room, and closes the gaps that comments and faulty lines left. The result does not depend on the parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "numbers.hpp"
#include "parallel.hpp"

namespace rosenblatt::data {

struct Part {
    std::int64_t begin, end;       // bytes
    std::int64_t lines, marks;     // in it
    std::int64_t line, row, room;  // lines before it; where its rows and entries are stored
};

// What can be wrong with a line; the Python side has a sentence for each, by its name below.
enum class Fault {
    none,
    wide_index,
    no_label,
    several_labels,
    bad_label,
    label_not_finite,
    no_pair,
    bad_index,
    negative_index,
    zero_index,
    huge_index,
    index_beyond,
    repeated_index,
    falling_index,
    bad_value,
    value_not_finite,
    bad_qid,
    no_bar,
    bad_weight,
    many_labels,
    no_name,
    bad_scale,
};
constexpr const char* kFaultNames[] = {
    "none",           "wide_index",    "no_label",       "several_labels",   "bad_label",  "label_not_finite",
    "no_pair",        "bad_index",     "negative_index", "zero_index",       "huge_index", "index_beyond",
    "repeated_index", "falling_index", "bad_value",      "value_not_finite", "bad_qid",    "no_bar",
    "bad_weight",     "many_labels",   "no_name",        "bad_scale",
};
static_assert(std::size(kFaultNames) == static_cast<std::size_t>(Fault::bad_scale) + 1);

struct Complaint {
    Fault fault;
    std::int64_t line, line_begin, begin, end;  // the line's number; bytes: where it starts, and what is wrong in it
};

// What a line says besides its entries.
struct Head {
    double label, weight;
    std::int64_t qid, tag_begin, tag_end;
};

// Where rows go: pointers to the whole arrays. Those that are not wanted are null.
template <class T, class I>
struct Store {
    I* ends;  // indptr, from its second number on
    I* indices;
    T* values;
    std::int64_t* lines;
    double *labels, *weights;
    std::int64_t *qids, *tags;  // tags: pairs

    void keep(std::int64_t row, const Head& head) const {
        labels[row] = head.label;
        if (weights) weights[row] = head.weight;
        if (qids) qids[row] = head.qid;
        if (tags) tags[2 * row] = head.tag_begin, tags[2 * row + 1] = head.tag_end;
    }
    void move_rows(std::int64_t from, std::int64_t to, std::int64_t n) const {
        const auto shift = [=](auto* array, std::int64_t each) {
            if (array)
                std::memmove(array + each * to, array + each * from,
                             static_cast<std::size_t>(each * n) * sizeof *array);
        };
        shift(ends, 1), shift(lines, 1), shift(labels, 1), shift(weights, 1), shift(qids, 1), shift(tags, 2);
    }
};

// Entries of one row as they are read.
template <class T, class I>
struct Entries {
    I* index;
    T* value;
    const I* end;                    // of the room for indices
    std::int64_t smallest, largest;  // index, of all rows so far
    void add(std::int64_t j, T x) {
        if (index == end) throw std::length_error("more entries than the text was measured to have");
        *index++ = static_cast<I>(j);
        *value++ = x;
    }
};

struct Summary {
    std::int64_t rows = 0, entries = 0, faulty = 0;
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max(), largest = -1;
    bool wide = false;  // an index does not fit the type of the arrays: read again with a wider one
    std::vector<Complaint> first;
};

// Parts of about `size` bytes, cut behind line ends.
inline std::vector<Part> cut(const char* text, std::int64_t n, std::int64_t size) {
    std::vector<Part> parts;
    for (std::int64_t begin = 0; begin < n;) {
        std::int64_t end = std::min(n, begin + std::max<std::int64_t>(size, 1));
        const void* stop = std::memchr(text + end - 1, '\n', static_cast<std::size_t>(n - end + 1));
        end = stop ? static_cast<const char*>(stop) - text + 1 : n;
        parts.push_back({begin, end, 0, 0, 0, 0, 0});
        begin = end;
    }
    return parts;
}

// How many bytes are of a kind. Sums of at most 240 fit a byte, so that compilers add sixteen at once.
template <class Kind>
std::int64_t count_bytes(const char* p, const char* end, Kind is) {
    std::int64_t sum = 0;
    while (p < end) {
        const auto length = static_cast<int>(std::min<std::ptrdiff_t>(end - p, 240));
        std::uint8_t some = 0;
        for (int i = 0; i < length; ++i) some = static_cast<std::uint8_t>(some + is(p[i]));
        sum += some;
        p += length;
    }
    return sum;
}

inline std::int64_t count_line_ends(const char* p, const char* end) {
    return count_bytes(p, end, [](char c) { return c == '\n'; });
}

// Parts of the text with their lines and marks, and where each stores what it reads.
template <class Format>
std::vector<Part> measure(const char* text, std::int64_t n, std::int64_t size, int n_threads) {
    std::vector<Part> parts = cut(text, n, size);
    in_parallel(static_cast<std::int64_t>(parts.size()), n_threads, [&](std::int64_t k) {
        Part& part = parts[static_cast<std::size_t>(k)];
        part.lines = count_line_ends(text + part.begin, text + part.end) + (text[part.end - 1] != '\n');
        part.marks = count_bytes(text + part.begin, text + part.end, Format::is_mark);
    });
    std::int64_t lines = 0, marks = 0;
    for (Part& part : parts) {
        part.line = part.row = lines;
        part.room = marks;
        lines += part.lines;
        marks += part.marks;
    }
    return parts;
}

// One part. A Format says which byte begins a comment and which mark an entry, and makes a reader whose
// read(content, stop, head, entries, wrong) takes the line [content, stop), or says what is wrong with it and where.
template <class T, class I, class Format>
Summary read_part(const char* text, const Part& part, const Format& format, const Store<T, I>& store,
                  std::size_t remembered, bool stop_at_fault) {
    Summary found;
    found.first.reserve(remembered);
    I* const room = store.indices + part.room;
    Entries<T, I> entries{room, store.values + part.room, room + part.marks, found.smallest, found.largest};
    auto reader = format.template reader<T, I>(text);
    std::int64_t line = part.line;
    for (const char *p = text + part.begin, *end = text + part.end; p < end;) {
        const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
        const char* const stop = newline ? static_cast<const char*>(newline) : end;
        ++line;
        const char* content = p;
        while (content < stop && is_blank(*content)) ++content;
        if (content < stop && *content != Format::kComment) {
            const Entries<T, I> before = entries;
            Head head{0, 1, -1, 0, 0};
            Complaint wrong{Fault::none, line, p - text, 0, 0};
            if (reader.read(content, stop, head, entries, wrong)) {
                if (found.rows == part.lines) throw std::length_error("more lines than the text was measured to have");
                const std::int64_t row = part.row + found.rows++;
                store.keep(row, head);
                store.ends[row] = static_cast<I>(entries.index - store.indices);
                store.lines[row] = line;
            } else {
                entries = before;
                if (wrong.fault == Fault::wide_index) {
                    found.wide = true;
                    return found;
                }
                ++found.faulty;
                if (found.first.size() < remembered) found.first.push_back(wrong);
                if (stop_at_fault) break;
            }
        }
        p = stop + (newline != nullptr);
    }
    found.entries = entries.index - room;
    found.smallest = entries.smallest;
    found.largest = entries.largest;
    return found;
}

// All parts into the store, whose arrays have the room that `measure` told; ends[-1] is set to 0.
template <class T, class I, class Format>
Summary read_lines(const char* text, const std::vector<Part>& parts, const Format& format, const Store<T, I>& store,
                   std::size_t remembered, bool stop_at_fault, int n_threads) {
    std::vector<Summary> found(parts.size());
    in_parallel(static_cast<std::int64_t>(parts.size()), n_threads, [&](std::int64_t k) {
        const auto i = static_cast<std::size_t>(k);
        found[i] = read_part<T, I>(text, parts[i], format, store, remembered, stop_at_fault);
    });
    Summary all;
    store.ends[-1] = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Summary& one = found[i];
        all.wide |= one.wide;
        all.smallest = std::min(all.smallest, one.smallest);
        all.largest = std::max(all.largest, one.largest);
        if (const std::int64_t gap = parts[i].room - all.entries; gap > 0) {
            const auto n = static_cast<std::size_t>(one.entries);
            std::memmove(store.indices + all.entries, store.indices + parts[i].room, n * sizeof(I));
            std::memmove(store.values + all.entries, store.values + parts[i].room, n * sizeof(T));
            for (std::int64_t row = parts[i].row; row < parts[i].row + one.rows; ++row)
                store.ends[row] = static_cast<I>(store.ends[row] - gap);
        }
        if (parts[i].row > all.rows) store.move_rows(parts[i].row, all.rows, one.rows);
        all.rows += one.rows;
        all.entries += one.entries;
        all.faulty += one.faulty;
        for (const Complaint& wrong : one.first)
            if (all.first.size() < remembered) all.first.push_back(wrong);
        if (stop_at_fault && one.faulty) break;
    }
    return all;
}

}  // namespace rosenblatt::data
