// Asking for memory before it is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rosenblatt {

// Fetch what is read next.
inline void prefetch_near([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#endif
}

// Fetch into the second-level cache: a first level that is asked for whole rows ahead has too few places to wait in,
// and everything queues behind them. Of a long row the start is enough; the hardware follows from there.
inline void prefetch_bytes([[maybe_unused]] const void* from, [[maybe_unused]] std::int64_t bytes) {
#if defined(__GNUC__)
    const char* const end = static_cast<const char*>(from) + std::min<std::int64_t>(bytes, 8192);
    const char* line = reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(from) & ~std::uintptr_t{63});
    for (; line < end; line += 64) __builtin_prefetch(line, 0, 2);
#endif
}

}  // namespace rosenblatt
