// A table of n-grams that is found by their hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hash.hpp"

namespace rosenblatt {

// N-grams by number: their bytes one after the other, where each starts, and slots (hash << 32 | number + 1) to find
// them by, at the hash or in the next free places after it. A view: the arrays are Python's.
struct Lexicon {
    const char* bytes = nullptr;
    const std::int64_t* starts = nullptr;  // one more than there are n-grams
    const std::uint64_t* slots = nullptr;
    std::uint64_t mask = 0;  // slots - 1: a power of two less one
    std::int64_t size = 0, n_bytes = 0;

    std::string_view operator[](std::int64_t i) const {
        return {bytes + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
    }

    // The number of an n-gram, -1 where it is not there. The slots are trusted no further than their own number: one
    // that points beyond the n-grams ends the search, and so does a round without a free place.
    std::int64_t find(std::string_view gram, std::uint32_t hash) const {
        if (size == 0) return -1;
        std::uint64_t place = hash & mask;
        for (std::uint64_t left = mask + 1; left > 0; --left, place = (place + 1) & mask) {
            const std::uint64_t slot = slots[place];
            if (slot == 0) return -1;
            if (slot >> 32 != hash) continue;
            const auto i = static_cast<std::int64_t>(slot & 0xFFFFFFFFu) - 1;
            if (i < 0 || i >= size) return -1;
            const std::int64_t first = starts[i], last = starts[i + 1];
            if (first < 0 || last < first || last > n_bytes) return -1;
            if ((*this)[i] == gram) return i;
        }
        return -1;
    }
};

inline std::uint64_t slots_for(std::size_t size) { return std::bit_ceil(2 * static_cast<std::uint64_t>(size) + 1); }

// Fill slots, all zero, so that every n-gram is found. False: they fall together as different n-grams never do, so that
// finding them would take for ever (a file may hold anything, the same n-gram a million times too).
inline bool fill_slots(const Lexicon& grams, std::uint64_t* slots) {
    std::int64_t passed = 0;
    const std::int64_t most = 1024 + 32 * grams.size;  // a table at most half full passes 0.5 slots per n-gram
    for (std::int64_t i = 0; i < grams.size; ++i) {
        const std::uint64_t hash = ngram_hash(grams[i]);
        std::uint64_t place = hash & grams.mask;
        for (; slots[place] != 0; place = (place + 1) & grams.mask) {
            if (++passed > most) return false;
        }
        slots[place] = hash << 32 | static_cast<std::uint64_t>(i + 1);
    }
    return true;
}

}  // namespace rosenblatt
