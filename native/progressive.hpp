// Progressive validation: whether the weights that would ship now, the last ones or their average so far, are wrong
// about an example that has not been learned from yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "clones.hpp"
#include "models.hpp"

namespace rosenblatt {

// The scores of a row by the weights, or, where their sums are kept, by their average over the n examples so far.
template <class Row, class Model>
ROSENBLATT_APART void readout_scores(const Row& x, Model& model, Index n, std::vector<double>& out) {
    auto& w = model.w;
    const auto k = static_cast<std::size_t>(w.n_classes);
    std::vector<typename Row::value_type> last(static_cast<std::size_t>(w.stride));
    model.scores(x, last.data());
    out.assign(last.begin(), last.begin() + w.n_classes);
    if (!w.total || n == 0) return;
    if constexpr (requires { w.lists; }) {
        const auto visited = static_cast<double>(n);
        w.class_scores(x, last.data(), visited);
        for (std::size_t c = 0; c < k; ++c)
            out[c] = static_cast<double>(last[c]) + static_cast<double>(w.bias[c]) - w.total[c] / visited;
        return;
    }
    std::vector<double> sums(w.total, w.total + w.n_classes);
    x.each_nonzero([&](Index j, typename Row::value_type value) {
        const double* const total = w.total + (j + 1) * w.stride;
        for (std::size_t c = 0; c < k; ++c) sums[c] += static_cast<double>(value) * total[c];
    });
    for (std::size_t c = 0; c < k; ++c) out[c] -= sums[c] / static_cast<double>(n);
}

template <class Model>
bool is_misread(const Model&, const std::vector<double>& scores, std::int32_t target) {
    if (scores.size() == 1) return (scores[0] > 0) != (target == 1);
    return std::max_element(scores.begin(), scores.end()) - scores.begin() != target;
}
template <class T>
bool is_misread(const Regression<T>& model, const std::vector<double>& scores, double target) {
    return std::abs(scores[0] - target) > model.epsilon;
}

}  // namespace rosenblatt
