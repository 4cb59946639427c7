// The rows of arrays that are not empty, and what stands in them: of millions of hashed columns most have no weight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "parallel.hpp"

namespace rosenblatt::data {

// Rows of so many bytes each, some of which may lie between them unused.
struct ByteRows {
    const std::uint8_t* bytes;
    std::int64_t n_rows, width, stride;

    const std::uint8_t* operator[](std::int64_t row) const { return bytes + row * stride; }
    bool is_empty(std::int64_t row) const {
        const std::uint8_t* const at = (*this)[row];
        std::uint8_t set = 0;
        for (std::int64_t i = 0; i < width; ++i) set |= at[i];
        return set == 0;
    }
};

constexpr std::int64_t kRowsOfPart = 1 << 15;

template <class F>
void with_width(std::int64_t width, const F& f) {
    if (width == 1)
        f(std::uint8_t{});
    else if (width == 4)
        f(std::uint32_t{});
    else if (width == 8)
        f(std::uint64_t{});
    else
        f(nullptr);
}

// Whether each row of a part is in use, by any of the arrays.
inline void mark_in_use(const std::vector<ByteRows>& arrays, std::int64_t first, std::int64_t last, bool* used) {
    std::memset(used, 0, static_cast<std::size_t>(last - first));
    for (const ByteRows& rows : arrays)
        with_width(rows.width, [&]<class Number>(Number) {
            for (std::int64_t row = first; row < last; ++row) {
                if constexpr (std::is_integral_v<Number>) {
                    Number number;
                    std::memcpy(&number, rows[row], sizeof number);
                    used[row - first] |= number != 0;
                } else {
                    used[row - first] |= !rows.is_empty(row);
                }
            }
        });
}

// The numbers of the rows, ascending, in which any bit of any of the arrays is set, written to `out`, which has room
// for all; how many they are.
template <class I>
std::int64_t rows_in_use(const std::vector<ByteRows>& arrays, std::int64_t n_rows, I* out, std::int64_t n_threads) {
    const std::int64_t n_parts = (n_rows + kRowsOfPart - 1) / kRowsOfPart;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(n_parts) + 1);
    const auto used = std::make_unique_for_overwrite<bool[]>(static_cast<std::size_t>(n_rows));
    const auto end_of = [&](std::int64_t part) { return std::min(n_rows, (part + 1) * kRowsOfPart); };
    in_parallel(n_parts, n_threads, [&](std::int64_t part) {
        const std::int64_t first = part * kRowsOfPart, last = end_of(part);
        mark_in_use(arrays, first, last, used.get() + first);
        starts[static_cast<std::size_t>(part) + 1] = std::count(used.get() + first, used.get() + last, true);
    });
    for (std::size_t part = 0; part + 1 < starts.size(); ++part) starts[part + 1] += starts[part];
    in_parallel(n_parts, n_threads, [&](std::int64_t part) {
        I* at = out + starts[static_cast<std::size_t>(part)];
        const I* const end = out + starts[static_cast<std::size_t>(part) + 1];
        for (std::int64_t row = part * kRowsOfPart; row < end_of(part) && at < end; ++row) {
            *at = static_cast<I>(row);
            at += used[static_cast<std::size_t>(row)];
        }
    });
    return starts.back();
}

// The rows with these numbers, all of which are there, one behind the other.
template <class I>
void take_rows(const ByteRows& rows, const I* numbers, std::int64_t count, std::uint8_t* out, std::int64_t n_threads) {
    in_parallel((count + kRowsOfPart - 1) / kRowsOfPart, n_threads, [&](std::int64_t part) {
        const std::int64_t first = part * kRowsOfPart, last = std::min(count, first + kRowsOfPart);
        with_width(rows.width, [&]<class Number>(Number) {
            for (std::int64_t i = first; i < last; ++i) {
                if constexpr (std::is_integral_v<Number>)
                    std::memcpy(out + i * rows.width, rows[numbers[i]], sizeof(Number));
                else
                    std::memcpy(out + i * rows.width, rows[numbers[i]], static_cast<std::size_t>(rows.width));
            }
        });
    });
}

// Numbers of so many bytes each, `n_vectors` of them in each row.
struct NumberRows {
    ByteRows rows;
    std::int64_t item;

    bool is_set(std::int64_t row, std::int64_t c) const {
        const std::uint8_t* const at = rows[row] + c * item;
        if (item == 4) {
            std::uint32_t number;
            std::memcpy(&number, at, 4);
            return number != 0;
        }
        std::uint64_t number;
        std::memcpy(&number, at, 8);
        return number != 0;
    }
};

// Of the rows with these numbers, in their order, the vectors of which any array has a number other than 0.
struct PairsInUse {
    std::vector<NumberRows> arrays;
    std::int64_t n_vectors;
    const std::int64_t* order;
    std::int64_t n_rows;

    template <class F>
    void each(std::int64_t i, const F& f) const {
        for (std::int64_t c = 0; c < n_vectors; ++c) {
            bool used = false;
            for (const NumberRows& array : arrays) used |= array.is_set(order[i], c);
            if (used) f(c);
        }
    }
    template <class F>
    void some(std::int64_t n_threads, const F& f) const {
        constexpr std::int64_t step = 1 << 12;
        in_parallel((n_rows + step - 1) / step, n_threads, [&](std::int64_t part) {
            for (std::int64_t i = part * step; i < std::min(n_rows, (part + 1) * step); ++i) f(i);
        });
    }
    // How many each row has.
    void count(std::int64_t* counts, std::int64_t n_threads) const {
        some(n_threads, [&](std::int64_t i) {
            std::int64_t n = 0;
            each(i, [&](std::int64_t) { ++n; });
            counts[i] = n;
        });
    }
    // Which, from the start of each row on, and the numbers of each array.
    void take(const std::int64_t* starts, std::int32_t* vectors, const std::vector<std::uint8_t*>& out,
              std::int64_t n_threads) const {
        some(n_threads, [&](std::int64_t i) {
            std::int64_t at = starts[i];
            each(i, [&](std::int64_t c) {
                if (at == starts[i + 1]) return;  // someone has written to the arrays meanwhile
                vectors[at] = static_cast<std::int32_t>(c);
                for (std::size_t a = 0; a < arrays.size(); ++a) {
                    const std::int64_t item = arrays[a].item;
                    std::memcpy(out[a] + at * item, arrays[a].rows[order[i]] + c * item,
                                static_cast<std::size_t>(item));
                }
                ++at;
            });
        });
    }
};

}  // namespace rosenblatt::data
