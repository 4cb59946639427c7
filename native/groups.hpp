// Weights of few among very many features: which of these have weights, and where.
//
// A feature may have its weights in any place of its lane, j mod 16. Features come in groups, of 16 neighbours, one for
// each lane, or each by itself, which gets the next place of its lane. Groups are numbered in the order they are met;
// group 0, the first 16 places, is that of all others, whose weights are 0.
#pragma once

#include <bit>
#include <cstdint>

#include "prefetch.hpp"
#include "rows.hpp"

namespace rosenblatt {

// Groups by what features they hold, at the hash or in the next free places after it. A view: the arrays are Python's.
struct Groups {
    Index* table;  // pairs: what the group is called, + 1 (0: free), and its first place
    Index* met;    // what each group is called, by its number
    Index* used;   // by lane, sixteens of places in use; null: groups are of 16 neighbours
    Index size;    // of the table in pairs, a power of 2
    Index count;   // of groups; at most half of the pairs are used

    Index name(Index feature) const { return used ? feature : feature / kLanes; }
    Index next_place(Index feature) {
        return used ? kLanes * used[feature % kLanes]++ + feature % kLanes : kLanes * count;
    }
    // Where a group is looked for first.
    std::uint64_t hash(Index called) const {
        return static_cast<std::uint64_t>(called) * 0x9E3779B97F4A7C15u >>
               (64 - std::countr_zero(static_cast<std::uint64_t>(size)));
    }
    void prefetch(Index feature) const { prefetch_near(table + 2 * hash(name(feature))); }
    // The pair of a group, or the free one where it belongs.
    Index* find(Index called) const {
        const auto mask = static_cast<std::uint64_t>(size) - 1;
        auto at = hash(called);
        for (std::uint64_t left = mask; left > 0; --left, at = (at + 1) & mask)
            if (table[2 * at] == 0 || table[2 * at] == called + 1) break;  // half of them are free
        return table + 2 * at;
    }
};

// out[e] = the place of feature[e] among the weights of the groups. With `add`, groups that are met for the first time
// get the next number, until half of the table is used: returns how many features were done.
template <class I>
Index place_features(const I* feature, Index n, Groups& groups, bool add, I* out) {
    constexpr Index ahead = 24;
    Index last = -1, place = 0;
    for (Index e = 0; e < n; ++e) {
        if (e + ahead < n) groups.prefetch(static_cast<Index>(feature[e + ahead]));
        const Index j = static_cast<Index>(feature[e]), called = groups.name(j);
        if (called != last) {
            Index* const pair = groups.find(called);
            if (pair[0] == 0 && add) {
                if (2 * groups.count >= groups.size) return e;
                pair[0] = called + 1;
                pair[1] = groups.next_place(j);
                groups.met[groups.count++] = called;
            }
            last = called;
            place = pair[0] == 0 ? 0 : pair[1] / kLanes * kLanes;
        }
        out[e] = static_cast<I>(place + j % kLanes);
    }
    return n;
}

}  // namespace rosenblatt
