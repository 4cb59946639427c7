// The second-order rules: they keep a covariance Σ beside the weights (confidence.hpp) and see of an example, besides
// what all rules see, its variance v = xᵀΣx. The same rules stand in core/rules/*.py, line for line.
//
// A rule answers with the step α (0: no update), and then with how Σ becomes smaller. Kernels have no such Σ, so that a
// CUDA device has no use for this file.
#pragma once

#include <algorithm>
#include <cmath>
#include <variant>

#include "clones.hpp"

namespace rosenblatt {

// What such a rule sees of an example.
struct Sighting {
    double margin, loss, weight, v;
    bool wrong;
};

// How Σ becomes smaller: core/rules/second_order.py says what the forms are.
enum class Form2 { inverse, covariance, herd, sums };
struct Shrink {
    Form2 form = Form2::inverse;
    double number = 0;
};
inline Shrink shrunk(bool covariance, double c, double beta) {
    return covariance ? Shrink{Form2::covariance, beta} : Shrink{Form2::inverse, c};
}

struct SecondOrderPerceptron {  // Cesa-Bianchi, Conconi & Gentile 2005
    bool may_move(double, bool wrong) const { return wrong; }
    bool needs_variance() const { return false; }
    double step(const Sighting& e) const { return e.wrong ? e.weight : 0; }
    Shrink shrink(const Sighting&, double alpha) const { return {Form2::sums, alpha}; }
};

struct Arow {  // Crammer, Kulesza & Dredze 2009
    double r;
    bool covariance;

    bool may_move(double loss, bool) const { return loss > 0; }
    bool needs_variance() const { return true; }
    double step(const Sighting& e) const { return e.loss > 0 && e.v > 0 ? e.loss / (e.v + r / e.weight) : 0; }
    Shrink shrink(const Sighting& e, double) const {
        return shrunk(covariance, e.weight / r, 1 / (e.v + r / e.weight));
    }
};

struct Nherd {  // Crammer & Lee 2010
    double C;
    int kept;  // 0: project, 1: drop, or a full covariance, 2: exact

    bool may_move(double loss, bool) const { return loss > 0; }
    bool needs_variance() const { return true; }
    double step(const Sighting& e) const { return e.loss > 0 && e.v > 0 ? e.loss / (e.v + 1 / (e.weight * C)) : 0; }
    Shrink shrink(const Sighting& e, double) const {
        const double own = e.weight * C;
        if (kept == 2) return {Form2::herd, own};
        const double c = own * (2 + own * e.v), rest = 1 + own * e.v;
        return shrunk(kept == 1, c, c / (rest * rest));
    }
};

// What CW (stdev) and SCW share.
inline double deviation_step(double m, double v, double phi) {
    const double phi2 = phi * phi, half = m * phi2 / 2, root = std::sqrt(half * half + v * phi2 * (1 + phi2));
    if (m > 0) return (phi2 * v - m * m) / (v * (root + m * (1 + phi2 / 2)));
    return (root - m * (1 + phi2 / 2)) / (v * (1 + phi2));
}
inline Shrink deviation_shrink(const Sighting& e, double alpha, double phi, bool full) {
    const double step = alpha * phi, along = step * e.v;
    const double root = 2 * e.v / (std::sqrt(along * along + 4 * e.v) + along);
    return shrunk(full, step / root, step / (root + along));
}

struct ConfidenceWeighted {  // Dredze, Crammer & Pereira 2008 (variance); Crammer, Dredze & Pereira 2008 (stdev)
    double phi;
    bool variance, full;

    bool may_move(double, bool) const { return true; }
    bool needs_variance() const { return true; }
    double step(const Sighting& e) const {
        const double m = e.margin, v = e.v;
        if (!(v > 0)) return 0;
        if (!variance) return m < phi * std::sqrt(v) ? deviation_step(m, v, phi) : 0;
        if (!(m < phi * v)) return 0;
        const double b = 1 + 2 * phi * m, root = std::sqrt(b * b + 8 * phi * (phi * v - m));
        return b > 0 ? 2 * (phi * v - m) / (v * (root + b)) : (root - b) / (4 * phi * v);
    }
    Shrink shrink(const Sighting& e, double alpha) const {
        if (!variance) return deviation_shrink(e, alpha, phi, full);
        const double c = 2 * alpha * phi;
        return shrunk(full, c, c / (1 + c * e.v));
    }
};

struct SoftConfidenceWeighted {  // Wang, Zhao & Hoi 2012
    double phi, C;
    bool squared, full;

    bool may_move(double, bool) const { return true; }
    bool needs_variance() const { return true; }
    double step(const Sighting& e) const {
        const double m = e.margin, v = e.v, own = e.weight * C;
        if (!(v > 0 && m < phi * std::sqrt(v))) return 0;
        if (!squared) return std::min(own, deviation_step(m, v, phi));
        const double n = v + 1 / (2 * own), spread = phi * phi * v, along = m * (2 * n + spread), both = n + spread;
        const double root = phi * std::sqrt(m * m * spread * v + 4 * n * v * both);
        return m > 0 ? 2 * (phi * phi * v - m * m) / (root + along) : (root - along) / (2 * n * both);
    }
    Shrink shrink(const Sighting& e, double alpha) const { return deviation_shrink(e, alpha, phi, full); }
};

// One of them, as one among the rules: so these stay few enough for a visit to be a switch, and what is compiled into
// the training loop for these is a call.
struct SecondOrder {
    std::variant<SecondOrderPerceptron, Arow, Nherd, ConfidenceWeighted, SoftConfidenceWeighted> rule;

    // x is read again for its variance only where the rule may move, and asks for it.
    template <class E>
    double step(const E& e) const {
        const int asks = asks_of(e.loss, e.wrong);
        return asks ? step_of({e.margin, e.loss, e.weight, asks > 1 ? e.variance() : 0, e.wrong}) : 0;
    }
    template <class E>
    Shrink shrink(const E& e, double alpha) const {
        return shrink_of({e.margin, e.loss, e.weight, asks_of(e.loss, e.wrong) > 1 ? e.variance() : 0, e.wrong}, alpha);
    }

  private:
    // 0: there is no step; 1: it is known without the variance; 2: it depends on that.
    ROSENBLATT_APART int asks_of(double loss, bool wrong) const {
        const auto asks = [&](const auto& r) { return r.may_move(loss, wrong) ? r.needs_variance() ? 2 : 1 : 0; };
        return std::visit(asks, rule);
    }
    ROSENBLATT_APART double step_of(const Sighting& seen) const {
        return std::visit([&](const auto& r) { return r.step(seen); }, rule);
    }
    ROSENBLATT_APART Shrink shrink_of(const Sighting& seen, double alpha) const {
        return std::visit([&](const auto& r) { return r.shrink(seen, alpha); }, rule);
    }
};

// By name, as ROSENBLATT_RULES of rules.hpp.
#define ROSENBLATT_SECOND_ORDER_RULES(RULE)                                                \
    RULE("SOP", SecondOrder{SecondOrderPerceptron{}})                                      \
    RULE("AROW", SecondOrder{Arow{number(1), number(2) != 0}})                             \
    RULE("NHERD", SecondOrder{Nherd{number(1), static_cast<int>(number(2))}})              \
    RULE("CW", SecondOrder{ConfidenceWeighted{number(1), number(2) != 0, number(3) != 0}}) \
    RULE("SCW", SecondOrder{SoftConfidenceWeighted{number(1), number(2), number(3) != 0, number(4) != 0}})

}  // namespace rosenblatt
