// Lists of classes as Python has them: made of arrays that are checked, and read as arrays.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "learn.hpp"
#include "lists.hpp"

namespace rosenblatt {

// Class vectors by lists, of numbers of one type.
struct PyClassLists {
    std::variant<ClassLists<float>, ClassLists<double>> lists;

    template <class F>
    auto visit(F&& f) {
        return std::visit(std::forward<F>(f), lists);
    }
    template <class T>
    explicit PyClassLists(ClassLists<T> held) : lists(std::move(held)) {}
    PyClassLists(Index n_vectors, bool wide, bool averaged) : lists(ClassLists<float>(0, false)) {
        if (n_vectors < 2 || n_vectors > std::numeric_limits<std::int32_t>::max())
            throw std::invalid_argument("lists are of two classes at least");
        if (wide)
            lists = ClassLists<double>(n_vectors, averaged);
        else
            lists = ClassLists<float>(n_vectors, averaged);
    }
    // Of the rows whose entries begin where `start` says: their classes, ascending in each, weights and sums.
    static PyClassLists of(Index n_vectors, nb::object start, nb::object code, nb::object weight, nb::object total) {
        const KeptArray starts(std::move(start), "starts"), codes(std::move(code), "classes");
        const KeptArray weights(std::move(weight), "weights");
        PyClassLists made(n_vectors, weights.memory().dtype() == nb::dtype<double>(), !total.is_none());
        made.visit([&]<class T>(ClassLists<T>& held) {
            const auto n_rows = static_cast<Index>(starts.memory().size()) - 1;
            const Index* const from = starts.read<Index>(1, "starts");
            const auto n = static_cast<Index>(codes.memory().size());
            check_starts(from, n_rows, n);
            const auto* const classes = codes.read<std::int32_t>(n, "classes");
            const T* const w = weights.read<T>(n, "weights");
            const double* const sums = read_only_or_none<double>(total, n, "total");
            check_below(classes, n, n_vectors, "classes");
            held.reserve(n_rows);
            nb::gil_scoped_release unlocked;
            for (Index j = 0; j < n_rows; ++j) {
                const Index first = from[j], size = from[j + 1] - first;
                for (Index e = 1; e < size; ++e)
                    if (classes[first + e] <= classes[first + e - 1])
                        throw std::invalid_argument("the classes of a feature must ascend");
                const auto list = held.make(j, static_cast<std::uint32_t>(size));
                std::copy_n(classes + first, size, list.number);
                std::copy_n(w + first, size, list.weight);
                if (sums) std::copy_n(sums + first, size, list.total);
            }
        });
        return made;
    }

    Index n_rows() {
        return visit([](const auto& held) { return held.n_rows(); });
    }
    Index n_vectors() {
        return visit([](const auto& held) { return held.n_classes(); });
    }
    void reserve(Index n) {
        visit([&](auto& held) { held.reserve(n); });
    }
    void add_class(Index code) {
        visit([&](auto& held) {
            if (code < 0 || code > held.n_classes()) throw std::invalid_argument("a class comes among the others");
            held.add_class(code);
        });
    }
    // out[c] += Σ w² of class c, over `rows` as below.
    void add_squares(nb::object rows, nb::object out) {
        const Index* const order = read_only_or_none<Index>(rows, 0, "rows");
        const auto count = order ? static_cast<Index>(nb::len(rows)) : n_rows();
        double* const to = writable<double>(out, n_vectors(), "out");
        visit([&](const auto& held) { squares_by_class(held, order, count, to); });
    }
    PyClassLists average(Index visited) {
        return visit([&](const auto& held) {
            if (!held.averaged() || visited < 1) throw std::invalid_argument("these lists have no sums to average");
            return PyClassLists(held.average(static_cast<double>(visited)));
        });
    }
    // Those of `rows` (null: of all; beyond the last: empty), as `of` takes them, without zeros: (start, class, weight,
    // total).
    nb::tuple entries(nb::object rows) {
        const Index* const order = read_only_or_none<Index>(rows, 0, "rows");
        const auto count = order ? static_cast<Index>(nb::len(rows)) : n_rows();
        return visit([&]<class T>(const ClassLists<T>& held) {
            const auto each = [&](Index i, auto f) {
                const auto row = [&](Index at) { return order ? order[at] : at; };
                if (i + held.kAhead < count && held.has(row(i + held.kAhead)))
                    held.prefetch(held.row(row(i + held.kAhead)));
                if (held.has(row(i))) held.each(row(i), f);
            };
            const auto numpy = nb::module_::import_("numpy");
            const auto empty = [&](Index n, const char* type) { return nb::object(numpy.attr("empty")(n, type)); };
            const nb::object start = empty(count + 1, "int64");
            Index* const begins = writable<Index>(start, count + 1, "starts");
            begins[0] = 0;
            for (Index i = 0; i < count; ++i) {
                begins[i + 1] = begins[i];
                each(i, [&](const auto&, std::size_t) { ++begins[i + 1]; });
            }
            const Index n = begins[count];
            const nb::object code = empty(n, "int32"), weight = empty(n, sizeof(T) == 4 ? "float32" : "float64");
            const nb::object total = held.averaged() ? empty(n, "float64") : nb::object(nb::none());
            auto* const codes = writable<std::int32_t>(code, n, "classes");
            T* const w = writable<T>(weight, n, "weights");
            double* const sums = writable_or_none<double>(total, n, "total");
            struct Entry {
                std::int32_t code;
                T weight;
                double total;
            };
            const auto before = [](const Entry& a, const Entry& b) { return a.code < b.code; };
            std::vector<Entry> found;
            Index at = 0;
            for (Index i = 0; i < count; ++i) {
                found.clear();
                each(i, [&](const auto& list, std::size_t e) {
                    found.push_back({held.codes()[list.number[e]], list.weight[e], list.total ? list.total[e] : 0});
                });
                if (!std::is_sorted(found.begin(), found.end(), before)) std::sort(found.begin(), found.end(), before);
                for (const Entry& e : found) {
                    codes[at] = e.code;
                    w[at] = e.weight;
                    if (sums) sums[at] = e.total;
                    ++at;
                }
            }
            return nb::make_tuple(start, code, weight, total);
        });
    }
};

}  // namespace rosenblatt
