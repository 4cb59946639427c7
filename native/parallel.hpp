// Work shared among threads; which thread does which part never shows in the result.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace rosenblatt {

// A moment's rest between two looks at what another thread will change.
inline void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    asm volatile("yield");
#endif
}

// work(t) on n_threads threads, t = 0 on the caller's: on fewer where no more can be started, so that parts are taken
// in turn and never dealt out by t. What one of them throws is thrown here, once all have ended.
template <class Work>
void on_threads(std::int64_t n_threads, const Work& work) {
    std::mutex mutex;
    std::exception_ptr failure;
    const auto run = [&](std::int64_t t) noexcept {
        try {
            work(t);
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        others.reserve(static_cast<std::size_t>(std::max<std::int64_t>(n_threads - 1, 0)));
        for (std::int64_t t = 1; t < n_threads; ++t) others.emplace_back(run, t);
    } catch (const std::system_error&) {  // no more threads to be had: those there are do it
    } catch (const std::bad_alloc&) {
    }
    run(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

// work() on a thread of its own, for which nobody waits and without which nothing is missing: none where none can be
// started. It must not throw.
template <class Work>
void in_background(const Work& work) {
    try {
        std::thread(work).detach();
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
}

// f(part) for 0 ≤ part < n_parts; after a part that throws none is begun.
template <class F>
void in_parallel(std::int64_t n_parts, std::int64_t n_threads, const F& f) {
    std::atomic<std::int64_t> next{0};
    on_threads(std::min(n_threads, n_parts), [&](std::int64_t) {
        try {
            for (std::int64_t part; (part = next.fetch_add(1)) < n_parts;) f(part);
        } catch (...) {
            next = n_parts;
            throw;
        }
    });
}

// std::sort: pieces are sorted, and then two and two of them merged.
template <class It, class Before>
void sort_in_parallel(It first, It last, std::int64_t n_threads, const Before& before) {
    constexpr std::int64_t worth = 1 << 14;  // things, for a thread
    const std::int64_t n = last - first, most = std::min(n_threads, n / worth);
    const auto n_pieces =
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(most, 1))));
    const auto begin = [&](std::int64_t piece) { return first + n * piece / n_pieces; };
    in_parallel(n_pieces, n_threads, [&](std::int64_t i) { std::sort(begin(i), begin(i + 1), before); });
    for (std::int64_t wide = 1; wide < n_pieces; wide *= 2)
        in_parallel(n_pieces / (2 * wide), n_threads, [&](std::int64_t i) {
            std::inplace_merge(begin(2 * i * wide), begin((2 * i + 1) * wide), begin((2 * i + 2) * wide), before);
        });
}

}  // namespace rosenblatt
