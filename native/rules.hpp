// The update rules: how far to move on this example. The same rules stand in core/rules/*.py, line for line.
//
// A rule sees an example E that a model has judged (models.hpp):
//   e.margin   y·s, or s_y − s_r against the best wrong class r ("the rival")
//   e.wrong    a mistake, ties by the tie rule
//   e.loss     max-free hinge 1 − margin; for regression |s − y| − ε
//   e.weight   sample weight × class weight, v; under HardMargin the row's coefficient so far
//   e.A()      ‖x‖², the bias feature included
//   e.norm2()  ‖·‖² of the direction of a step: A, or 2A against a rival
//   e.y        the code of the right class
// and answers with the step τ ≥ 0 (0: no update). A rule that moves several classes at once has `spread`, which
// fills one coefficient per class (W_r += coef_r·x) and returns what the right class gains; where `step` is 0, so is
// that. It sees more of the example:
//   e.scores, e.n_classes, e.rival
//   e.scratch  room for n_classes numbers
//
// A CUDA device compiles this file as it is (spaces/kernel/cuda.py): whoever defines ROSENBLATT_DEVICE has no standard
// library.
#ifndef ROSENBLATT_RULES_HPP  // and no pragma, which a program of one file has no use for
#define ROSENBLATT_RULES_HPP

#ifdef ROSENBLATT_DEVICE
namespace rosenblatt {

using Index = long long;

ROSENBLATT_DEVICE inline void sort_descending(double* values, Index n) {
    for (Index i = 1; i < n; ++i) {
        const double value = values[i];
        Index j = i;
        for (; j > 0 && values[j - 1] < value; --j) values[j] = values[j - 1];
        values[j] = value;
    }
}

}  // namespace rosenblatt
#else
#define ROSENBLATT_DEVICE
#include <algorithm>
#include <functional>
#include <variant>

#include "rows.hpp"
#include "second_order.hpp"
#define ROSENBLATT_HOST

namespace rosenblatt {

inline void sort_descending(double* values, Index n) { std::sort(values, values + n, std::greater<>()); }

}  // namespace rosenblatt
#endif

namespace rosenblatt {

ROSENBLATT_DEVICE inline double smaller(double a, double b) { return b < a ? b : a; }
ROSENBLATT_DEVICE inline double larger(double a, double b) { return a < b ? b : a; }

enum class Share { max, uniform, proportional };

struct Still {  // no update: scoring
    template <class E>
    ROSENBLATT_DEVICE double step(const E&) const {
        return 0;
    }
};

struct Perceptron {  // Rosenblatt 1958; with a margin, Duda & Hart 1973; shares: Crammer & Singer 2003
    double eta, margin;
    Share share;

    template <class E>
    ROSENBLATT_DEVICE double step(const E& e) const {
        return e.wrong || (margin > 0 && e.margin <= margin) ? eta * e.weight : 0;
    }
    template <class E>
    ROSENBLATT_DEVICE double spread(const E& e, double* coef) const {
        const double tau = step(e);
        if (tau == 0) return 0;
        if (share == Share::max) {
            coef[e.rival] = -tau;
        } else {
            double total = 0;
            Index offenders = 0;
            for (Index r = 0; r < e.n_classes; ++r) {
                const double excess = margin - (e.scores[e.y] - e.scores[r]);
                if (r == e.y || excess < 0) continue;
                total += excess;
                ++offenders;
            }
            for (Index r = 0; r < e.n_classes; ++r) {
                const double excess = margin - (e.scores[e.y] - e.scores[r]);
                if (r == e.y || excess < 0) continue;
                coef[r] = share == Share::proportional && total > 0 ? -(tau * (excess / total))
                                                                    : -(tau / static_cast<double>(offenders));
            }
        }
        coef[e.y] = tau;
        return tau;
    }
};

struct Paum {  // Li et al. 2002: the perceptron, with the margin of the row's class
    double eta;
    Share share;
    const double* margins;

    template <class E>
    ROSENBLATT_DEVICE double step(const E& e) const {
        return Perceptron{eta, margins[e.y], share}.step(e);
    }
    template <class E>
    ROSENBLATT_DEVICE double spread(const E& e, double* coef) const {
        return Perceptron{eta, margins[e.y], share}.spread(e, coef);
    }
};

struct PassiveAggressive {  // Crammer et al. 2006, fig. 1
    template <class E>
    ROSENBLATT_DEVICE double step(const E& e) const {
        return e.loss > 0 && e.norm2() > 0 ? e.loss / e.norm2() : 0;
    }
};

struct PassiveAggressive1 {  // Crammer et al. 2006, fig. 1, PA-I
    double C;
    template <class E>
    ROSENBLATT_DEVICE double step(const E& e) const {
        return e.loss > 0 && e.norm2() > 0 ? smaller(e.weight * C, e.loss / e.norm2()) : 0;
    }
};

struct PassiveAggressive2 {  // Crammer et al. 2006, fig. 1, PA-II
    double C;
    template <class E>
    ROSENBLATT_DEVICE double step(const E& e) const {
        return e.loss > 0 && e.norm2() > 0 ? e.loss / (e.norm2() + 1 / (2 * (e.weight * C))) : 0;
    }
};

// Coordinate ascent in the dual of the hard-margin problem (Hildreth 1957): passive-aggressive steps that may also take
// back what the row was given, so that the weights end at the largest margin. Its steps are not all positive.
struct HardMargin {
    template <class E>
    ROSENBLATT_DEVICE double step(const E& e) const {
        return e.norm2() > 0 ? larger(-e.weight, e.loss / e.norm2()) : 0;
    }
};

struct Mira {  // the smallest change after which every wrong class is beaten by 1; C (infinity: none) caps the slack
    double C;

    template <class E>
    ROSENBLATT_DEVICE double step(const E& e) const {  // two classes, one weight vector: PA, or PA-I with the same C
        return PassiveAggressive1{C}.step(e);
    }
    template <class E>
    ROSENBLATT_DEVICE double spread(const E& e, double* coef) const {
        const double A = e.A(), cap = e.weight * C;
        if (!(e.loss > 0 && A > 0 && cap * A > 0)) return 0;
        double* sorted = e.scratch;
        Index n = 0;
        for (Index r = 0; r < e.n_classes; ++r)
            if (r != e.y) sorted[n++] = 1 - (e.scores[e.y] - e.scores[r]);
        sort_descending(sorted, n);
        double sum = 0, k = 0;  // over S, the longest prefix of active constraints
        for (Index i = 0; i < n && (k + 1) * sorted[i] > sum; ++i) {
            sum += sorted[i];
            ++k;
        }
        double level = sum / (k + 1), lift = 0;  // τ_r = (ℓ_r − level)/A + lift
        if (level > cap * A) {
            sum = k = 0;
            for (Index i = 0; i < n && k * sorted[i] > sum - cap * A; ++i) {
                sum += sorted[i];
                ++k;
            }
            level = sum / k;
            lift = cap / k;
        }
        double gain = 0;
        for (Index r = 0; r < e.n_classes; ++r) {
            if (r == e.y) continue;
            const double tau = (1 - (e.scores[e.y] - e.scores[r]) - level) / A + lift;
            if (!(tau > 0)) continue;
            coef[r] = -tau;
            gain += tau;
        }
        coef[e.y] = gain;
        return gain;
    }
};

struct NormMira {  // Crammer & Singer 2003: the W of smallest norm, each class moved by at most 1
    double beta;

    template <class E>
    ROSENBLATT_DEVICE double step(
        const E& e) const {  // two classes: W = (−w/2, +w/2), so w moves by twice what the right class gains
        return e.margin < beta && e.norm2() > 0 ? smaller(2.0, (beta - e.margin) / e.norm2()) : 0;
    }
    template <class E>
    ROSENBLATT_DEVICE double spread(const E& e, double* coef) const {
        const double A = e.A();
        if (!(e.margin < beta && A > 0)) return 0;
        double* sorted = e.scratch;  // the scores of the wrong classes
        Index n = 0;
        for (Index r = 0; r < e.n_classes; ++r)
            if (r != e.y) sorted[n++] = e.scores[r];
        sort_descending(sorted, n);
        const auto below = [&](double score) { return (sorted[0] - score) / A; };  // the best wrong class
        double sum = 0, drop = 0;  // the right class gains 1: the first p wrong ones come down to the same level
        for (Index p = 1; p <= n; ++p) {
            sum += below(sorted[p - 1]);
            drop = (sum + 1) / static_cast<double>(p);
            if (p < n && drop <= below(sorted[p])) break;
        }
        if (above(e, A, sorted[0]) - drop >= 1) {
            for (Index r = 0; r < e.n_classes; ++r) coef[r] = smaller(below(e.scores[r]) - drop, 0.0);
            return coef[e.y] = 1;
        }
        double theta = 0;
        sum = 0;
        for (Index p = 1; p <= n; ++p) {
            sum += above(e, A, sorted[p - 1]);
            theta = sum / static_cast<double>(p + 1);
            if (p < n && theta >= above(e, A, sorted[p])) break;
        }
        for (Index r = 0; r < e.n_classes; ++r) {
            const double B = above(e, A, e.scores[r]);
            coef[r] = smaller(theta, B) - B;
        }
        return coef[e.y] = theta;
    }

  private:
    template <class E>
    ROSENBLATT_DEVICE double above(const E& e, double A,
                                   double score) const {  // (B_r − B_y)/A: how far above where it may be
        return (beta - (e.scores[e.y] - score)) / A;
    }
};

// What each class gains of x under a rule, and what the right one does: by its `spread`, or by its step alone, which
// the rival loses.
template <class R, class E>
ROSENBLATT_DEVICE auto class_steps(const R& rule, const E& e, double* coef, int) -> decltype(rule.spread(e, coef)) {
    for (Index r = 0; r < e.n_classes; ++r) coef[r] = 0;
    return rule.spread(e, coef);
}
template <class R, class E>
ROSENBLATT_DEVICE double class_steps(const R& rule, const E& e, double* coef, long) {
    const double tau = rule.step(e);
    if (tau > 0) {
        for (Index r = 0; r < e.n_classes; ++r) coef[r] = 0;
        coef[e.y] = tau;
        coef[e.rival] = -tau;
    }
    return tau;
}
template <class R, class E>
ROSENBLATT_DEVICE double class_steps(const R& rule, const E& e, double* coef) {
    return class_steps(rule, e, coef, 0);  // an int: the first is the better match, where there is one
}

// The rules by name, as Rule.native of Python hands them over: the name, then numbers, and the share of the classes.
// `numbers_from` are all from there on, one for each class: calls with more classes are refused.
#define ROSENBLATT_RULES(RULE)                                     \
    RULE("still", Still{})                                         \
    RULE("perceptron", Perceptron{number(1), number(2), share(3)}) \
    RULE("PAUM", Paum{number(1), share(2), numbers_from(3)})       \
    RULE("PA", PassiveAggressive{})                                \
    RULE("PA1", PassiveAggressive1{number(1)})                     \
    RULE("PA2", PassiveAggressive2{number(1)})                     \
    RULE("hard margin", HardMargin{})                              \
    RULE("MIRA", Mira{number(1)})                                  \
    RULE("NormMIRA", NormMira{number(1)})

#ifdef ROSENBLATT_HOST
using Rule = std::variant<Still, Perceptron, Paum, PassiveAggressive, PassiveAggressive1, PassiveAggressive2,
                          HardMargin, Mira, NormMira, SecondOrder>;
#endif

}  // namespace rosenblatt

#endif
