// The update rules: how far to move on this example. The same rules stand in reference.py, line for line.
//
// A rule sees an example E that a model has judged (models.hpp):
//   e.margin   y·s, or s_y − s_r against the best wrong class r ("the rival")
//   e.wrong    a mistake, ties by the tie rule
//   e.loss     max-free hinge 1 − margin; for regression |s − y| − ε
//   e.weight   sample weight × class weight, v; under HardMargin the row's coefficient so far
//   e.A()      ‖x‖², the bias feature included
//   e.norm2()  ‖·‖² of the direction of a step: A, or 2A against a rival
// and answers with the step τ ≥ 0 (0: no update). A rule that moves several classes at once has `spread`, which
// fills one coefficient per class (W_r += coef_r·x) and returns what the right class gains.
#pragma once

#include <algorithm>
#include <functional>
#include <variant>
#include <vector>

#include "rows.hpp"

namespace rosenblatt {

enum class Share { max, uniform, proportional };

struct Still {  // no update: scoring
    template <class E>
    double step(const E&) const {
        return 0;
    }
};

struct Perceptron {  // Rosenblatt 1958; with a margin, Duda & Hart 1973; shares: Crammer & Singer 2003
    double eta, margin;
    Share share;

    template <class E>
    double step(const E& e) const {
        return e.wrong || (margin > 0 && e.margin <= margin) ? eta * e.weight : 0;
    }
    template <class E>
    double spread(const E& e, double* coef) const {
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

struct PassiveAggressive {  // Crammer et al. 2006, fig. 1
    template <class E>
    double step(const E& e) const {
        return e.loss > 0 && e.norm2() > 0 ? e.loss / e.norm2() : 0;
    }
};

struct PassiveAggressive1 {  // Crammer et al. 2006, fig. 1, PA-I
    double C;
    template <class E>
    double step(const E& e) const {
        return e.loss > 0 && e.norm2() > 0 ? std::min(e.weight * C, e.loss / e.norm2()) : 0;
    }
};

struct PassiveAggressive2 {  // Crammer et al. 2006, fig. 1, PA-II
    double C;
    template <class E>
    double step(const E& e) const {
        return e.loss > 0 && e.norm2() > 0 ? e.loss / (e.norm2() + 1 / (2 * (e.weight * C))) : 0;
    }
};

// Coordinate ascent in the dual of the hard-margin problem (Hildreth 1957): passive-aggressive steps that may also take
// back what the row was given, so that the weights end at the largest margin. Its steps are not all positive.
struct HardMargin {
    template <class E>
    double step(const E& e) const {
        return e.norm2() > 0 ? std::max(-e.weight, e.loss / e.norm2()) : 0;
    }
};

struct Mira {  // the smallest change after which every wrong class is beaten by 1; C (infinity: none) caps the slack
    double C;

    template <class E>
    double step(const E& e) const {  // two classes, one weight vector: PA, or PA-I with the same C
        return PassiveAggressive1{C}.step(e);
    }
    template <class E>
    double spread(const E& e, double* coef) const {
        const double A = e.A(), cap = e.weight * C;
        if (!(e.loss > 0 && A > 0 && cap * A > 0)) return 0;
        std::vector<double>& sorted = e.scratch;
        sorted.clear();
        for (Index r = 0; r < e.n_classes; ++r)
            if (r != e.y) sorted.push_back(1 - (e.scores[e.y] - e.scores[r]));
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        double sum = 0, k = 0;  // over S, the longest prefix of active constraints
        for (const double loss : sorted) {
            if (!((k + 1) * loss > sum)) break;
            sum += loss;
            ++k;
        }
        double level = sum / (k + 1), lift = 0;  // τ_r = (ℓ_r − level)/A + lift
        if (level > cap * A) {
            sum = k = 0;
            for (const double loss : sorted) {
                if (!(k * loss > sum - cap * A)) break;
                sum += loss;
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
    double step(const E& e) const {  // two classes: W = (−w/2, +w/2), so w moves by twice what the right class gains
        return e.margin < beta && e.norm2() > 0 ? std::min(2.0, (beta - e.margin) / e.norm2()) : 0;
    }
    template <class E>
    double spread(const E& e, double* coef) const {
        const double A = e.A();
        if (!(e.margin < beta && A > 0)) return 0;
        std::vector<double>& sorted = e.scratch;  // the scores of the wrong classes
        sorted.clear();
        for (Index r = 0; r < e.n_classes; ++r)
            if (r != e.y) sorted.push_back(e.scores[r]);
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        const auto below = [&](double score) { return (sorted[0] - score) / A; };  // the best wrong class
        double sum = 0, drop = 0;  // the right class gains 1: the first p wrong ones come down to the same level
        for (std::size_t p = 1; p <= sorted.size(); ++p) {
            sum += below(sorted[p - 1]);
            drop = (sum + 1) / static_cast<double>(p);
            if (p < sorted.size() && drop <= below(sorted[p])) break;
        }
        if (above(e, A, sorted[0]) - drop >= 1) {
            for (Index r = 0; r < e.n_classes; ++r) coef[r] = std::min(below(e.scores[r]) - drop, 0.0);
            return coef[e.y] = 1;
        }
        double theta = 0;
        sum = 0;
        for (std::size_t p = 1; p <= sorted.size(); ++p) {
            sum += above(e, A, sorted[p - 1]);
            theta = sum / static_cast<double>(p + 1);
            if (p < sorted.size() && theta >= above(e, A, sorted[p])) break;
        }
        for (Index r = 0; r < e.n_classes; ++r) {
            const double B = above(e, A, e.scores[r]);
            coef[r] = std::min(theta, B) - B;
        }
        return coef[e.y] = theta;
    }

  private:
    template <class E>
    double above(const E& e, double A, double score) const {  // (B_r − B_y)/A: how far above where it may be
        return (beta - (e.scores[e.y] - score)) / A;
    }
};

using Rule = std::variant<Still, Perceptron, PassiveAggressive, PassiveAggressive1, PassiveAggressive2, HardMargin,
                          Mira, NormMira>;

}  // namespace rosenblatt
