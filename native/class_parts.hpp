// One against the rest on several threads. The classes are independent of each other, so each thread learns some of
// them by the training loop itself (learn.hpp), over the same examples, on a copy of their vectors. What is of an
// example as a whole is joined afterwards, in the order of examples and classes: the bound on what the steps add to
// ‖W‖², and whether the readout was wrong. If an example could have overflowed, the copies are dropped, and one thread
// learns: the bits are always those of one.
//
// Copies lie side by side in the registers and cache lines of one thread, and are what makes it easy to undo. They cost
// time, so that examples must have many more numbers than there are features.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "learn.hpp"
#include "pages.hpp"
#include "parallel.hpp"

namespace rosenblatt {

template <class Rows, class Model>
constexpr bool can_part_classes =
    has_features<std::remove_cvref_t<decltype(std::declval<Rows>()[0])>> &&
    requires(const Model& model) { model.part; } && !requires(const Model& model) { model.w.lists; };

// Some columns of rows of numbers, side by side.
template <class V>
struct Columns {
    Aligned<V> memory;
    V* at = nullptr;
    Index n = 0, own = 0;  // columns, and numbers of a row

    V* take(const V* from, Index n_rows, Index stride, Index n_columns, Index room) {
        constexpr Index line = 64 / static_cast<Index>(sizeof(V));
        n = n_columns;
        own = room;
        memory = aligned<V>(static_cast<std::size_t>(n_rows * own + line));
        at = memory.get() + (line - own % line) % line;  // row 1 starts a cache line
        for (Index i = 0; i < n_rows; ++i) {
            std::copy_n(from + i * stride, n, at + i * own);
            std::fill_n(at + i * own + n, own - n, V{0});
        }
        return at;
    }
    void give_back(V* to, Index first, Index last, Index stride) const {
        for (Index i = first; at && i < last; ++i) std::copy_n(at + i * own, n, to + i * stride);
    }
};

template <class Rows, class Model, class Targets>
class ClassParts {
    using T = typename Rows::value_type;

    // Numbers of the examples times classes that are worth threads; such numbers for each feature, at least; and bytes
    // of copies, at most.
    static constexpr Index kWorth = 1 << 21, kReadings = 32, kCopies = 1 << 28;
    static constexpr Index kLeast = 1 + 16 / static_cast<Index>(sizeof(T));  // classes: more than half a register
    static constexpr Index kRowsGivenBack = 1 << 13;

    struct alignas(128) Part {
        Index first = 0, n = 0;  // the classes
        ClassPart kept;
        Columns<T> weights, sink, precision;
        Columns<double> total, covariance;
        std::vector<double> tau, least;
        Tally tally{};
        bool done = false;
        std::size_t joined = 0;  // of its steps
    };

    const Rows& rows_;
    Model& model_;
    const Rule& rule_;
    const Examples<Targets>& examples_;
    Tally& tally_;
    const Index n_rows_;  // of the weights: the biases, and one for each feature
    std::vector<Part> parts_;

  public:
    ClassParts(const Rows& rows, Model& model, const Rule& rule, const Examples<Targets>& examples, Tally& tally)
        : rows_(rows),
          model_(model),
          rule_(rule),
          examples_(examples),
          tally_(tally),
          n_rows_(model.w.sure.covariance ? model.w.sure.size : 1 + rows.n_features) {}

    // Whether all examples were learned from; if not, none was.
    bool learn_all() {
        const Index k = model_.w.n_classes, n_parts = worth_parts();
        if (n_parts < 2) return false;
        parts_ = std::vector<Part>(static_cast<std::size_t>(n_parts));
        for (Index p = 0; p < n_parts; ++p) {
            Part& part = parts_[static_cast<std::size_t>(p)];
            part.first = k * p / n_parts;
            part.n = k * (p + 1) / n_parts - part.first;
        }
        in_parallel(n_parts, n_parts, [&](Index p) { learn_part(parts_[static_cast<std::size_t>(p)]); });
        if (!join()) return false;
        const Index n = (n_rows_ + kRowsGivenBack - 1) / kRowsGivenBack;  // by rows: no two write to one cache line
        in_parallel(n, n_parts,
                    [&](Index i) { give_back(i * kRowsGivenBack, std::min(n_rows_, (i + 1) * kRowsGivenBack)); });
        return true;
    }

  private:
    Index worth_parts() const {
        const auto& w = model_.w;
        const Index count = examples_.count - examples_.first, number = static_cast<Index>(sizeof(T));
        if (examples_.n_threads < 2 || examples_.dual || examples_.steps || count == 0) return 1;
        double entries = static_cast<double>(count);
        if constexpr (is_sparse<Rows>)
            entries *= static_cast<double>(rows_.n_entries()) / static_cast<double>(rows_.n_rows);
        else
            entries *= static_cast<double>(rows_.n_features);
        const Index full = w.sure.covariance ? w.sure.size : 0, stride = w.stride;
        const Index each = number * (1 + (w.sink != w.bias) + (w.sure.precision != nullptr)) + (w.total ? 8 : 0);
        const double bytes = static_cast<double>(n_rows_ * stride * each) +
                             8.0 * static_cast<double>(full * full) * static_cast<double>(w.n_classes);
        if (entries * static_cast<double>(stride * std::max<Index>(1, full)) < kWorth || bytes > kCopies ||
            (!full && entries < static_cast<double>(kReadings * n_rows_)))
            return 1;
        return std::min(examples_.n_threads, w.n_classes / kLeast);
    }

    // A thread reads what all have, and writes to its part alone.
    void learn_part(Part& part) const {
        try {
            part.tau.assign(tally_.tau + part.first, tally_.tau + part.first + part.n);
            part.least.assign(tally_.least + part.first, tally_.least + part.first + part.n);
            Tally tally = tally_;
            tally.mistakes = tally.updates = 0;
            tally.tau = part.tau.data();
            tally.least = part.least.data();
            Model model(copy_for(part), model_.tie_is_mistake);
            model.first = part.first;
            model.part = &part.kept;
            Pocket<T> none{};
            learn(rows_, model, rule_, examples_, none, false, tally);
            part.tally = tally;
            part.done = !tally.overflow;
        } catch (...) {  // no memory: one thread needs less, or says so
        }
    }
    Weights<T> copy_for(Part& part) const {
        const auto& all = model_.w;
        const Index c = part.first, n = part.n, own = n <= 4 ? 4 : (n + 7) / 8 * 8;
        const auto take = [&](auto& columns, auto* from) {
            return columns.take(from + c, n_rows_, all.stride, n, own);
        };
        Weights<T> w = all;
        w.bias = take(part.weights, all.bias);
        w.sink = all.sink == all.bias ? w.bias : take(part.sink, all.sink);
        if (all.total) w.total = take(part.total, all.total);
        if (all.sure.precision) w.sure.precision = take(part.precision, all.sure.precision);
        if (all.sure.covariance) {
            const Index size2 = all.sure.size * all.sure.size;
            w.sure.covariance = part.covariance.take(all.sure.covariance + c * size2, n, size2, size2, size2);
        }
        w.n_classes = n;
        w.stride = w.sure.stride = own;
        return w;
    }
    void give_back(Index first, Index last) const {
        const auto& all = model_.w;
        for (const Part& part : parts_) {
            if (part.tally.updates == 0) continue;
            const Index c = part.first, size2 = all.sure.size * all.sure.size;
            (all.sink == all.bias ? part.weights : part.sink).give_back(all.sink + c, first, last, all.stride);
            if (all.total) part.total.give_back(all.total + c, first, last, all.stride);
            if (all.sure.precision) part.precision.give_back(all.sure.precision + c, first, last, all.stride);
            if (all.sure.covariance && first == 0)
                part.covariance.give_back(all.sure.covariance + c * size2, 0, part.n, size2);
        }
    }

    // The counts of all parts; false: an example could have overflowed.
    bool join() {
        Tally all = tally_;
        for (const Part& part : parts_)
            if (!part.done) return false;
        if (!join_steps(all)) return false;
        for (const Part& part : parts_) {
            all.mistakes += part.tally.mistakes;
            all.updates += part.tally.updates;
            std::copy(part.tau.begin(), part.tau.end(), tally_.tau + part.first);
            std::copy(part.least.begin(), part.least.end(), tally_.least + part.first);
        }
        all.visited = parts_[0].tally.visited;
        tally_ = all;
        if (examples_.misread) join_best();
        return true;
    }
    // Each example's steps by all parts, as `consider` adds them up.
    bool join_steps(Tally& all) {
        constexpr Index none = std::numeric_limits<Index>::max();
        for (;;) {
            Index visit = none;
            for (const Part& part : parts_)
                if (part.joined < part.kept.steps.size()) visit = std::min(visit, part.kept.steps[part.joined].visit);
            if (visit == none) return true;
            double along = 0, moved2 = 0;
            for (Part& part : parts_) {
                const auto& steps = part.kept.steps;
                for (; part.joined < steps.size() && steps[part.joined].visit == visit; ++part.joined) {
                    along += steps[part.joined].along;
                    moved2 += steps[part.joined].moved2;
                }
            }
            if (!(model_.w.sure ? all.admit_any_step(moved2) : all.admit_step(along, moved2))) return false;
        }
    }
    void join_best() const {
        for (Index i = examples_.first; i < examples_.count; ++i) {
            const auto at = static_cast<std::size_t>(i - examples_.first);
            auto best = parts_[0].kept.best[at];
            for (const Part& part : parts_)
                if (part.kept.best[at].score > best.score) best = part.kept.best[at];
            *examples_.misread += best.code != examples_.target[examples_.row(i)];
        }
    }
};

// `learn`, on as many threads as it may take and has use for. A pocket, a stop and steps that are written down are of
// all classes at once.
template <class Rows, class Model, class Targets>
void learn_on_threads(const Rows& rows, Model& model, const Rule& rule, const Examples<Targets>& examples,
                      Pocket<typename Rows::value_type>& pocket, bool stop, Tally& tally) {
    if constexpr (can_part_classes<Rows, Model>)
        if (!stop && !pocket.weights &&
            ClassParts<Rows, Model, Targets>(rows, model, rule, examples, tally).learn_all())
            return;
    learn(rows, model, rule, examples, pocket, stop, tally);
}

}  // namespace rosenblatt
