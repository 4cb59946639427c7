// Inner products of two blocks of rows that are mostly zeros: a kernel matrix without the work on what is zero.
//
// The second block is taken 64 rows at a time and turned so that those 64 numbers of one feature lie side by side; a
// row of the first then adds one such line for each of its numbers. Sums run over the features in order, so that
// neither threads nor what else is in a block changes a bit.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "learn.hpp"
#include "parallel.hpp"

namespace rosenblatt {

constexpr Index kPanel = 64;

// The numbers of dense rows that are not zero, where `start` already says how many there are in each row.
template <class T>
ROSENBLATT_CLONES void compress(const DenseRows<T>& rows, const Index* start, std::int32_t* feature, T* x) {
    for (Index i = 0; i < rows.n_rows; ++i) {
        const T* row = rows.data + i * rows.n_features;
        Index at = start[i];
        const Index end = start[i + 1];
        for (Index j = 0; j < rows.n_features && at < end; ++j) {
            feature[at] = static_cast<std::int32_t>(j);  // overwritten where it was a zero
            x[at] = row[j];
            at += row[j] != 0;
        }
    }
}

// out[i, first … first + 63] of one panel of b's rows. `place` is the line of each feature, and all −1 again at the
// end.
template <class T, class I>
ROSENBLATT_CLONES void panel_product(const CsrRows<T, I>& a, const CsrRows<T, I>& b, Index first, std::int32_t* place,
                                     std::vector<T>& lines, T* out) {
    constexpr int kWide = 64 / sizeof(T);
    constexpr int kPacks = kPanel / kWide;
    const Index count = std::min(kPanel, b.n_rows - first);
    lines.clear();
    std::int32_t next = 0;
    for (Index r = 0; r < count; ++r)
        for (Index e = b.start[first + r]; e < b.start[first + r + 1]; ++e) {
            std::int32_t& at = place[b.feature[e]];
            if (at < 0) {
                at = next++;
                lines.resize(static_cast<std::size_t>(next) * kPanel);
            }
            lines[static_cast<std::size_t>(at * kPanel + r)] = b.x[e];
        }
    for (Index i = 0; i < a.n_rows; ++i) {
        Pack<T, kWide> sum[kPacks];
        for (Index e = a.start[i]; e < a.start[i + 1]; ++e) {
            const std::int32_t at = place[a.feature[e]];
            if (at < 0) continue;
            const T* line = lines.data() + at * kPanel;
            for (int p = 0; p < kPacks; ++p) sum[p].add_product(a.x[e], line + p * kWide);
        }
        T* to = out + i * b.n_rows + first;
        for (Index r = 0; r < count; ++r) to[r] = sum[r / kWide][static_cast<int>(r % kWide)];
    }
    for (Index e = b.start[first]; e < b.start[first + count]; ++e) place[b.feature[e]] = -1;
}

// out = a·bᵀ, (rows of a) × (rows of b).
template <class T, class I>
void product(const CsrRows<T, I>& a, const CsrRows<T, I>& b, int n_threads, T* out) {
    const Index n_panels = (b.n_rows + kPanel - 1) / kPanel;
    std::atomic<Index> next{0};
    on_threads(std::min<Index>(n_threads, n_panels), [&](Index) {
        std::vector<std::int32_t> place(static_cast<std::size_t>(a.n_features), -1);
        std::vector<T> lines;
        for (Index p; (p = next++) < n_panels;) panel_product(a, b, p * kPanel, place.data(), lines, out);
    });
}

}  // namespace rosenblatt
