// MurmurHash3 of n-grams, and a table of n-grams that is found by it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rosenblatt {

// MurmurHash3_x86_32 with seed 0 (Appleby 2011), of prefixes that grow: what starts alike is hashed once.
class Murmur3 {
    const char* begin_;
    const char* at_;
    std::uint32_t h_ = 0;

    static std::uint32_t mixed(std::uint32_t k) { return std::rotl(k * 0xCC9E2D51u, 15) * 0x1B873593u; }

    static std::uint32_t block(const char* p) {
        std::uint32_t k;
        std::memcpy(&k, p, 4);
        if constexpr (std::endian::native == std::endian::big)
            k = (k >> 24) | ((k >> 8) & 0xFF00u) | ((k << 8) & 0xFF0000u) | (k << 24);
        return k;
    }

  public:
    explicit Murmur3(const char* begin) : begin_(begin), at_(begin) {}

    // Of [begin, end). Up to kPadding bytes beyond the end may be read, and count for nothing.
    std::uint32_t through(const char* end) {
        for (; end - at_ >= 4; at_ += 4) h_ = std::rotl(h_ ^ mixed(block(at_)), 13) * 5 + 0xE6546B64u;
        std::uint32_t h = h_ ^ mixed(block(at_) & ((1u << (8 * (end - at_))) - 1));
        h ^= static_cast<std::uint32_t>(end - begin_);
        h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
        h = (h ^ (h >> 13)) * 0xC2B2AE35u;
        return h ^ (h >> 16);
    }
};

// Bytes that must follow what Murmur3 reads.
constexpr std::size_t kPadding = 4;

inline std::uint32_t murmur3(std::string_view bytes) {
    std::string padded(bytes);
    padded.append(kPadding, '\0');
    return Murmur3(padded.data()).through(padded.data() + bytes.size());
}

// N-grams by number: their bytes one after the other, where each starts, and slots (hash << 32 | number + 1) to find
// them by, at the hash or in the next free places after it. A view: the arrays are Python's.
struct Lexicon {
    const char* bytes = nullptr;
    const std::int64_t* starts = nullptr;  // one more than there are n-grams
    const std::uint64_t* slots = nullptr;
    std::uint64_t mask = 0;  // slots - 1: a power of two less one
    std::int64_t size = 0;

    std::string_view operator[](std::int64_t i) const {
        return {bytes + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
    }

    // The number of an n-gram, -1 where it is not there.
    std::int64_t find(std::string_view gram, std::uint32_t hash) const {
        if (size == 0) return -1;
        for (std::uint64_t place = hash & mask;; place = (place + 1) & mask) {
            const std::uint64_t slot = slots[place];
            if (slot == 0) return -1;
            if (slot >> 32 != hash) continue;
            const auto i = static_cast<std::int64_t>(slot & 0xFFFFFFFFu) - 1;
            if ((*this)[i] == gram) return i;
        }
    }
};

inline std::uint64_t slots_for(std::size_t size) { return std::bit_ceil(2 * static_cast<std::uint64_t>(size) + 1); }

// Fill slots, all zero, so that every n-gram is found.
inline void fill_slots(const Lexicon& grams, std::uint64_t* slots) {
    for (std::int64_t i = 0; i < grams.size; ++i) {
        const std::uint64_t hash = murmur3(grams[i]);
        std::uint64_t place = hash & grams.mask;
        while (slots[place] != 0) place = (place + 1) & grams.mask;
        slots[place] = hash << 32 | static_cast<std::uint64_t>(i + 1);
    }
}

}  // namespace rosenblatt
