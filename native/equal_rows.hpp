// Two rows that are equal and have different labels: whatever is learned, one of them is answered wrongly.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "rows.hpp"

namespace rosenblatt {

// The numbers of a row that are not 0, so that stored zeros and −0 do not count.
template <class Row, class F>
void each_number(const Row& x, F f) {
    x.each_nonzero([&](Index j, typename Row::value_type value) {
        if (value != 0) f(j, value);
    });
}

template <class Row>
std::uint64_t hash_of_row(const Row& x) {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    each_number(x, [&](Index j, typename Row::value_type value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        hash = (hash ^ static_cast<std::uint64_t>(j)) * 0xff51afd7ed558ccd;
        hash = (hash ^ (hash >> 32) ^ bits) * 0xc4ceb9fe1a85ec53;
        hash ^= hash >> 29;
    });
    return hash;
}

template <class Row>
bool are_equal(const Row& a, const Row& b) {
    std::vector<std::pair<Index, typename Row::value_type>> numbers;
    each_number(a, [&](Index j, auto value) { numbers.emplace_back(j, value); });
    std::size_t seen = 0;
    bool same = true;
    each_number(b, [&](Index j, auto value) {
        same = same && seen < numbers.size() && numbers[seen] == std::pair{j, value};
        ++seen;
    });
    return same && seen == numbers.size();
}

// Of the rows in `order` (null: all), the first that equals an earlier one of another label, and that one; {−1, −1}:
// there is none. Rows are compared number by number where their hashes are the same.
template <class Rows, class Targets>
std::pair<Index, Index> equal_rows(const Rows& rows, const Targets& target, const std::int32_t* order, Index count) {
    std::vector<std::pair<std::uint64_t, Index>> hashes;  // and the place in the order
    hashes.reserve(static_cast<std::size_t>(count));
    const auto row = [&](Index place) { return order ? static_cast<Index>(order[place]) : place; };
    for (Index place = 0; place < count; ++place) hashes.emplace_back(hash_of_row(rows[row(place)]), place);
    std::sort(hashes.begin(), hashes.end());
    std::pair<Index, Index> found{-1, -1};
    std::vector<Index> different;  // the first of each kind among rows of one hash
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (i == 0 || hashes[i].first != hashes[i - 1].first) different.clear();
        const Index now = hashes[i].second;
        const auto first = std::find_if(different.begin(), different.end(),
                                        [&](Index other) { return are_equal(rows[row(other)], rows[row(now)]); });
        if (first == different.end())
            different.push_back(now);
        else if (target[row(*first)] != target[row(now)] && (found.second < 0 || now < found.second))
            found = {*first, now};
    }
    return found.second < 0 ? found : std::pair{row(found.first), row(found.second)};
}

}  // namespace rosenblatt
