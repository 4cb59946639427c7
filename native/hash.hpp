// MurmurHash3_x86_32 with seed 0 (Appleby 2011): the hash of names to columns.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rosenblatt::data {

inline std::uint32_t murmur3(std::string_view text) {
    const auto* p = reinterpret_cast<const unsigned char*>(text.data());
    const auto mixed = [](std::uint32_t k) { return std::rotl(k * 0xCC9E2D51u, 15) * 0x1B873593u; };
    // Little-endian whatever the machine; compilers make one load of four.
    const auto load = [](const unsigned char* at, std::size_t n) {
        std::uint32_t k = 0;
        for (std::size_t i = 0; i < n; ++i) k |= std::uint32_t{at[i]} << (8 * i);
        return k;
    };
    std::uint32_t h = 0;
    std::size_t left = text.size();
    for (; left >= 4; left -= 4, p += 4) h = std::rotl(h ^ mixed(load(p, 4)), 13) * 5 + 0xE6546B64u;
    h ^= mixed(load(p, left));
    h ^= static_cast<std::uint32_t>(text.size());
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
    return h ^ (h >> 16);
}

}  // namespace rosenblatt::data
