// Rows that are equal, byte by byte: each is named by the first that is.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rows.hpp"

namespace rosenblatt {

// The entries of all rows in one column: so many bytes each.
struct Column {
    const char* data;
    std::size_t item;
};

// which[i] = the number of the content of row i, whose entries are start[i] .. start[i + 1] - 1 of every column, and
// first[number] = the first row that has it. Returns how many contents there are.
inline Index share_rows(const Index* start, Index n_rows, const std::vector<Column>& columns, std::int32_t* which,
                        Index* first) {
    const auto bytes = [&](const Column& c, Index i) {
        return static_cast<std::size_t>(start[i + 1] - start[i]) * c.item;
    };
    const auto at = [&](const Column& c, Index i) { return c.data + static_cast<std::size_t>(start[i]) * c.item; };
    const auto hash = [&](Index i) {
        std::uint64_t h = static_cast<std::uint64_t>(start[i + 1] - start[i]);
        for (const Column& c : columns) {
            const char* from = at(c, i);
            for (std::size_t left = bytes(c, i); left > 0;) {
                std::uint64_t word = 0;
                const std::size_t part = std::min<std::size_t>(left, sizeof word);
                std::memcpy(&word, from, part);
                h = (h ^ word) * 0x9E3779B97F4A7C15u;
                h ^= h >> 32;
                from += part;
                left -= part;
            }
        }
        return h;
    };
    const auto are_equal = [&](Index i, Index j) {
        if (start[i + 1] - start[i] != start[j + 1] - start[j]) return false;
        for (const Column& c : columns)
            if (std::memcmp(at(c, i), at(c, j), bytes(c, i)) != 0) return false;
        return true;
    };
    const std::size_t mask = std::bit_ceil(2 * static_cast<std::size_t>(n_rows) + 1) - 1;
    std::vector<std::int32_t> table(mask + 1, -1);
    Index count = 0;
    for (Index i = 0; i < n_rows; ++i) {
        std::size_t slot = hash(i) & mask;
        while (table[slot] >= 0 && !are_equal(i, first[table[slot]])) slot = (slot + 1) & mask;
        if (table[slot] < 0) {
            table[slot] = static_cast<std::int32_t>(count);
            first[count++] = i;
        }
        which[i] = table[slot];
    }
    return count;
}

}  // namespace rosenblatt
