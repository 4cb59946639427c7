// Progressive validation: whether the weights that would ship now, the last ones or their average so far, are wrong
// about an example that has not been learned from yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "clones.hpp"
#include "models.hpp"

namespace rosenblatt {

// What the weights' average over the n examples so far scores less than they do: total/n·x, by class.
template <class Row, class Weights>
void add_totals(const Row& x, const Weights& w, double* sums) {
    using T = typename Row::value_type;
    const auto k = static_cast<std::size_t>(w.n_classes);
    std::copy_n(w.total, k, sums);
    if constexpr (requires { w.lists; }) {
        x.each([&](Index j, T value) {
            const auto row = w.lists->row(j);
            const auto held = w.lists->list(row);
            for (std::size_t e = 0; e < row.size; ++e)
                sums[w.lists->codes()[held.number[e]]] += static_cast<double>(value) * held.total[e];
        });
    } else if (w.stride == 1) {
        double sum = w.total[0];
        x.each([&](Index j, T value) { sum += static_cast<double>(value) * w.total[j + 1]; },
               [&](Index j) { prefetch_near(w.total + j + 1); });
        sums[0] = sum;
    } else {
        const auto add = [&](Index j, T value) {
            const double* const total = w.total + (j + 1) * w.stride;
            for (std::size_t c = 0; c < k; ++c) sums[c] += static_cast<double>(value) * total[c];
        };
        x.each(add, [&](Index j) { prefetch_near(w.total + (j + 1) * w.stride); });
    }
}

inline bool is_wrong(const double* scores, Index n_classes, std::int32_t target) {
    if (n_classes == 1) return (scores[0] > 0) != (target == 1);
    return std::max_element(scores, scores + n_classes) - scores != target;
}

// What they score an example that the model gave these scores when it considered it; n were learned from before.
template <class Row, class Weights>
void score_readout(const Row& x, const Weights& w, const double* judged, Index n, double* scores) {
    const auto k = static_cast<std::size_t>(w.n_classes);
    std::copy_n(judged, k, scores);
    if (!w.total || n == 0) return;
    Room<double> sums(k);
    add_totals(x, w, sums.data);
    for (std::size_t c = 0; c < k; ++c) scores[c] -= sums[c] / static_cast<double>(n);
}

// Whether they are wrong about it.
template <class Row, class Model>
ROSENBLATT_APART bool is_misread(const Row& x, const Model& model, const double* judged, typename Model::Target target,
                                 Index n) {
    const auto& w = model.w;
    Room<double> scores(static_cast<std::size_t>(w.n_classes));
    score_readout(x, w, judged, n, scores.data);
    if constexpr (requires { model.epsilon; })
        return std::abs(scores[0] - target) > model.epsilon;
    else
        return is_wrong(scores.data, w.n_classes, target);
}

// The best of a part of the classes, the first of equals: who has those of all parts knows whether they are wrong.
template <class Row, class Model>
ROSENBLATT_APART void note_best(const Row& x, const Model& model, Index n) {
    Room<double> scores(static_cast<std::size_t>(model.w.n_classes));
    score_readout(x, model.w, model.judged_scores(), n, scores.data);
    const double* const best = std::max_element(scores.data, scores.data + model.w.n_classes);
    model.part->best.push_back({*best, model.first + (best - scores.data)});
}

}  // namespace rosenblatt
