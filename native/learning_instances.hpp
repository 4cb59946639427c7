// The definitions of learning.hpp, for the files that are compiled for one type of numbers each.
#pragma once

#include <optional>
#include <stdexcept>

#include "class_parts.hpp"
#include "learning.hpp"
#include "named_row.hpp"

namespace rosenblatt {

// One pass of one instance.
template <class Rows, class Model, class Targets>
bool run(const Rows& rows, Model& model, const PyRule& rule, const Examples<Targets>& examples,
         nb::handle pocket_weights, bool ratchet, PyTally& kept, bool stop) {
    using T = typename Rows::value_type;
    if (kept.n_vectors != model.w.n_classes || !kept.is_writable())
        throw std::invalid_argument("the tally must be writable, and of as many vectors as the model");
    const Index n_classes = std::max<Index>(2, model.w.n_classes);
    rule.check_classes(n_classes);
    if (std::holds_alternative<SecondOrder>(rule.rule) != static_cast<bool>(model.w.sure) &&
        !std::holds_alternative<Still>(rule.rule))
        throw std::invalid_argument("second-order rules learn with a confidence, and no others do");
    if (model.w.sure && !has_features<std::remove_cvref_t<decltype(rows[0])>>)
        throw std::invalid_argument("a confidence is of features, which a kernel has not");
    check_order(examples, rows.n_rows);
    if constexpr (std::is_same_v<Targets, Codes>) check_codes(examples, n_classes);
    Tally tally{.room = kept.number(PyTally::room),
                .batch = model.w.sink != model.w.bias,
                .mistakes = kept.count(PyTally::mistakes),
                .updates = kept.count(PyTally::updates),
                .visited = kept.count(PyTally::visited),
                .growth = kept.number(PyTally::growth),
                .tau = kept.tau(),
                .least = kept.least()};
    Pocket<T> pocket{};
    if (!pocket_weights.is_none()) {
        if constexpr (requires { model.w.lists; }) throw std::invalid_argument("lists of classes have no pocket");
        const Index size = (1 + rows.n_features) * model.w.stride;
        pocket = {writable<T>(pocket_weights, size, "pocket"),
                  size,
                  kept.count(PyTally::run),
                  kept.count(PyTally::best_run),
                  kept.count(PyTally::errors),
                  ratchet,
                  kept.count(PyTally::is_current) != 0};
    }
    {
        std::optional<nb::gil_scoped_release> unlocked;
        if (rows.n_rows > 1) unlocked.emplace();
        learn_on_threads(rows, model, rule.rule, examples, pocket, stop, tally);
    }
    kept.set(PyTally::growth, tally.growth);
    kept.set_count(PyTally::visited, tally.visited);
    kept.set_count(PyTally::mistakes, tally.mistakes);
    kept.set_count(PyTally::updates, tally.updates);
    if (pocket.weights) {
        kept.set_count(PyTally::run, pocket.run);
        kept.set_count(PyTally::best_run, pocket.best);
        kept.set_count(PyTally::errors, pocket.errors);
        kept.set_count(PyTally::is_current, pocket.current);
    }
    return !tally.overflow;
}

template <class T>
bool learn_from(const AnyRows& rows, const Learning& asked) {
    bool done = false;
    rows.visit([&]<class Rows>(const Rows& view) {
        if constexpr (!std::is_same_v<typename Rows::value_type, T>)
            throw std::invalid_argument("rows and weights must be numbers of one type");
        else
            asked.model.with_view<T, is_sparse<Rows>>(view.n_features, true, [&]<class Model>(Model m) {
                const auto with = [&](auto target) {
                    Examples<decltype(target)> examples{target, nullptr,
                                                        read_only_or_none<double>(asked.weight, view.n_rows, "weights"),
                                                        view.n_rows, asked.first};
                    examples.dual = writable_or_none<double>(asked.dual, view.n_rows, "coefficients");
                    examples.steps = writable_or_none<double>(asked.steps, view.n_rows * m.w.n_classes, "steps");
                    examples.misread = writable_or_none<Index>(asked.misread, 1, "misread");
                    examples.n_threads = asked.n_threads;
                    if (!asked.order.is_none()) {
                        const auto numbers = array<ReadOnly>(asked.order, "order");
                        examples.order = typed<std::int32_t>(numbers, 0, "order");
                        examples.count = static_cast<Index>(numbers.size());
                    }
                    done = run(view, m, asked.rule, examples, asked.pocket, asked.ratchet, asked.tally, asked.stop);
                };
                std::int32_t one = 0;
                if constexpr (std::is_same_v<Model, Regression<T>>)
                    with(read_only<double>(asked.targets, view.n_rows, "targets"));
                else
                    with(codes_of(asked.targets, view.n_rows, one));
            });
    });
    return done;
}

template <class T>
bool learn_from_one(const nb::dict& row, const nb::dict& columns, const PyModel& model, const PyRule& rule,
                    nb::handle target, double weight, nb::handle pocket, PyTally& tally) {
    bool done = false;
    const NamedRow<T> named(row, columns, true);
    model.with_view<T>(named.n_features, true, [&]<class Model>(Model m) {
        const auto with = [&](auto one) {
            const Examples<decltype(one)> examples{one, nullptr, &weight, 1};
            done = run(named.rows(), m, rule, examples, pocket, false, tally, false);
        };
        if constexpr (std::is_same_v<Model, Regression<T>>) {
            const double number = nb::cast<double>(target);
            with(&number);
        } else {
            const std::int32_t code = nb::cast<std::int32_t>(target);
            with(Codes{nullptr, &code});
        }
    });
    return done;
}

}  // namespace rosenblatt
