// XXH64 (Yann Collet), seed 0: the hash of names to columns.
// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

namespace xxh {

constexpr std::uint64_t k1 = 11400714785074694791u, k2 = 14029467366897019727u, k3 = 1609587929392839161u,
                        k4 = 9650029242287828579u, k5 = 2870177450012600261u;

constexpr std::uint64_t rotated(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
constexpr std::uint64_t round(std::uint64_t sum, std::uint64_t lane) { return rotated(sum + lane * k2, 31) * k1; }

// Little-endian whatever the machine; compilers make one load of it.
template <int Bytes>
inline std::uint64_t load(const unsigned char* p) {
    std::uint64_t x = 0;
    for (int i = 0; i < Bytes; ++i) x |= std::uint64_t{p[i]} << (8 * i);
    return x;
}

}  // namespace xxh

inline std::uint64_t hash64(const char* text, std::size_t size) {
    using namespace xxh;
    const unsigned char* p = reinterpret_cast<const unsigned char*>(text);
    const unsigned char* const end = p + size;
    std::uint64_t h = k5;
    if (size >= 32) {
        std::uint64_t a = k1 + k2, b = k2, c = 0, d = 0 - k1;
        for (; end - p >= 32; p += 32) {
            a = round(a, load<8>(p));
            b = round(b, load<8>(p + 8));
            c = round(c, load<8>(p + 16));
            d = round(d, load<8>(p + 24));
        }
        h = rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18);
        for (const std::uint64_t lane : {a, b, c, d}) h = (h ^ round(0, lane)) * k1 + k4;
    }
    h += size;
    for (; end - p >= 8; p += 8) h = rotated(h ^ round(0, load<8>(p)), 27) * k1 + k4;
    if (end - p >= 4) {
        h = rotated(h ^ load<4>(p) * k1, 23) * k2 + k3;
        p += 4;
    }
    for (; p < end; ++p) h = rotated(h ^ *p * k5, 11) * k1;
    h = (h ^ (h >> 33)) * k2;
    h = (h ^ (h >> 29)) * k3;
    return h ^ (h >> 32);
}

}  // namespace rosenblatt
