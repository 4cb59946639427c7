// The rows of delimited text: where each begins and on which line; and their values as text. Other values are read
// elsewhere (by Arrow).
//
// A quote opens a quoted value only at the start of a field; inside it line ends and delimiters are text, and a quote
// is written twice. Lines end in \n, \r\n or \r; empty ones are no rows. This is how Arrow reads them.
#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "lines.hpp"
#include "unicode.hpp"

namespace rosenblatt::data {

struct CsvRows {
    std::int64_t rows = 0;       // found, all of them ended
    std::int64_t consumed = 0;   // bytes of them
    std::int64_t lines = 0;      // line ends in those bytes
    std::int64_t longest = 0;    // bytes of a row
    bool open = false;           // the text ends inside a quoted value of the last row
    bool several_lines = false;  // a quoted value holds line ends
};

// Up to max_rows rows of text[0, n), and none that begins at enough_bytes or later: `begins` gets their bytes,
// `at_line` the lines (from 0). `last`: no more text follows, so that a row may end without a line end. quote 0: none;
// delimiter 0 too: every line that is not blank is a row.
inline CsvRows csv_rows(const char* text, std::int64_t n, char delimiter, char quote, bool last, std::int64_t max_rows,
                        std::int64_t enough_bytes, std::int64_t* begins, std::int64_t* at_line) {
    CsvRows found;
    const char* const end = text + n;
    const char* const enough = text + std::clamp<std::int64_t>(enough_bytes, 0, n);
    const char* p = text;
    std::int64_t line = 0;
    if (!quote && !delimiter) {
        while (p < enough && found.rows < max_rows) {
            const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
            if (!newline && !last) break;
            const char* const stop = newline ? static_cast<const char*>(newline) : end;
            if (std::find_if_not(p, stop, is_blank) < stop) {
                begins[found.rows] = p - text;
                at_line[found.rows++] = found.lines;
            }
            found.longest = std::max<std::int64_t>(found.longest, stop - p);
            p = stop + (newline != nullptr);
            found.lines += newline != nullptr;
            found.consumed = p - text;
        }
        return found;
    }
    while (p < enough && found.rows < max_rows) {
        const char* const begin = p;
        const std::int64_t first_line = line;
        bool ended = false, fresh = true, several_lines = false;  // fresh: at the start of a field
        while (p < end && !ended) {
            const char c = *p;
            if (fresh && quote && c == quote) {
                bool closed = false;
                for (++p; p < end;) {
                    const void* close = std::memchr(p, quote, static_cast<std::size_t>(end - p));
                    const char* const stop = close ? static_cast<const char*>(close) : end;
                    const std::int64_t ends = count_line_ends(p, stop);
                    line += ends;
                    several_lines |= ends || std::memchr(p, '\r', static_cast<std::size_t>(stop - p));
                    p = stop;
                    if (p == end) break;
                    ++p;
                    closed = p == end || *p != quote;
                    if (closed) break;
                    ++p;  // a quote written twice
                }
                found.open = !closed && last;
                if (p == end && !last) return found;
                fresh = false;
            } else if (c == '\n' || c == '\r') {
                ++p;
                if (c == '\r') {
                    if (p == end && !last) return found;  // \n may follow
                    if (p < end && *p == '\n') ++p;
                }
                ++line;
                ended = true;
            } else {
                fresh = c == delimiter;
                ++p;
            }
        }
        if (!ended && !last) return found;
        const bool empty = *begin == '\n' || *begin == '\r';
        if (!empty) {
            begins[found.rows] = begin - text;
            at_line[found.rows++] = first_line;
        }
        found.consumed = p - text;
        found.lines = line;
        found.longest = std::max<std::int64_t>(found.longest, p - begin);
        found.several_lines |= several_lines;
    }
    return found;
}

// A value between its quotes, if it has any; `doubled`: quotes in it are written twice.
struct CsvValue {
    const char* begin;
    std::int64_t size;
    bool doubled;
};

// The values of the columns `wanted`, column after column, of the rows that begin at `begins`; false where a row has
// more or fewer than n_columns, or text behind a closing quote: then somebody else must look at it.
inline bool csv_values(const char* text, std::int64_t n, const std::int64_t* begins, std::int64_t n_rows,
                       char delimiter, char quote, std::int64_t n_columns, const std::vector<std::int64_t>& wanted,
                       std::vector<CsvValue>& out) {
    std::vector<std::int64_t> place(static_cast<std::size_t>(n_columns), -1);  // among those wanted
    for (std::size_t k = 0; k < wanted.size(); ++k) place[static_cast<std::size_t>(wanted[k])] = static_cast<int>(k);
    out.resize(wanted.size() * static_cast<std::size_t>(n_rows));
    for (std::int64_t row = 0; row < n_rows; ++row) {
        const char* p = text + begins[row];
        const char* end = row + 1 < n_rows ? text + begins[row + 1] : text + n;
        while (end > p && (end[-1] == '\n' || end[-1] == '\r')) --end;  // its own line end, and empty lines behind it
        for (std::int64_t column = 0;; ++column) {
            if (column == n_columns) return false;
            CsvValue value{p, 0, false};
            if (quote && p < end && *p == quote) {
                value.begin = ++p;
                for (;; p += 2, value.doubled = true) {
                    p = static_cast<const char*>(std::memchr(p, quote, static_cast<std::size_t>(end - p)));
                    if (!p) return false;
                    if (p + 1 == end || p[1] != quote) break;
                }
                value.size = p - value.begin;
                ++p;
            } else {
                const void* stop = std::memchr(p, delimiter, static_cast<std::size_t>(end - p));
                p = stop ? static_cast<const char*>(stop) : end;
                value.size = p - value.begin;
            }
            if (const std::int64_t k = place[static_cast<std::size_t>(column)]; k >= 0)
                out[static_cast<std::size_t>(k * n_rows + row)] = value;
            if (p == end) {
                if (column + 1 != n_columns) return false;
                break;
            }
            if (*p++ != delimiter) return false;
        }
    }
    return true;
}

// Write the text of a value, quotes once; its end, or null where it is no UTF-8.
inline char* copy_value(const CsvValue& value, char quote, char* to) {
    const char* from = value.begin;
    const char* const end = from + value.size;
    char* const begin = to;
    while (value.doubled && from < end) {
        const void* found = std::memchr(from, quote, static_cast<std::size_t>(end - from));
        const char* const stop = found ? static_cast<const char*>(found) + 1 : end;
        to = std::copy(from, stop, to);
        from = found ? stop + 1 : end;
    }
    to = std::copy(from, end, to);
    for (const char* p = begin; p < to;) {
        std::uint64_t eight = 0;
        if (to - p >= 8) std::memcpy(&eight, p, 8);
        if (to - p >= 8 && (eight & 0x8080808080808080u) == 0) {
            p += 8;
            continue;
        }
        const auto found =
            unicode::decode(reinterpret_cast<const unicode::Byte*>(p), reinterpret_cast<const unicode::Byte*>(to));
        if (!found.valid) return nullptr;
        p += found.length;
    }
    return to;
}

// The values of a column one behind the other, and where each begins; false where one is no UTF-8.
inline bool copy_column(const CsvValue* values, std::int64_t n_rows, char quote, std::int32_t* starts, char* to) {
    char* const begin = to;
    for (std::int64_t row = 0; row < n_rows && to; ++row) {
        starts[row] = static_cast<std::int32_t>(to - begin);
        to = copy_value(values[row], quote, to);
    }
    if (to) starts[n_rows] = static_cast<std::int32_t>(to - begin);
    return to != nullptr;
}

// The number of each value of a column among its different ones, which `words` gets as they come.
inline void number_words(const char* text, const std::int32_t* starts, std::int64_t n_rows, std::int32_t* codes,
                         std::vector<std::string_view>& words) {
    std::unordered_map<std::string_view, std::int32_t> numbers;
    for (std::int64_t row = 0; row < n_rows; ++row) {
        const std::string_view word(text + starts[row], static_cast<std::size_t>(starts[row + 1] - starts[row]));
        const auto [found, fresh] = numbers.try_emplace(word, static_cast<std::int32_t>(words.size()));
        if (fresh) words.push_back(word);
        codes[row] = found->second;
    }
}

}  // namespace rosenblatt::data
