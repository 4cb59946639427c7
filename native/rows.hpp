// Rows of the data: dense and CSR views with dot, add, norm2 and prefetch.
//
// Every sum over features runs in 16 lanes, feature j in lane j mod 16, and the lanes are added in a halving
// tree. A zero adds nothing to any lane, so a dense row and its sparse form give the same bits; so does every
// vector width, because the lanes never mix before the tree (floating-point contraction is off).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "prefetch.hpp"

namespace rosenblatt {

using Index = std::int64_t;
constexpr Index kLanes = 16;

// N numbers added and multiplied side by side: a vector register where the compiler has vector types.
template <class T, int N>
struct Pack {
#if defined(__GNUC__)
    typedef T V __attribute__((vector_size(N * sizeof(T))));
    V v = V{};
    void add_product(T a, const T* w) {
        V b;
        __builtin_memcpy(&b, w, sizeof b);
        v += a * b;
    }
    void add(const Pack& other) { v += other.v; }
    void raise(const Pack& other) { v = other.v > v ? other.v : v; }
    static Pack all(T a) {
        Pack made;
        made.v = a - V{};
        return made;
    }
    static Pack at(const T* w) {
        Pack made;
        __builtin_memcpy(&made.v, w, sizeof made.v);
        return made;
    }
    void store(T* out) const { __builtin_memcpy(out, &v, sizeof v); }
    T operator[](int i) const { return v[i]; }
#else
    T v[N] = {};
    void add_product(T a, const T* w) {
        for (int i = 0; i < N; ++i) v[i] += a * w[i];
    }
    void add(const Pack& other) {
        for (int i = 0; i < N; ++i) v[i] += other.v[i];
    }
    void raise(const Pack& other) {  // the larger ones
        for (int i = 0; i < N; ++i) v[i] = other.v[i] > v[i] ? other.v[i] : v[i];
    }
    static Pack all(T a) {
        Pack made;
        for (int i = 0; i < N; ++i) made.v[i] = a;
        return made;
    }
    static Pack at(const T* w) {
        Pack made;
        std::memcpy(made.v, w, sizeof made.v);
        return made;
    }
    void store(T* out) const { std::memcpy(out, v, sizeof v); }
    T operator[](int i) const { return v[i]; }
#endif
};

// sums += a·w, k numbers.
template <class T>
void add_product(T a, const T* w, Index k, T* sums) {
    const auto add = [&]<int N>(std::integral_constant<int, N>, Index from) {
        Pack<T, N> all;
        std::memcpy(&all.v, sums + from, sizeof all.v);
        all.add_product(a, w + from);
        std::memcpy(sums + from, &all.v, sizeof all.v);
    };
    Index c = 0;
    for (; c + 8 <= k; c += 8) add(std::integral_constant<int, 8>{}, c);
    for (; c + 4 <= k; c += 4) add(std::integral_constant<int, 4>{}, c);
    for (; c < k; ++c) sums[c] += a * w[c];
}

// The 16 partial sums of one number: of one score, or of one squared norm.
template <class T>
struct Lanes {
    T at[kLanes] = {};
    T sum() {
        for (int l = 0; l < 8; ++l) at[l] += at[l + 8];  // spelled out: the compiler keeps it in registers
        for (int l = 0; l < 4; ++l) at[l] += at[l + 4];
        for (int l = 0; l < 2; ++l) at[l] += at[l + 2];
        return at[0] + at[1];
    }
};

// The 16 partial sums of N scores, one per class.
template <class T, int N>
struct ClassLanes {
    Pack<T, N> at[kLanes];
    void store_sum(T* out) {
        for (int l = 0; l < 8; ++l) at[l].add(at[l + 8]);
        for (int l = 0; l < 4; ++l) at[l].add(at[l + 4]);
        for (int l = 0; l < 2; ++l) at[l].add(at[l + 2]);
        at[0].add(at[1]);
        for (int i = 0; i < N; ++i) out[i] = at[0][i];
    }
};

// Whether four numbers are all +0, which add nothing to any sum.
template <class T>
bool four_zeros(const T* x) {
    std::uint64_t bits[4 * sizeof(T) / 8], any = 0;
    std::memcpy(bits, x, sizeof bits);
    for (const std::uint64_t part : bits) any |= part;
    return any == 0;
}

// Room for n numbers, on the stack while they are few.
template <class T>
struct Room {
    explicit Room(std::size_t n) : many(n > few.size() ? n : 0), data(many.empty() ? few.data() : many.data()) {}
    Room(const Room&) = delete;
    T& operator[](std::size_t i) { return data[i]; }

    std::array<T, 128> few;
    std::vector<T> many;
    T* data;
};

// Reorder the entries of a row so that its features ascend in each lane, which is all that a sum needs: by counting and
// short insertions.
template <class T>
void sort_lanes(std::int32_t* feature, T* x, std::size_t size) {
    std::size_t begin[kLanes + 1] = {}, end[kLanes];
    const auto lane = [](std::int32_t j) { return static_cast<std::size_t>(j & (kLanes - 1)); };
    for (std::size_t e = 0; e < size; ++e) ++begin[lane(feature[e]) + 1];
    for (std::size_t l = 0; l < kLanes; ++l) begin[l + 1] += begin[l];
    std::copy(begin, begin + kLanes, end);
    Room<std::int32_t> sorted(size);
    Room<T> moved(size);
    for (std::size_t e = 0; e < size; ++e) {
        const std::size_t l = lane(feature[e]);
        std::size_t to = end[l]++;
        for (; to > begin[l] && sorted[to - 1] > feature[e]; --to) {
            sorted[to] = sorted[to - 1];
            moved[to] = moved[to - 1];
        }
        sorted[to] = feature[e];
        moved[to] = x[e];
    }
    std::copy_n(sorted.data, size, feature);
    std::copy_n(moved.data, size, x);
}

// Some entries before f(j, x_j) is called, a sparse row calls ask(j), to prefetch what f will read. That pays for
// weights of more bytes than a second-level cache holds with all else.
constexpr Index kAskedAhead = 64, kNear = 1 << 19;
struct NoAsk {
    void operator()(Index) const {}
};

template <class T>
struct DenseRow {
    using value_type = T;
    const T* x;
    Index n_features;

    T dot(const T* w) const {
        Lanes<T> lanes;
        Index j = 0;
        for (; j + kLanes <= n_features; j += kLanes)
            for (Index l = 0; l < kLanes; ++l) lanes.at[l] += x[j + l] * w[j + l];
        for (Index l = 0; j < n_features; ++j, ++l) lanes.at[l] += x[j] * w[j];
        return lanes.sum();
    }
    T norm2() const { return dot(x); }

    // Scores of N classes at once; the weights of feature j start at w + j * stride.
    template <int N>
    void dots(const T* w, Index stride, T* out) const {
        ClassLanes<T, N> lanes;
        Index j = 0;
        for (; j + kLanes <= n_features; j += kLanes)
            for (Index four = 0; four < kLanes; four += 4) {
                if (four_zeros(x + j + four)) continue;
                for (Index l = four; l < four + 4; ++l) lanes.at[l].add_product(x[j + l], w + (j + l) * stride);
            }
        for (Index l = 0; j < n_features; ++j, ++l) lanes.at[l].add_product(x[j], w + j * stride);
        lanes.store_sum(out);
    }
    // f(j, x_j) for every stored entry.
    template <class F, class Ask = NoAsk>
    void each(F f, Ask = {}) const {
        for (Index j = 0; j < n_features; ++j) f(j, x[j]);
    }
    // The same, zeros passed over where that is cheap.
    template <class F>
    void each_nonzero(F f) const {
        Index j = 0;
        for (; j + 4 <= n_features; j += 4) {
            if (four_zeros(x + j)) continue;
            for (Index l = j; l < j + 4; ++l) f(l, x[l]);
        }
        for (; j < n_features; ++j) f(j, x[j]);
    }
    void prefetch() const { prefetch_bytes(x, n_features * static_cast<Index>(sizeof(T))); }
};

template <class T>
struct DenseRows {
    using value_type = T;
    const T* data;
    Index n_rows, n_features;

    DenseRow<T> operator[](Index i) const { return {data + i * n_features, n_features}; }
    void prefetch_start(Index) const {}
};

template <class T, class I>
struct CsrRow {
    using value_type = T;
    const I* feature;  // ascending in each lane
    const T* x;
    Index n_entries, n_features;

    // `read_after`: other numbers of the features, read once this is known and asked for meanwhile; or null.
    T dot(const T* w, const double* read_after = nullptr) const {
        Lanes<T> lanes;
        const auto add = [&](Index j, T value) { lanes.at[j & (kLanes - 1)] += value * w[j]; };
        if (is_near(1))
            each(add);
        else if (!read_after)
            each(add, [w](Index j) { prefetch_near(w + j); });
        else
            each(add, [w, read_after](Index j) { prefetch_near(w + j), prefetch_near(read_after + j); });
        return lanes.sum();
    }
    // Whether so many numbers of each feature are near at hand, once they were read.
    bool is_near(Index stride) const { return n_features * stride * static_cast<Index>(sizeof(T)) <= kNear; }
    T norm2() const {
        Lanes<T> lanes;
        for (Index e = 0; e < n_entries; ++e) lanes.at[feature[e] & (kLanes - 1)] += x[e] * x[e];
        return lanes.sum();
    }
    template <int N>
    void dots(const T* w, Index stride, T* out) const {
        ClassLanes<T, N> lanes;
        const auto add = [&](Index j, T value) { lanes.at[j & (kLanes - 1)].add_product(value, w + j * stride); };
        const auto ask = [&](Index j) {
            prefetch_near(w + j * stride);
            prefetch_near(w + j * stride + N - 1);
        };
        if (is_near(stride))
            each(add);
        else
            each(add, ask);
        lanes.store_sum(out);
    }
    template <class F, class Ask = NoAsk>
    void each(F f, Ask ask = {}) const {
        Index e = 0;
        if constexpr (!std::is_same_v<Ask, NoAsk>)
            for (; e + kAskedAhead < n_entries; ++e) {
                ask(static_cast<Index>(feature[e + kAskedAhead]));
                f(static_cast<Index>(feature[e]), x[e]);
            }
        for (; e < n_entries; ++e) f(static_cast<Index>(feature[e]), x[e]);
    }
    // ask(j) for the first entries, which `each` does not ask for.
    template <class Ask>
    void ask_first(Ask ask) const {
        for (Index e = 0; e < std::min(n_entries, kAskedAhead); ++e) ask(static_cast<Index>(feature[e]));
    }
    template <class F>
    void each_nonzero(F f) const {
        each(f);
    }
    void prefetch() const {
        prefetch_bytes(feature, n_entries * static_cast<Index>(sizeof(I)));
        prefetch_bytes(x, n_entries * static_cast<Index>(sizeof(T)));
    }
};

template <class T, class I>
struct CsrRows {
    using value_type = T;
    const I* start;    // row i holds the entries start[i] .. start[i + 1] - 1
    const I* feature;  // ascending within a row, no duplicates
    const T* x;
    Index n_rows, n_features;

    Index n_entries() const { return start[n_rows]; }
    CsrRow<T, I> operator[](Index i) const {
        const Index first = start[i];
        return {feature + first, x + first, start[i + 1] - first, n_features};
    }
    void prefetch_start(Index i) const { prefetch_bytes(start + i, 1); }
};

// A row in kernel space, seen through a block of examples: the weights are the scores of the block, so that the score
// of row i is the i-th of them, and a step on it adds a·K(i, j) to those of the rows j that come after.
template <class T>
struct GramRow {
    using value_type = T;
    const T* k;  // K(i, 0 .. n − 1)
    Index i, n;

    T dot(const T* w) const { return w[i]; }
    T norm2() const { return k[i]; }
    template <int N>
    void dots(const T* w, Index stride, T* out) const {
        std::copy_n(w + i * stride, N, out);
    }
    template <class F, class Ask = NoAsk>
    void each(F f, Ask = {}) const {
        for (Index j = i + 1; j < n; ++j) f(j, k[j]);
    }
    template <class F>
    void each_nonzero(F f) const {
        each(f);
    }
    void prefetch() const {}
};

template <class T>
struct GramRows {
    using value_type = T;
    const T* data;
    Index n_rows, n_features;  // both the size of the block

    GramRow<T> operator[](Index i) const { return {data + i * n_features, i, n_features}; }
    void prefetch_start(Index) const {}
};

template <class Rows>
constexpr bool is_sparse = requires(const Rows& rows) { rows.feature; };

}  // namespace rosenblatt
