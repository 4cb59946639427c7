// How sure the weights are: the covariance Σ of second-order rules, and a step by it. core/confidence.py is the same in
// plain Python, and says in what order each sum goes.
//
//   diagonal  p with Σ_j = 1/(1/a + p_j), in the type of the weights, laid out as they are: 0 is a feature never met
//   full      Σ itself for each class, in double precision: row 0 that of the bias, then one for each feature
//
// A bias is the weight of a constant feature times that, so that both its x and its x² are the constant's square.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "clones.hpp"
#include "rows.hpp"
#include "second_order.hpp"

namespace rosenblatt {

template <class Row>
constexpr bool has_features = !requires(const Row& x) { x.k; };  // a row of a kernel matrix has none

// The largest p: there Σ is as good as 0, and yet a step α that undoes a margin, m/v, is a number with room to spare.
template <class T>
constexpr T kSurest = static_cast<T>(sizeof(T) == 4 ? 0x1p96 : 0x1p768);

template <class T>
struct Confidence {
    T* precision = nullptr;        // p, or
    double* covariance = nullptr;  // Σ, one matrix of size × size for each class
    Index stride = 1, size = 0;
    double prior = 1;  // 1/a
    T one = 0;         // the square of the constant feature

    explicit operator bool() const { return precision || covariance; }

    // Whether a step is no number any more, because so little is left of Σ along x: then there is none.
    bool is_exhausted(T step) const { return *this && !(step <= std::numeric_limits<T>::max()); }

    // xᵀΣx of a class.
    template <class Row>
    ROSENBLATT_APART double variance(const Row& x, Index c) const {
        if constexpr (has_features<Row>) {
            if (covariance) {
                Room<double> u(static_cast<std::size_t>(size));
                return image(x, c, u.data);
            }
            const T base = static_cast<T>(prior);
            const T* const p = precision + stride + c;
            Lanes<T> lanes;
            const auto add = [&](Index j, T value) {
                lanes.at[j & (kLanes - 1)] += value * value * (T{1} / (base + p[j * stride]));
            };
            if (x.n_features * stride * static_cast<Index>(sizeof(T)) <= kNear)
                x.each(add);
            else
                x.each(add, [&](Index j) { prefetch_near(p + j * stride); });
            return static_cast<double>(lanes.sum() + one * (T{1} / (base + precision[c])));
        } else {
            return 0;
        }
    }

    // u = Σx, and xᵀΣx.
    template <class Row>
    double image(const Row& x, Index c, double* u) const {
        const double* const sigma = covariance + c * size * size;
        std::vector<std::pair<Index, double>> entries{{0, 1.0}};
        x.each([&](Index j, auto value) {
            if (value != 0) entries.emplace_back(j + 1, static_cast<double>(value));
        });
        if (!std::is_sorted(entries.begin(), entries.end())) std::sort(entries.begin(), entries.end());
        std::fill_n(u, size, 0.0);
        for (const auto& [i, value] : entries) {
            const double* const row = sigma + i * size;
            for (Index t = 0; t < size; ++t) u[t] += value * row[t];
        }
        double v = 0;
        for (const auto& [i, value] : entries) v += value * u[i];
        return v > 0 ? v : 0;
    }

    // ‖α·Σx‖², at most: by Σ ≤ a, which needs no reading of the row, unless that is much.
    template <class Row>
    ROSENBLATT_APART double moved2(const Row& x, Index c, double alpha, double v) const {
        const double least = static_cast<double>(std::numeric_limits<T>::min());
        if constexpr (has_features<Row>) {
            const double careful = alpha * (alpha * (v / prior * std::max(1.0, static_cast<double>(one)) + least));
            if (!covariance && careful < 1e18) return careful;
            double sum = 0;
            if (covariance) {
                Room<double> u(static_cast<std::size_t>(size));
                image(x, c, u.data);
                for (Index i = 0; i < size; ++i) sum += alpha * u.data[i] * (alpha * u.data[i]);
                return sum;
            }
            const auto add = [&](Index place, double value) {
                const double moved = alpha * value / (prior + static_cast<double>(precision[place]));
                sum += moved * moved;
            };
            add(c, static_cast<double>(one));
            x.each([&](Index j, T value) { add((j + 1) * stride + c, static_cast<double>(value)); });
            return 2 * sum + least;
        } else {
            return 0;
        }
    }

    // The weights of a class += a·Σx, and Σ becomes smaller; `put(place, weight)` sets a weight, place 0 the bias.
    template <class Row, class Weights>
    ROSENBLATT_APART void move(const Row& x, const Weights& w, Index c, T a, double score, Shrink how, Index t) const {
        if constexpr (has_features<Row>) {
            if (covariance) return move_all(x, w, c, a, score, how, t);
            constexpr T most = kSurest<T>, largest = std::numeric_limits<T>::max();
            const T amount = how.number < static_cast<double>(largest) ? static_cast<T>(how.number) : largest;
            const T sign = a > 0 ? T{1} : T{-1}, base = static_cast<T>(prior);
            const auto over = [&](auto moved) {
                const auto step = [&](Index place, T value, T square, auto put) {
                    T& p = precision[place];
                    T now = w.sink[place];
                    const T sure = moved(now, value, square, base + p, p);
                    put(w.sink + place, now);
                    p = sure <= most ? sure : most;
                };
                const auto all = [&](auto put) {
                    step(c, one, one, put);
                    x.each([&](Index j, T value) { step((j + 1) * stride + c, value, value * value, put); });
                };
                if (w.total)
                    all([&](T* at, T now) { w.put(at, now, t); });
                else
                    all([](T* at, T now) { *at = now; });
            };
            switch (how.form) {
                case Form2::inverse:
                    return over([&](T& now, T value, T square, T known, T p) {
                        now += a * (T{1} / known * value);
                        return p + amount * square;
                    });
                case Form2::covariance:
                    return over([&](T& now, T value, T square, T known, T p) {
                        const T variance = T{1} / known, gain = amount * square, rest = 1 - gain * variance;
                        now += a * (variance * value);
                        return rest > 0 ? p + gain / rest : most;
                    });
                case Form2::herd:
                    return over([&](T& now, T value, T square, T known, T p) {
                        const T variance = T{1} / known, gain = amount * square;
                        now += a * (variance * value);
                        return p + gain * (2 + gain * variance);
                    });
                case Form2::sums:  // w = b/A: b gains v·y·x, A gains v·x²
                    return over([&](T& now, T value, T square, T known, T p) {
                        const T gain = amount * square;
                        now += amount * (sign * value - square * now) / (known + gain);
                        return p + gain;
                    });
            }
        }
    }

  private:
    template <class Row, class Weights>
    void move_all(const Row& x, const Weights& w, Index c, T a, double score, Shrink how, Index t) const {
        Room<double> u(static_cast<std::size_t>(size));
        const double v = image(x, c, u.data);
        double step = static_cast<double>(a), beta = how.number;
        if (how.form == Form2::sums) {  // w = A⁻¹b, of the class by itself
            beta = 1 / (v + 1 / how.number);
            step = ((a > 0 ? 1 : -1) - score) * beta;
        }
        double* const sigma = covariance + c * size * size;
        for (Index i = 0; i < size; ++i) {
            const double p = u.data[i];
            if (p == 0) continue;
            T* const at = w.sink + i * stride + c;
            w.put(at, *at + static_cast<T>(step * p), t);
            double* const row = sigma + i * size;
            for (Index j = 0; j < size; ++j) row[j] -= beta * (p * u.data[j]);
        }
    }
};

}  // namespace rosenblatt
