// Memory in large pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rosenblatt {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

// Large pages for large memory, as NumPy asks for: small ones take longer to touch first, and to find ever after.
inline void ask_for_large_pages([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t first = (at + kLargePage - 1) / kLargePage * kLargePage;
    const std::uintptr_t last = (at + bytes) / kLargePage * kLargePage;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

// n numbers whose content is undefined, from a cache line on, and where they are many, from a large page on.
struct FreeAligned {
    std::align_val_t alignment{};
    void operator()(void* p) const { ::operator delete(p, alignment); }
};
template <class T>
using Aligned = std::unique_ptr<T[], FreeAligned>;

template <class T>
Aligned<T> aligned(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    const std::align_val_t alignment{bytes < kLargePage ? 64 : kLargePage};
    Aligned<T> made(static_cast<T*>(::operator new(bytes, alignment)), FreeAligned{alignment});
    ask_for_large_pages(made.get(), bytes);
    return made;
}

}  // namespace rosenblatt
