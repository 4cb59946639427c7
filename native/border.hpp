// The border: every index that comes from Python is checked against the sizes it came with, before it is used.
//
// Rows are checked when a rows object is made (objects.hpp): starts rise and fit, columns are below the number of
// features, in the same reading that says whether they are in canonical form. Models and tallies are checked likewise.
// An order, codes of classes and a place to begin are checked in each call. No file and no subclass gets around this.
//
// The arrays remain Python's. The objects keep references, so that memory stays; but whoever writes to the indices of a
// matrix from elsewhere (another thread, a callback) while it is learned from does so at their own risk, as in NumPy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "clones.hpp"

namespace rosenblatt {

using Index = std::int64_t;

// Where rows begin, and the last one ends: rising, to at most `room`.
template <class I>
void check_starts(const I* start, Index n_rows, Index room) {
    bool rises = n_rows >= 0 && start[0] >= 0;
    for (Index i = 0; i < n_rows && rises; ++i) rises = start[i] <= start[i + 1];
    if (!rises || static_cast<Index>(start[n_rows]) > room)
        throw std::invalid_argument("where rows begin must rise, to at most the number of entries");
}

template <class I>
ROSENBLATT_CLONES std::make_unsigned_t<I> largest_of(const I* x, Index n) {
    std::make_unsigned_t<I> found = 0;  // what is negative is larger than all else
    for (Index i = 0; i < n; ++i) found = std::max(found, static_cast<std::make_unsigned_t<I>>(x[i]));
    return found;
}

// 0 ≤ x < limit for all n numbers.
template <class I>
void check_below(const I* x, Index n, Index limit, const char* what) {
    using U = std::make_unsigned_t<I>;
    const auto possible = static_cast<U>(std::numeric_limits<I>::max());
    const U found = largest_of(x, n);
    if (n > 0 && (found > possible || static_cast<Index>(found) >= limit))
        throw std::invalid_argument(std::string(what) + " must lie between 0 and " + std::to_string(limit) + " − 1");
}

// The examples of learn.hpp: what is visited are rows of the data,
template <class Examples>
void check_order(const Examples& examples, Index n_rows) {
    if (examples.first < 0 || examples.first > examples.count)
        throw std::invalid_argument("where to begin must lie within the order");
    if (examples.order) check_below(examples.order, examples.count, n_rows, "the numbers of rows to visit");
}

template <class Code>
ROSENBLATT_CLONES bool codes_are_below(const Code* code, const std::int32_t* order, Index first, Index count,
                                       Index limit) {
    bool below = true;
    for (Index i = first; i < count; ++i) {
        const auto c = static_cast<Index>(code[order ? order[i] : i]);
        below = below && c >= 0 && c < limit;
    }
    return below;
}

// and once that is known, rows of one of so many classes.
template <class Examples>
void check_codes(const Examples& examples, Index n_classes) {
    const auto below = [&](const auto* code) {
        return codes_are_below(code, examples.order, examples.first, examples.count, n_classes);
    };
    if (!(examples.target.large ? below(examples.target.large) : below(examples.target.small)))
        throw std::invalid_argument("codes of classes must lie between 0 and their number − 1");
}

}  // namespace rosenblatt
