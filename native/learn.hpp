// The one training loop, and the two readers of data beside it: scores, and the scan that admits data.
#pragma once

#include <algorithm>
#include <cstring>

#include "models.hpp"

// One binary for every x86-64 CPU: the loader picks the widest of three clones. All three give the same bits.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    !defined(ROSENBLATT_PLAIN)
#define ROSENBLATT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), flatten))
#else
#define ROSENBLATT_CLONES
#endif

namespace rosenblatt {

template <class Target>
struct Examples {
    const Target* target;       // one per row of the data
    const std::int32_t* order;  // the rows to visit; null: all, in order
    const double* weight;       // one per row; null: 1
    Index count;

    Index row(Index i) const { return order ? order[i] : i; }
};

// The weights with the longest run of right answers. A run is settled when it ends, which leaves the same weights
// in the pocket as settling it after every example.
template <class T>
struct Pocket {
    T* weights;  // null: no pocket is kept
    Index size;
    Index run, best;        // right answers in a row of the present weights, and of those in the pocket
    Index errors;           // mistakes of the pocket on the training set (ratchet)
    bool ratchet, current;  // current: the present weights are those in the pocket
};

struct Options {
    bool stop_at_mistake;  // for scoring: one mistake is enough to know
    Index visited;         // examples visited before this pass: the averaged readout's clock
};

constexpr Index kAhead = 8;

template <class Rows, class Model>
ROSENBLATT_CLONES void learn(const Rows& rows, Model& model, const Rule& rule,
                             const Examples<typename Model::Target>& examples,
                             Pocket<typename Rows::value_type>& pocket, const Options& options, Tally& tally) {
    using T = typename Rows::value_type;
    const auto settle = [&] {
        if (pocket.run <= pocket.best) return;
        if (!pocket.current) {
            if (pocket.ratchet) {
                std::vector<double> tau(static_cast<std::size_t>(model.w.n_classes)), least(tau);
                Tally count{.tau = tau.data(), .least = least.data()};
                Model still = model;
                Pocket<T> none{};
                learn<Rows, Model>(rows, still, Rule(Still{}), examples, none, {false, 0}, count);
                if (count.mistakes >= pocket.errors) return;
                pocket.errors = count.mistakes;
            }
            std::memcpy(pocket.weights, model.w.bias, static_cast<std::size_t>(pocket.size) * sizeof(T));
        }
        pocket.best = pocket.run;
        pocket.current = true;
    };
    for (Index i = 0; i < examples.count; ++i) {
        if (i + 2 * kAhead < examples.count) rows.prefetch_start(examples.row(i + 2 * kAhead));
        if (i + kAhead < examples.count) rows[examples.row(i + kAhead)].prefetch();
        const Index row = examples.row(i);
        const auto x = rows[row];
        const double weight = examples.weight ? examples.weight[row] : 1;
        const Outcome outcome = model.consider(x, examples.target[row], weight, rule, tally);
        ++tally.visited;
        if (pocket.weights) {
            pocket.run += !outcome.wrong;
            if (outcome.wrong || outcome.moves) {
                settle();
                pocket.run = 0;
                pocket.current = pocket.current && !outcome.moves;
            }
        }
        if (outcome.moves) model.move(x, options.visited + tally.visited);
        if (outcome.wrong && options.stop_at_mistake) return;
    }
    if (pocket.weights) settle();
}

template <class Rows, class Model>
ROSENBLATT_CLONES void score(const Rows& rows, Model& model, typename Rows::value_type* out) {
    for (Index i = 0; i < rows.n_rows; ++i) model.scores(rows[i], out + i * model.w.n_classes);
}

struct Scan {
    double radius2 = 0;  // max ‖x‖², without the bias feature
    enum Fault { none, not_finite, too_large, index_out_of_range, not_canonical } fault = none;
    Index row = -1, column = -1;
};

template <class T>
Scan::Fault fault_of(const DenseRow<T>&, Index) {
    return Scan::none;
}
template <class T, class I>
Scan::Fault fault_of(const CsrRow<T, I>& x, Index n_features) {
    I last = -1;
    Scan::Fault fault = Scan::none;
    for (Index e = 0; e < x.n_entries; ++e) {
        if (x.feature[e] < 0 || x.feature[e] >= n_features) return Scan::index_out_of_range;
        if (x.feature[e] <= last) fault = Scan::not_canonical;
        last = x.feature[e];
    }
    return fault;
}

// R² of the rows, and the first thing about them that cannot be learned from.
template <class Rows>
ROSENBLATT_CLONES Scan scan(const Rows& rows) {
    using T = typename Rows::value_type;
    Scan found;
    for (Index i = 0; i < rows.n_rows; ++i) {
        const auto x = rows[i];
        const Scan::Fault fault = fault_of(x, rows.n_features);
        if (fault == Scan::index_out_of_range) return {0, fault, i, -1};
        if (fault == Scan::not_canonical) found.fault = fault;
        const T norm2 = x.norm2();
        if (!std::isfinite(norm2)) {
            Scan bad{0, Scan::too_large, i, -1};
            x.each([&](Index j, T value) {
                if (bad.fault == Scan::too_large && !std::isfinite(value)) bad = {0, Scan::not_finite, i, j};
            });
            return bad;
        }
        found.radius2 = std::max(found.radius2, static_cast<double>(norm2));
    }
    return found;
}

}  // namespace rosenblatt
