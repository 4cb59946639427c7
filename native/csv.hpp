// The rows of delimited text: where each begins and on which line. Values are read elsewhere (by Arrow).
//
// A quote opens a quoted value only at the start of a field; inside it line ends and delimiters are text, and a quote
// is written twice. Lines end in \n, \r\n or \r; empty ones are no rows. This is how Arrow reads them.
#pragma once

#include <cstdint>
#include <cstring>

#include "lines.hpp"

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

}  // namespace rosenblatt::data
