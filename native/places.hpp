// Which of very many features have weights, and where: their places.
//
// A feature may have its weights in any place of its lane, j mod 16. Each that is met gets the next free place of its
// lane; the first 16 places are those of all others, whose weights are 0. Those that are met often are met early: their
// weights lie close together, where a cache holds them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "prefetch.hpp"
#include "rows.hpp"

namespace rosenblatt {

// The places of features by their numbers: 0 where a feature was not met. A view: the array is Python's.
struct PlacesByNumber {
    std::int32_t* place;
    Index size;

    void prefetch(Index feature) const {
        if (feature < size) prefetch_near(place + feature);
    }
    Index find(Index feature) const { return feature < size ? place[feature] : 0; }
    void put(Index feature, Index at) const { place[feature] = static_cast<std::int32_t>(at); }
    bool takes(Index feature, Index) const { return feature < size; }
};

// The same of any numbers, in pairs of a feature + 1 (0: free) and its place, at its hash or next after it.
struct PlacesByHash {
    Index* pairs;
    Index size;  // in pairs, a power of 2

    Index hash(Index feature) const {
        return static_cast<Index>(static_cast<std::uint64_t>(feature) * 0x9E3779B97F4A7C15u >>
                                  (64 - std::countr_zero(static_cast<std::uint64_t>(size))));
    }
    Index* pair(Index feature) const {
        Index at = hash(feature);
        for (Index left = size; left > 0; --left, at = (at + 1) & (size - 1))
            if (pairs[2 * at] == 0 || pairs[2 * at] == feature + 1) break;  // half of them are free
        return pairs + 2 * at;
    }
    void prefetch(Index feature) const { prefetch_near(pairs + 2 * hash(feature)); }
    Index find(Index feature) const {
        const Index* const found = pair(feature);
        return found[0] == feature + 1 ? found[1] : 0;
    }
    void put(Index feature, Index at) const {
        Index* const free = pair(feature);
        free[0] = feature + 1;
        free[1] = at;
    }
    bool takes(Index, Index count) const { return 2 * count < size; }
};

// The features that have places, in the order they were met. A view: the arrays are Python's.
struct Met {
    Index* features;
    Index room, count;
    Index* used;  // by lane, sixteens of places in use

    Index add(Index feature) {
        features[count++] = feature;
        const Index lane = feature % kLanes;
        return kLanes * used[lane]++ + lane;
    }
};

// out[e] = the place of feature[e]: several threads look them up, and then, with `add`, those that were not met get
// places in the order in which they stand, so that these do not depend on the threads. Returns how many were done: all
// unless the room for new ones came to an end.
template <class I, class Table>
Index place_features(const I* feature, Index n, const Table& table, Met& met, bool add, Index n_threads, I* out) {
    constexpr Index ahead = 32, part = 1 << 15;
    const Index n_parts = (n + part - 1) / part;
    std::vector<char> has_new(static_cast<std::size_t>(n_parts));
    in_parallel(n_parts, n_threads, [&](Index which) {
        const Index end = std::min(n, (which + 1) * part);
        bool lacks = false;
        for (Index e = which * part; e < end; ++e) {
            if (e + ahead < end) table.prefetch(static_cast<Index>(feature[e + ahead]));
            const Index j = static_cast<Index>(feature[e]), place = table.find(j);
            lacks |= place == 0;
            out[e] = static_cast<I>(place == 0 ? j % kLanes : place);
        }
        has_new[static_cast<std::size_t>(which)] = lacks;
    });
    if (!add) return n;
    for (Index which = 0; which < n_parts; ++which) {
        if (!has_new[static_cast<std::size_t>(which)]) continue;
        for (Index e = which * part; e < std::min(n, (which + 1) * part); ++e) {
            if (out[e] >= static_cast<I>(kLanes)) continue;
            const Index j = static_cast<Index>(feature[e]);
            Index place = table.find(j);  // it may have come since
            if (place == 0) {
                if (met.count == met.room || !table.takes(j, met.count)) return e;
                place = met.add(j);
                table.put(j, place);
            }
            out[e] = static_cast<I>(place);
        }
    }
    return n;
}

}  // namespace rosenblatt
