// The models: how a row is scored and judged, and which weights a step moves.
//
//   Binary      one weight vector, y = ±1
//   Multiclass  one vector per class; an example plays the right class against the wrong ones
//   OneVsRest   one vector per class, each a binary learner of its own
//   Regression  one weight vector, y a number, PA's ε-insensitive loss
//
// `consider` scores and judges one example, asks the rule for the step and notes the counts; `move` takes the step.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "confidence.hpp"
#include "lists.hpp"
#include "rules.hpp"

namespace rosenblatt {

// (1 + d) rows of `stride` numbers, class-minor. Row 0 is the bias: the weight of a constant feature times that, so
// that a step a·x moves it by a·`one`, the constant's square (0: no bias).
template <class T>
struct Weights {
    T* bias;
    Index n_classes, stride;
    T one;
    T* sink;               // where steps go: `bias` itself, or the gradient of a batch step
    double* total;         // Σ (t − 1)·Δ_t for the averaged readout, or null
    Confidence<T> sure{};  // of second-order rules

    const T* features() const { return bias + stride; }

    // *w += a·value. The average sees the change as it was rounded, so that it is the mean of the real weights.
    void bump(T* w, T a, T value, double before) const {
        const T old = *w, now = old + a * value;
        *w = now;
        total[w - sink] += before * (static_cast<double>(now) - static_cast<double>(old));
    }

    // *w = now, at the t-th example.
    void put(T* w, T now, Index t) const {
        if (total) total[w - sink] += static_cast<double>(t - 1) * (static_cast<double>(now) - static_cast<double>(*w));
        *w = now;
    }

    // The one vector += a·x, at the t-th example.
    template <class Row>
    void add(const Row& x, T a, Index t) const {
        T* const w = sink + 1;
        if (total) {
            const double before = static_cast<double>(t - 1);
            bump(sink, a, one, before);
            x.each([&](Index j, T value) { bump(w + j, a, value, before); },
                   [&](Index j) { prefetch_near(total + 1 + j); });
        } else {
            *sink += a * one;
            x.each([&](Index j, T value) { w[j] += a * value; });
        }
    }

    // The one vector += a·x without the sums: `old` gets each weight as it was.
    template <class Row>
    void add_noting(const Row& x, T a, T* old) const {
        T* const w = sink + 1;
        const auto step = [&](T* at, T value) {
            *old++ = *at;
            *at += a * value;
        };
        step(sink, one);
        x.each([&](Index j, T value) { step(w + j, value); });
    }
    // The sums that go with that step, at the t-th example; where what it noted ends.
    template <class Row>
    const T* add_noted(const Row& x, T a, const T* old, Index t) const {
        const double before = static_cast<double>(t - 1);
        const auto add = [&](double* sum, T value) {
            const T was = *old++, now = was + a * value;
            *sum += before * (static_cast<double>(now) - static_cast<double>(was));
        };
        add(total, one);
        x.each([&](Index j, T value) { add(total + 1 + j, value); }, [&](Index j) { prefetch_near(total + 1 + j); });
        return old;
    }

    // W_c += a·x for every (c, a) of `steps`, at the t-th example.
    template <class Row>
    void add(const Row& x, const std::vector<std::pair<Index, T>>& steps, Index t) const {
        const double before = static_cast<double>(t - 1);
        const auto step = [&](T* row, T value) {
            for (const auto& [c, a] : steps) {
                if (total)
                    bump(row + c, a, value, before);
                else
                    row[c] += a * value;
            }
        };
        step(sink, one);
        const auto step_of = [&](Index j, T value) { step(sink + (j + 1) * stride, value); };
        if constexpr (requires { x.is_near(stride); }) {
            const auto ask = [&](Index j) {  // for the sums: the weights were read a moment ago
                for (const auto& [c, a] : steps) prefetch_near(total + (j + 1) * stride + c);
            };
            if (total && !x.is_near(stride)) {
                x.ask_first(ask);
                return x.each(step_of, ask);
            }
        }
        x.each_nonzero(step_of);
    }

    // Scores of all classes without their biases: `out` has room for `stride`.
    template <class Row>
    void class_scores(const Row& x, T* out) {
        const T* from = features();
        for (Index c = 0; c < stride;) {
            const Index left = stride - c;
            if (sizeof(T) == 4 && left >= 16) {
                x.template dots<16>(from + c, stride, out + c);
                c += 16;
            } else if (left >= 8) {
                x.template dots<8>(from + c, stride, out + c);
                c += 8;
            } else {
                x.template dots<4>(from + c, stride, out + c);
                c += 4;
            }
        }
    }
};

// The same, with one row, that of the biases: features have lists (lists.hpp).
template <class T>
struct ListedWeights : Weights<T> {
    struct Found {
        typename ClassLists<T>::List list;
        std::uint32_t size;
        T value;
        Index lane;
    };
    ClassLists<T>* lists;
    std::vector<T> lanes;      // 16 partial sums of each class, all 0 between calls
    std::vector<Found> found;  // the lists of a row, while the first of them are on their way
    std::vector<std::pair<Index, T>> numbered;

    ListedWeights(const Weights<T>& biases, ClassLists<T>* held)
        : Weights<T>(biases), lists(held), lanes(static_cast<std::size_t>(kLanes * biases.n_classes)) {}

    template <class Row>
    void add(const Row& x, const std::vector<std::pair<Index, T>>& steps, Index t) {
        const double before = static_cast<double>(t - 1);
        numbered.clear();
        for (const auto& [c, a] : steps) {
            numbered.emplace_back(lists->number(c), a);
            if (this->total)
                this->bump(this->sink + c, a, this->one, before);
            else
                this->sink[c] += a * this->one;
        }
        std::sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto step = [&](Index j, T value) {
            if (value == 0) return;
            for (const auto& [number, a] : numbered) {
                const std::size_t place = lists->find(j, static_cast<std::int32_t>(number));
                const auto held = lists->list(lists->row(j));
                const T old = held.weight[place], now = old + a * value;
                held.weight[place] = now;
                if (held.total) held.total[place] += before * (static_cast<double>(now) - static_cast<double>(old));
            }
        };
        x.each(step, [&](Index j) { prefetch_near(lists->list(lists->row(j)).total); });
    }

    // Scores by the weights, or, after n > 0 examples, by their average W − total/n, rounded as its readout is.
    template <class Row>
    void class_scores(const Row& x, T* out, double n = 0) {
        found.clear();
        const auto ask = [&](Index j) { prefetch_near(&lists->row(j)); };
        x.ask_first(ask);
        x.each(
            [&](Index j, T value) {
                const auto row = lists->row(j);
                if (row.size == 0) return;
                found.push_back({lists->list(row), row.size, value, j & (kLanes - 1)});
                lists->prefetch_list(found.back().list, row.size);
            },
            ask);
        const Index k = this->n_classes;
        for (const auto& [held, size, value, lane] : found) {
            T* const sums = lanes.data() + lane * k;
            if (n > 0)
                for (Index e = 0; e < size; ++e)
                    sums[held.number[e]] += value * mean_weight(held.weight[e], held.total[e], n);
            else if (size == k)
                add_product(value, held.weight, k, sums);
            else
                for (Index e = 0; e < size; ++e) sums[held.number[e]] += value * held.weight[e];
        }
        T* const at = lanes.data();
        for (Index half = kLanes / 2; half > 0; half /= 2)
            for (Index i = 0; i < half * k; ++i) at[i] += at[half * k + i];
        for (Index c = 0; c < k; ++c) out[lists->codes()[c]] = at[c];
        std::fill(lanes.begin(), lanes.end(), T{0});
    }
};

// What a run has counted so far.
struct Tally {
    double room = std::numeric_limits<double>::infinity();  // growth beyond which the numbers could overflow
    bool overflow = false;                                  // a step was not taken because of it
    bool batch = false;                                     // the steps are summed before they are taken
    Index mistakes = 0, updates = 0, visited = 0;
    double growth = 0;  // Σ max(0, 2·Σ_r a_r·s_r) + Σ_r a_r²·‖x‖²: the steps add at most this to ‖W‖²
    double* tau;        // Σ τ, what the right class gained; per class for OneVsRest
    double* least;      // the smallest margin of the pass; likewise

    void note_margin(double margin, bool wrong, Index slot = 0) {
        mistakes += wrong;
        least[slot] = std::min(least[slot], margin);
        overflow = overflow || !std::isfinite(margin);
    }
    // Whether a step may be taken: Σ_r a_r·s_r is what it adds to ‖W‖²/2 besides half its own squared length.
    bool admit_step(double a_dot_s, double moved2) {
        const double reach = std::sqrt(growth) + std::sqrt(moved2);  // steps that are summed may all point one way
        const double grown = batch ? reach * reach : growth + std::max(0.0, 2 * a_dot_s) + moved2;
        overflow = overflow || !(grown <= room);
        if (!overflow) growth = grown;
        return !overflow;
    }
    // Likewise a step of any direction, of at most this squared length: all of them may point one way.
    bool admit_any_step(double moved2) {
        const double reach = std::sqrt(growth) + std::sqrt(moved2), grown = reach * reach;
        overflow = overflow || !(grown <= room);
        if (!overflow) growth = grown;
        return !overflow;
    }
    void note_step(double gain, Index slot = 0) {
        tau[slot] += gain;
        ++updates;
    }
};

struct Outcome {
    bool wrong, moves;
    double gain = 0;  // τ of the one vector
};

// What a rule sees of an example (rules.hpp lists the terms).
template <class Row>
struct Judged {
    const Row& x;
    double one, margin, loss, weight;
    bool wrong;
    Index y;                                                     // the code of the right class; 0 in a regression
    mutable double norm = -1;                                    // ‖x‖², once it was asked for
    const Confidence<typename Row::value_type>* sure = nullptr;  // of a second-order rule, whose Σ is that of
    Index plays = 0, against = -1;                               // this class, and of its rival, if there is one
    mutable double v = -1;                                       // xᵀΣx, once it was asked for

    double variance() const {
        if (v < 0) v = sure->variance(x, plays) + (against < 0 ? 0 : sure->variance(x, against));
        return v;
    }
    // The squared length of a second-order step α, or of what it may add to the weights, at most: Σ ≤ a.
    double sure_moved2(double alpha, const Shrink& how) const {
        if (how.form == Form2::sums) return moved2(alpha / sure->prior) * std::max(1.0, one);
        const double both = against < 0 ? 0 : sure->moved2(x, against, alpha, variance());
        return sure->moved2(x, plays, alpha, variance()) + both;
    }
    double A() const {
        if (norm < 0) norm = static_cast<double>(x.norm2() + static_cast<typename Row::value_type>(one));
        return norm;
    }
    double norm2() const { return A(); }
    // a²·‖x‖², never too small: a step may be too short for its square, and a row for its own.
    double moved2(double a) const {
        return a * (a * (A() + static_cast<double>(std::numeric_limits<typename Row::value_type>::min())));
    }
};

template <class Row>
struct JudgedAgainstRivals : Judged<Row> {
    const double* scores;
    Index n_classes, rival;
    double* scratch;

    double norm2() const { return 2 * this->A(); }
};

// How Σ becomes smaller at a step α of a rule: of those that keep one.
template <class E>
ROSENBLATT_APART Shrink shrink_of(const Rule& rule, const E& e, double alpha) {
    const auto* const kept = std::get_if<SecondOrder>(&rule);
    return kept ? kept->shrink(e, alpha) : Shrink{};
}

template <class T>
struct Binary {
    using Target = std::int32_t;  // 0: y = −1, 1: y = +1
    Weights<T> w;
    bool tie_is_mistake;
    T a = 0;                                  // the step
    double judged = 0;                        // the score of the example that was considered
    Shrink how{};                             // of a second-order step
    const double* sums_read_after = nullptr;  // those of the features, where a row reads them once it is scored

    template <class Row>
    T score(const Row& x) const {
        if constexpr (requires { x.is_near(1); })
            return x.dot(w.features(), sums_read_after) + w.bias[0];
        else
            return x.dot(w.features()) + w.bias[0];
    }
    const double* judged_scores() const { return &judged; }
    template <class Row>
    void scores(const Row& x, T* out) {
        *out = score(x);
    }
    // Ask for the weights of a row's first entries, which `dot` reads before it can ask for more.
    template <class Row>
    void ask(const Row& x) const {
        if constexpr (requires { x.is_near(1); })
            if (!x.is_near(1))
                x.ask_first([&](Index j) {
                    prefetch_near(w.features() + j);
                    if (sums_read_after) prefetch_near(sums_read_after + j);
                });
    }
    template <class Row>
    Outcome consider(const Row& x, Target target, double weight, const Rule& rule, Tally& tally) {
        const double y = target ? 1 : -1, s = static_cast<double>(score(x)), margin = y * s;
        judged = s;
        const bool wrong = !(margin > 0) && (margin != 0 || tie_is_mistake || target == 1);
        const Judged<Row> e{x, static_cast<double>(w.one), margin, 1 - margin, weight, wrong, target, -1, &w.sure};
        tally.note_margin(margin, wrong);
        const T tau = static_cast<T>(std::visit([&](const auto& r) { return r.step(e); }, rule));
        if (tau == 0 || w.sure.is_exhausted(tau)) return {wrong, false};
        const double step = static_cast<double>(tau);
        if (w.sure) {
            how = shrink_of(rule, e, step);
            if (!tally.admit_any_step(e.sure_moved2(step, how))) return {wrong, false};
        } else if (!tally.admit_step(step * margin, e.moved2(step))) {
            return {wrong, false};
        }
        a = target ? tau : -tau;
        tally.note_step(step);
        return {wrong, true, step};
    }
    template <class Row>
    void move(const Row& x, Index t) {
        if (w.sure)
            w.sure.move(x, w, 0, a, judged, how, t);
        else
            w.add(x, a, t);
    }
    void last_step(double* out) const { *out = static_cast<double>(a); }
};

template <class T>
struct Regression : Binary<T> {
    using Target = double;
    double epsilon;

    template <class Row>
    Outcome consider(const Row& x, Target y, double weight, const Rule& rule, Tally& tally) {
        const double s = static_cast<double>(this->score(x)), loss = std::abs(s - y) - epsilon;
        this->judged = s;
        const Judged<Row> e{x, static_cast<double>(this->w.one), 0, loss, weight, false, 0, -1, &this->w.sure};
        const T tau = static_cast<T>(std::visit([&](const auto& r) { return r.step(e); }, rule));
        tally.overflow = tally.overflow || !std::isfinite(s);
        if (!(tau > 0)) return {loss > 0, false};
        this->a = y > s ? tau : -tau;
        const double step = static_cast<double>(tau);
        if (!tally.admit_step(static_cast<double>(this->a) * s, e.moved2(step))) return {true, false};
        tally.note_step(step);
        return {true, true};
    }
};

// Class vectors, side by side or by lists (W): scores of all classes in one reading of the row.
template <class T, class W>
struct ClassVectors {
    W w;
    bool tie_is_mistake;
    std::vector<T> narrow;     // scores as the row's numbers
    std::vector<double> wide;  // and as the rules see them
    std::vector<double> coef;  // the step of each class
    std::vector<double> scratch;
    std::vector<std::pair<Index, T>> steps;  // those of them that are not 0
    std::vector<Shrink> how;                 // of second-order steps, those of each class

    ClassVectors(const W& weights, bool ties)
        : w(weights),
          tie_is_mistake(ties),
          narrow(static_cast<std::size_t>(weights.stride)),
          wide(static_cast<std::size_t>(weights.n_classes)),
          coef(static_cast<std::size_t>(weights.n_classes)),
          scratch(static_cast<std::size_t>(weights.n_classes)),
          how(weights.sure ? static_cast<std::size_t>(weights.n_classes) : 0) {}

    template <class Row>
    void all_scores(const Row& x) {
        w.class_scores(x, narrow.data());
        for (std::size_t c = 0; c < wide.size(); ++c) wide[c] = static_cast<double>(narrow[c] += w.bias[c]);
    }
    template <class Row>
    void scores(const Row& x, T* out) {
        all_scores(x);
        std::copy_n(narrow.data(), w.n_classes, out);
    }
    const double* judged_scores() const { return wide.data(); }
    template <class Row>
    void move(const Row& x, Index t) {
        if (w.sure) return move_surely(x, t);
        steps.clear();
        for (Index c = 0; c < w.n_classes; ++c) {
            const T a = static_cast<T>(coef[static_cast<std::size_t>(c)]);
            if (a != 0) steps.emplace_back(c, a);
        }
        w.add(x, steps, t);
    }
    template <class Row>
    ROSENBLATT_APART void move_surely(const Row& x, Index t) {
        if constexpr (!requires { w.lists; })
            for (std::size_t c = 0; c < coef.size(); ++c) {
                const T a = static_cast<T>(coef[c]);
                if (a != 0) w.sure.move(x, w, static_cast<Index>(c), a, wide[c], how[c], t);
            }
    }
    void last_step(double* out) const {
        for (std::size_t c = 0; c < coef.size(); ++c) out[c] = static_cast<double>(static_cast<T>(coef[c]));
    }
};

template <class T, class W = Weights<T>>
struct Multiclass : ClassVectors<T, W> {
    using Target = std::int32_t;
    using ClassVectors<T, W>::ClassVectors;

    template <class Row>
    Outcome consider(const Row& x, Target target, double weight, const Rule& rule, Tally& tally) {
        this->all_scores(x);
        const double* s = this->wide.data();
        const Index k = this->w.n_classes, y = target;
        Index rival = y == 0 ? 1 : 0;
        for (Index r = rival + 1; r < k; ++r)
            if (r != y && !(s[r] <= s[rival])) rival = r;  // NaN wins, and is seen below
        const double margin = s[y] - s[rival];
        const bool wrong = !(margin > 0) && (margin != 0 || this->tie_is_mistake || rival < y);
        tally.note_margin(margin, wrong);
        const JudgedAgainstRivals<Row> e{
            {x, static_cast<double>(this->w.one), margin, 1 - margin, weight, wrong, y, -1, &this->w.sure, y, rival},
            s,
            k,
            rival,
            this->scratch.data()};
        const T gain =
            static_cast<T>(std::visit([&](const auto& r) { return class_steps(r, e, this->coef.data()); }, rule));
        if (!(gain > 0) || this->w.sure.is_exhausted(gain)) return {wrong, false};
        if (this->w.sure) {
            const double step = static_cast<double>(gain);
            const Shrink shrink = shrink_of(rule, e, step);
            this->how[static_cast<std::size_t>(y)] = this->how[static_cast<std::size_t>(rival)] = shrink;
            if (!tally.admit_any_step(2 * e.sure_moved2(step, shrink))) return {wrong, false};
            tally.note_step(step);
            return {wrong, true};
        }
        double a_dot_s = 0, moved2 = 0;
        for (Index r = 0; r < k; ++r) {
            const double a = this->coef[static_cast<std::size_t>(r)];
            a_dot_s += a * s[r];
            moved2 += e.moved2(a);
        }
        if (!tally.admit_step(a_dot_s, moved2)) return {wrong, false};
        tally.note_step(static_cast<double>(gain));
        return {wrong, true};
    }
};

// What is noted of some of the classes one against the rest, so that counts can be joined to those of others
// (class_parts.hpp).
struct ClassPart {
    struct Step {
        Index visit;
        double along, moved2;  // what it adds to Σ a·s and Σ a²·‖x‖² of the example
    };
    struct Best {
        double score;
        Index code;
    };
    std::vector<Step> steps;  // in the order of examples, and of classes
    std::vector<Best> best;   // of each example that the readout was judged on

    ROSENBLATT_APART void note(Index visit, double along, double moved2) { steps.push_back({visit, along, moved2}); }
};

template <class T, class W = Weights<T>>
struct OneVsRest : ClassVectors<T, W> {
    using Target = std::int32_t;
    using ClassVectors<T, W>::ClassVectors;
    Index first = 0;            // the code of the first class, and
    ClassPart* part = nullptr;  // what to note, where these are not all classes

    template <class Row>
    Outcome consider(const Row& x, Target target, double weight, const Rule& rule, Tally& tally) {
        this->all_scores(x);
        const Index own = target - first;
        Outcome any{false, false};
        double norm = -1, a_dot_s = 0, moved2 = 0;
        for (Index c = 0; c < this->w.n_classes; ++c) {
            const double y = c == own ? 1 : -1, margin = y * this->wide[static_cast<std::size_t>(c)];
            const bool wrong = !(margin > 0) && (margin != 0 || this->tie_is_mistake || c == own);
            const Judged<Row> e{
                x, static_cast<double>(this->w.one), margin, 1 - margin, weight, wrong, target, norm, &this->w.sure, c};
            tally.note_margin(margin, wrong, c);
            T tau = static_cast<T>(std::visit([&](const auto& r) { return r.step(e); }, rule));
            if (this->w.sure.is_exhausted(tau)) tau = 0;
            const double step = static_cast<double>(tau);
            this->coef[static_cast<std::size_t>(c)] = tau > 0 ? y * step : 0;
            if (tau > 0) {
                double along = 0, length2;
                if (this->w.sure) {
                    Shrink& shrink = this->how[static_cast<std::size_t>(c)];
                    shrink = shrink_of(rule, e, step);
                    length2 = e.sure_moved2(step, shrink);
                } else {
                    norm = e.A();
                    along = std::max(0.0, step * margin);
                    length2 = e.moved2(step);
                }
                a_dot_s += along;
                moved2 += length2;
                if (part) part->note(tally.visited, along, length2);
            }
            any = {any.wrong || wrong, any.moves || tau > 0};
        }
        if (any.moves && !(this->w.sure ? tally.admit_any_step(moved2) : tally.admit_step(a_dot_s, moved2)))
            return {any.wrong, false};
        for (Index c = 0; c < this->w.n_classes; ++c) {
            const double step = std::abs(this->coef[static_cast<std::size_t>(c)]);
            if (step > 0) tally.note_step(step, c);
        }
        return any;
    }
};

}  // namespace rosenblatt
