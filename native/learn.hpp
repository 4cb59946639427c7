// The one training loop, and the readers of data beside it: scores, the scan that admits data, and the radius.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "clones.hpp"
#include "models.hpp"
#include "progressive.hpp"
#include "sums_behind.hpp"

namespace rosenblatt {

// Class codes, one per row of the data: bytes where they fit.
struct Codes {
    const std::int8_t* small;
    const std::int32_t* large;  // null where they are small

    std::int32_t operator[](Index row) const { return large ? large[row] : small[row]; }
};

template <class Targets>
struct Examples {
    Targets target;             // one per row of the data
    const std::int32_t* order;  // the rows to visit; null: all, in order
    const double* weight;       // one per row; null: 1
    Index count;
    Index first = 0;          // where in the order to begin
    double* dual = nullptr;   // Σ τ of each row, kept for a rule that takes steps back; it is then the row's weight
    double* steps = nullptr;  // the coefficients a_r of W_r += a_r·x of each row, for weights that are kept as examples
    Index* misread = nullptr;  // counts the examples (of sentences: tags) about which the readout was wrong before they
                               // were learned from
    Index n_threads = 1;       // more: the sums of the averaged readout, or some of the classes, may be another's

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

constexpr Index kAhead = 8;

// With `stop` it ends at the first mistake or step, and leaves that step to the caller.
template <class Rows, class Model, class Targets>
ROSENBLATT_CLONES void learn(const Rows& rows, Model& model, const Rule& rule, const Examples<Targets>& examples,
                             Pocket<typename Rows::value_type>& pocket, bool stop, Tally& tally) {
    using T = typename Rows::value_type;
    const auto settle = [&] {
        if (pocket.run <= pocket.best) return;
        if (!pocket.current) {
            if (pocket.ratchet) {
                std::vector<double> tau(static_cast<std::size_t>(model.w.n_classes)), least(tau);
                Tally count{.tau = tau.data(), .least = least.data()};
                Model still = model;
                Pocket<T> none{};
                Examples<Targets> all = examples;
                all.first = 0;
                all.misread = nullptr;
                learn(rows, still, Rule(Still{}), all, none, false, count);
                if (count.mistakes >= pocket.errors) return;
                pocket.errors = count.mistakes;
            }
            std::memcpy(pocket.weights, model.w.bias, static_cast<std::size_t>(pocket.size) * sizeof(T));
        }
        pocket.best = pocket.run;
        pocket.current = true;
    };
    const auto judge = [&](const auto& x, Index row) {
        if (!examples.misread) return;
        if constexpr (requires { model.part; })
            if (model.part) return note_best(x, model, tally.visited);
        if constexpr (requires { model.misread(x, examples.target[row], Index{0}); })
            *examples.misread += model.misread(x, examples.target[row], tally.visited);
        else
            *examples.misread += is_misread(x, model, model.judged_scores(), examples.target[row], tally.visited);
    };
    constexpr bool can_lag = can_sum_behind<Rows, Model>;
    std::conditional_t<can_lag, std::optional<SumsBehind<Rows, Model, Examples<Targets>>>, std::nullptr_t> behind{};
    if constexpr (can_lag) {
        if (!stop && !pocket.weights && SumsBehind<Rows, Model, Examples<Targets>>::pays(rows, model, examples)) {
            behind.emplace(rows, model, examples, tally.visited);
            if (!*behind) behind.reset();
        }
        const bool reads_sums = examples.misread && model.w.total && !behind;
        model.sums_read_after = reads_sums ? model.w.total + model.w.stride : nullptr;
    }
    for (Index i = examples.first; i < examples.count; ++i) {
        if (i + 2 * kAhead < examples.count) rows.prefetch_start(examples.row(i + 2 * kAhead));
        if (i + kAhead < examples.count) rows[examples.row(i + kAhead)].prefetch();
        if constexpr (can_lag)
            if (i + 1 < examples.count) model.ask(rows[examples.row(i + 1)]);
        const Index row = examples.row(i);
        const auto x = rows[row];
        const double weight = examples.dual ? examples.dual[row] : examples.weight ? examples.weight[row] : 1;
        const Index mistakes = tally.mistakes;
        const Outcome outcome = model.consider(x, examples.target[row], weight, rule, tally);
        if (tally.overflow) {  // as if it had not been visited
            tally.mistakes = mistakes;
            return;
        }
        if constexpr (can_lag) {
            if (behind)
                behind->note(i, model.judged);
            else
                judge(x, row);
        } else {
            judge(x, row);
        }
        ++tally.visited;
        if (pocket.weights) {
            pocket.run += !outcome.wrong;
            if (outcome.wrong || outcome.moves) {
                settle();
                pocket.run = 0;
                pocket.current = pocket.current && !outcome.moves;
            }
        }
        if (outcome.moves && examples.steps) model.last_step(examples.steps + row * model.w.n_classes);
        if (stop && (outcome.wrong || outcome.moves)) return;
        if constexpr (can_lag) {
            if (behind && outcome.moves) {
                model.w.add_noting(x, model.a, behind->room_for(model.a, x.n_entries + 1));
                continue;
            }
        }
        if (outcome.moves) model.move(x, tally.visited);
        if (examples.dual) examples.dual[row] += outcome.gain;
    }
    if (pocket.weights) settle();
}

template <class Rows, class Model>
ROSENBLATT_CLONES void score(const Rows& rows, Model& model, typename Rows::value_type* out) {
    for (Index i = 0; i < rows.n_rows; ++i) model.scores(rows[i], out + i * model.w.n_classes);
}

// Scores of a row by the weights, or, after n > 0 examples, by their average W − total/n, rounded as its readout is.
template <class Row, class Model, class T>
ROSENBLATT_CLONES void score_row(const Row& x, Model& model, double n, T* out) {
    const auto& w = model.w;
    if (n == 0) return model.scores(x, out);
    const auto mean = [&](Index at) { return mean_weight(w.bias[at], w.total[at], n); };
    if constexpr (requires { w.lists; }) {
        model.w.class_scores(x, out, n);
        for (Index c = 0; c < w.n_classes; ++c) out[c] += mean(c);
        return;
    }
    for (Index c = 0; c < w.n_classes; ++c) {
        Lanes<T> lanes;
        x.each([&](Index j, T value) { lanes.at[j & (kLanes - 1)] += value * mean((j + 1) * w.stride + c); });
        out[c] = lanes.sum() + mean(c);
    }
}

// The averaged readout of all these weights.
template <class T>
ROSENBLATT_CLONES void average(const T* w, const double* total, Index count, double n, T* out) {
    for (Index i = 0; i < count; ++i) out[i] = mean_weight(w[i], total[i], n);
}

// The code of the class of the largest score, the first of equals; of two classes, 1 if the score is > 0.
template <class T>
Index decide(const T* scores, Index n_classes) {
    return n_classes == 1 ? scores[0] > 0 : std::max_element(scores, scores + n_classes) - scores;
}

// Whether numbers are finite, and max |x|.
struct ValueScan {
    bool finite;
    double largest;
};

template <class T>
ROSENBLATT_CLONES ValueScan scan_values(const T* x, Index count) {
    Lanes<T> largest, poison;  // poison: 0 unless a value is NaN or infinite
    Index i = 0;
    const auto scan = [&](Index lane, T value) {
        const T size = std::abs(value);
        largest.at[lane] = size > largest.at[lane] ? size : largest.at[lane];
        poison.at[lane] += value * 0;
    };
    for (; i + kLanes <= count; i += kLanes)
        for (Index l = 0; l < kLanes; ++l) scan(l, x[i + l]);
    for (Index l = 0; i < count; ++i, ++l) scan(l, x[i]);
    if (!(poison.sum() == 0)) return {false, 0};
    return {true, static_cast<double>(*std::max_element(largest.at, largest.at + kLanes))};
}
template <class Rows>
ValueScan scan_values(const Rows& rows) {
    return scan_values(rows.data, rows.n_rows * rows.n_features);
}
template <class T, class I>
ValueScan scan_values(const CsrRows<T, I>& rows) {
    return scan_values(rows.x, rows.n_entries());
}

// Whether features are below n_features, and whether they are canonical: ascending within each row. Descents are
// counted over the whole array at once, less what the row boundaries explain.
struct FeatureScan {
    bool fits, canonical;
};

template <class T, class I>
ROSENBLATT_CLONES FeatureScan scan_features(const CsrRows<T, I>& rows) {
    using U = std::make_unsigned_t<I>;
    const I *const start = rows.start, *const feature = rows.feature;
    const Index first = start[0], last = start[rows.n_rows];
    if (first == last) return {true, true};
    auto highest = static_cast<U>(feature[first]);  // what is negative is larger than all else
    Index descents = 0, explained = 0;
    for (Index e = first + 1; e < last; ++e) {
        descents += feature[e] <= feature[e - 1];
        highest = std::max(highest, static_cast<U>(feature[e]));
    }
    if (highest > static_cast<U>(std::numeric_limits<I>::max()) || static_cast<Index>(highest) >= rows.n_features)
        return {false, false};
    for (Index i = 0; i < rows.n_rows; ++i) {
        const Index at = start[i];
        if (at > first && at < last && at < start[i + 1]) explained += feature[at] <= feature[at - 1];
    }
    return {true, descents == explained};
}

// A sum that carries what its additions round off (Knuth's two-sum), so that its error does not grow with its length.
inline void add_carefully(double& sum, double& lost, double value) {
    const double now = sum + value, part = now - sum;
    lost += (sum - (now - part)) + (value - part);
    sum = now;
}
inline double total_of(double sum, double lost) { return std::isfinite(sum) ? sum + lost : sum; }

// Σ w² of each of k columns, in double precision and in one order on every CPU.
template <class T>
ROSENBLATT_CLONES void squares(const T* w, Index n_rows, Index k, double* out) {
    const auto square = [](T value) { return static_cast<double>(value) * static_cast<double>(value); };
    if (k == 1) {
        Lanes<double> sums, lost;
        Index i = 0;
        for (; i + kLanes <= n_rows; i += kLanes)
            for (Index l = 0; l < kLanes; ++l) add_carefully(sums.at[l], lost.at[l], square(w[i + l]));
        for (Index l = 0; i < n_rows; ++i, ++l) add_carefully(sums.at[l], lost.at[l], square(w[i]));
        out[0] = total_of(sums.sum(), lost.sum());
        return;
    }
    std::vector<double> lost(static_cast<std::size_t>(k));
    std::fill_n(out, k, 0.0);
    for (Index i = 0; i < n_rows; ++i)
        for (Index c = 0; c < k; ++c) add_carefully(out[c], lost[static_cast<std::size_t>(c)], square(w[i * k + c]));
    for (Index c = 0; c < k; ++c) out[c] = total_of(out[c], lost[static_cast<std::size_t>(c)]);
}

// The same of rows of class vectors in an order, added to `out`. Of one vector a row goes to the lane that it has in
// any array: what stands in `out` is of row 0.
template <class T>
void squares_in_order(const T* w, const Index* order, Index count, Index k, double* out) {
    constexpr Index kRowsAhead = 16;
    if (k == 1) {
        Lanes<double> sums, lost;
        sums.at[0] = out[0];
        for (Index i = 0; i < count; ++i) {
            prefetch_near(w + order[std::min(i + kRowsAhead, count - 1)]);
            const double value = static_cast<double>(w[order[i]]);
            const Index lane = order[i] % kLanes;
            add_carefully(sums.at[lane], lost.at[lane], value * value);
        }
        out[0] = total_of(sums.sum(), lost.sum());
        return;
    }
    std::vector<double> lost(static_cast<std::size_t>(k));
    for (Index i = 0; i < count; ++i) {
        prefetch_bytes(w + order[std::min(i + kRowsAhead, count - 1)] * k, k * static_cast<Index>(sizeof(T)));
        const T* const row = w + order[i] * k;
        for (Index c = 0; c < k; ++c) {
            const double value = static_cast<double>(row[c]);
            add_carefully(out[c], lost[static_cast<std::size_t>(c)], value * value);
        }
    }
    for (Index c = 0; c < k; ++c) out[c] = total_of(out[c], lost[static_cast<std::size_t>(c)]);
}

// The same by lists, added to `out`: over the rows that `order` numbers (null: all; those that are not there: empty).
template <class T>
void squares_by_class(const ClassLists<T>& lists, const Index* order, Index count, double* out) {
    std::vector<double> lost(static_cast<std::size_t>(lists.n_classes()));
    for (Index i = 0; i < count; ++i) {
        const Index ahead = std::min(i + lists.kAhead, count - 1), next = order ? order[ahead] : ahead;
        if (lists.has(next)) lists.prefetch(lists.row(next));
        const Index j = order ? order[i] : i;
        if (!lists.has(j)) continue;
        lists.each(j, [&](const auto& list, std::size_t e) {
            const auto c = static_cast<std::size_t>(lists.codes()[list.number[e]]);
            const double w = static_cast<double>(list.weight[e]);
            add_carefully(out[c], lost[c], w * w);
        });
    }
    for (std::size_t c = 0; c < lost.size(); ++c) out[c] = total_of(out[c], lost[c]);
}

// max ‖x‖² of the rows in `order` (null: of all), without the bias feature.
template <class Rows>
ROSENBLATT_CLONES double radius2(const Rows& rows, const std::int32_t* order, Index count) {
    double found = 0;
    for (Index i = 0; i < count; ++i) found = std::max(found, static_cast<double>(rows[order ? order[i] : i].norm2()));
    return found;
}

// At most so many terms are added in a lane for a row in `order` (null: for any): as many as it has numbers, or blocks
// of 16 columns up to its last one. Zeros round nothing and do not count, so that it is the same in every container.
template <class Rows>
ROSENBLATT_CLONES Index terms_in_lane(const Rows& rows, const std::int32_t* order, Index count) {
    const Index most = (rows.n_features + kLanes - 1) / kLanes;
    Index found = 0;
    for (Index i = 0; i < count && found < most; ++i) {
        Index numbers = 0, last = -1;
        rows[order ? order[i] : i].each([&](Index j, auto x) {
            numbers += x != 0;
            last = std::max(last, x != 0 ? j : Index{-1});
        });
        found = std::max(found, std::min(numbers, last / kLanes + 1));
    }
    return found;
}

}  // namespace rosenblatt
