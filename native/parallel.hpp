// Work cut into numbered parts and shared among threads; which thread does which part never shows in the result.
#pragma once

#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace rosenblatt::data {

// f(part) for 0 ≤ part < n_parts, on n_threads threads of which the caller is one. f must not throw.
template <class F>
void in_parallel(std::int64_t n_parts, int n_threads, const F& f) {
    std::atomic<std::int64_t> next{0};
    const auto work = [&] {
        for (std::int64_t part; (part = next.fetch_add(1)) < n_parts;) f(part);
    };
    std::vector<std::thread> others;
    try {
        for (int k = 1; k < n_threads && k < n_parts; ++k) others.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads to be had: those there are do it
    }
    work();
    for (std::thread& thread : others) thread.join();
}

}  // namespace rosenblatt::data
