// MurmurHash3_x86_32 with seed 0 (Appleby 2011), the hash of names and words to columns, and how words' hashes make
// that of an n-gram; and the 64-bit hash of the features of tokens.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "clones.hpp"

namespace rosenblatt {

// Of prefixes that grow: what starts alike is hashed once.
class Murmur3 {
    const char* begin_;
    const char* at_;
    std::uint32_t h_ = 0;

    // Each step of a number, or of each number of a vector.
    template <class U>
    static U rotated(U k, int by) {
        return (k << by) | (k >> (32 - by));
    }
    template <class U>
    static U mixed(U k) {
        return rotated(k * 0xCC9E2D51u, 15) * 0x1B873593u;
    }
    template <class U>
    static U with_block(U h, U k) {
        return rotated(h ^ mixed(k), 13) * 5 + 0xE6546B64u;
    }
    template <class U>
    static U finished(U h, U rest, U size) {
        h = h ^ mixed(rest) ^ size;
        h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
        h = (h ^ (h >> 13)) * 0xC2B2AE35u;
        return h ^ (h >> 16);
    }

    static std::uint32_t little_endian(std::uint32_t k) {
        if constexpr (std::endian::native == std::endian::big)
            k = (k >> 24) | ((k >> 8) & 0xFF00u) | ((k << 8) & 0xFF0000u) | (k << 24);
        return k;
    }
    static std::uint32_t block(const char* p) {
        std::uint32_t k;
        std::memcpy(&k, p, 4);
        return little_endian(k);
    }
    void take_blocks(const char* end) {
        for (; end - at_ >= 4; at_ += 4) h_ = with_block(h_, block(at_));
    }
    std::uint32_t finished(const char* end, std::uint32_t rest) const {
        return finished(h_, rest, static_cast<std::uint32_t>(end - begin_));
    }

  public:
    explicit Murmur3(const char* begin) : begin_(begin), at_(begin) {}

    // Of [begin, end). Up to kPadding bytes beyond the end may be read, and count for nothing.
    std::uint32_t through(const char* end) {
        take_blocks(end);
        return finished(end, block(at_) & ((1u << (8 * (end - at_))) - 1));
    }

    // The same, reading nothing beyond the end.
    std::uint32_t exactly_through(const char* end) {
        take_blocks(end);
        std::uint32_t rest = 0;
        if (end != at_) std::memcpy(&rest, at_, static_cast<std::size_t>(end - at_));
        return finished(end, little_endian(rest));
    }

    // The hashes of n words that lie one byte apart: word i begins at begins[i], and the end behind the last of them is
    // at begins[n] - 1. Up to kPadding bytes beyond the last one may be read, and count for nothing.
    ROSENBLATT_CLONES static void of_words(const char* text, const std::size_t* begins, std::size_t n,
                                           std::uint32_t* hashes) {
        std::size_t i = 0;
#if defined(__GNUC__)
        if constexpr (std::endian::native == std::endian::little)
            for (; i + kLanes <= n; i += kLanes) of_lanes(text, begins + i, hashes + i);
#endif
        for (; i < n; ++i) hashes[i] = Murmur3(text + begins[i]).through(text + begins[i + 1] - 1);
    }

  private:
#if defined(__GNUC__)
    // Eight words side by side, as their lengths cannot be foretold: all are taken as far as the longest, and each
    // keeps what it was at its end. Long words are rare, and hashed by themselves.
    static constexpr std::size_t kLanes = 8, kLongest = 32;
    typedef std::uint32_t Lanes __attribute__((vector_size(4 * kLanes)));

    static void of_lanes(const char* text, const std::size_t* begins, std::uint32_t* hashes) {
        Lanes size = {}, h = {}, rest = {};
        for (std::size_t l = 0; l < kLanes; ++l) size[l] = static_cast<std::uint32_t>(begins[l + 1] - 1 - begins[l]);
        const Lanes n_blocks = size >> 2;
        std::uint32_t most = 0;
        for (std::size_t l = 0; l < kLanes; ++l) most = n_blocks[l] > most ? n_blocks[l] : most;
        if (most > kLongest / 4) {
            for (std::size_t l = 0; l < kLanes; ++l)
                hashes[l] = Murmur3(text + begins[l]).through(text + begins[l + 1] - 1);
            return;
        }
        for (std::uint32_t b = 0; b < most; ++b) {
            for (std::size_t l = 0; l < kLanes; ++l) rest[l] = block(text + begins[l] + 4 * b);
            h = b < n_blocks ? with_block(h, rest) : h;
        }
        for (std::size_t l = 0; l < kLanes; ++l) rest[l] = block(text + begins[l] + 4 * n_blocks[l]);
        rest &= ((Lanes{} + 1) << (8 * (size & 3))) - 1;
        h = finished(h, rest, size);
        std::memcpy(hashes, &h, sizeof h);
    }
#endif
};

// Bytes that must follow what is hashed by Murmur3::through and of_words.
constexpr std::size_t kPadding = 36;

inline std::uint32_t murmur3(std::string_view bytes) {
    return Murmur3(bytes.data()).exactly_through(bytes.data() + bytes.size());
}

// The hash of what a space joins: (h + 1)·M + h' of the hashes before and after it, so that each word is hashed once.
constexpr std::uint32_t kJoin = 0x9E3779B1u;
inline std::uint32_t joined(std::uint32_t before, std::uint32_t after) { return (before + 1) * kJoin + after; }

// The hash of an n-gram: its words, as spaces part them, joined from the first to the last.
inline std::uint32_t ngram_hash(std::string_view gram) {
    std::size_t space = gram.find(' ');
    std::uint32_t hash = murmur3(gram.substr(0, space));
    while (space != gram.npos) {
        gram.remove_prefix(space + 1);
        space = gram.find(' ');
        hash = joined(hash, murmur3(gram.substr(0, space)));
    }
    return hash;
}

// ---- 64 bits: features of tokens, of which there are many more than n-grams in a document's columns

// The finaliser of MurmurHash3_x64_128: every bit of h moves half of the others.
inline std::uint64_t finished64(std::uint64_t h) {
    h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCDu;
    h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53u;
    return h ^ (h >> 33);
}

// FNV-1a of bytes that come in pieces, finished.
class Fnv64 {
    std::uint64_t h_ = 0xCBF29CE484222325u;

  public:
    void add(std::string_view bytes) {
        for (const char c : bytes) h_ = (h_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    }
    std::uint64_t finished() const { return finished64(h_); }
};

inline std::uint64_t hash64(std::string_view bytes) {
    Fnv64 hash;
    hash.add(bytes);
    return hash.finished();
}

// The hash of a feature and the next string in it; neither sum nor product, so that their order counts.
inline std::uint64_t joined64(std::uint64_t before, std::uint64_t after) { return finished64(before ^ after); }

}  // namespace rosenblatt
