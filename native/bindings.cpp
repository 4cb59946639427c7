// The Python face of the core: it turns tuples of NumPy arrays into views, picks the instance, and lets the GIL go.
// No arithmetic here, and nothing kept between calls. engine.py is the only caller and says what each tuple holds.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "learn.hpp"

namespace nb = nanobind;
using namespace rosenblatt;

namespace {

using Array = nb::ndarray<nb::c_contig, nb::device::cpu>;
using ReadOnly = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

template <class A>
A array(nb::handle h, const char* what) {
    A a;
    if (!nb::try_cast(h, a, false)) throw std::invalid_argument(std::string(what) + " must be a C-contiguous array");
    return a;
}

template <class T>
const T* typed(const ReadOnly& a, std::size_t at_least, const char* what) {
    if (a.dtype() != nb::dtype<T>() || a.size() < at_least)
        throw std::invalid_argument(std::string(what) + " has the wrong type or length");
    return static_cast<const T*>(a.data());
}

template <class T>
const T* typed(nb::handle h, Index at_least, const char* what) {
    return h.is_none() ? nullptr : typed<T>(array<ReadOnly>(h, what), static_cast<std::size_t>(at_least), what);
}

template <class T>
T* writable(nb::handle h, Index at_least, const char* what) {
    if (h.is_none()) return nullptr;
    const Array a = array<Array>(h, what);
    if (a.dtype() != nb::dtype<T>() || a.size() < static_cast<std::size_t>(at_least))
        throw std::invalid_argument(std::string(what) + " has the wrong type or length");
    return static_cast<T*>(a.data());
}

// One row given as {name: number}: its columns come from `columns`, new names get the next ones (or are passed over).
template <class T>
struct NamedRow {
    std::vector<std::pair<std::int32_t, T>> entries;
    std::vector<std::int32_t> feature;
    std::vector<T> x;
    std::int32_t start[2] = {0, 0};

    CsrRows<T, std::int32_t> read(nb::dict values, nb::dict columns, bool add_names) {
        PyObject *name, *value;
        std::vector<std::pair<PyObject*, T>> fresh;
        T norm2 = 0;
        for (Py_ssize_t at = 0; PyDict_Next(values.ptr(), &at, &name, &value);) {
            const T number = finite(name, value);
            norm2 += number * number;
            PyObject* column = PyDict_GetItemWithError(columns.ptr(), name);
            if (column)
                entries.emplace_back(static_cast<std::int32_t>(PyLong_AsLong(column)), number);
            else if (PyErr_Occurred())
                throw nb::python_error();
            else if (add_names)
                fresh.emplace_back(name, number);
        }
        if (!std::isfinite(norm2)) throw nb::value_error("the squared norm of the row overflows; scale it down");
        auto next = static_cast<std::int32_t>(columns.size());
        for (const auto& [new_name, number] : fresh) {
            if (PyDict_SetItem(columns.ptr(), new_name, nb::int_(next).ptr())) throw nb::python_error();
            entries.emplace_back(next++, number);
        }
        const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
        if (!std::is_sorted(entries.begin(), entries.end(), by_column))
            std::sort(entries.begin(), entries.end(), by_column);
        for (const auto& [column, number] : entries) {
            feature.push_back(column);
            x.push_back(number);
        }
        start[1] = static_cast<std::int32_t>(x.size());
        return {start, feature.data(), x.data(), 1, next};
    }

  private:
    static T finite(PyObject* name, PyObject* value) {
        const T number = static_cast<T>(PyFloat_AsDouble(value));
        const bool no_number = PyErr_Occurred() != nullptr;
        if (!no_number && std::isfinite(number)) return number;
        PyErr_Clear();
        const std::string message = "feature " + std::string(nb::repr(name).c_str()) + " has the value " +
                                    nb::repr(value).c_str() + ", which is not a finite number";
        if (no_number) throw nb::type_error(message.c_str());
        throw nb::value_error(message.c_str());
    }
};

// rows: (array,), (indptr, indices, data, n_features) or ({name: number}, {name: column})
template <class T, class F>
auto with_rows_of(const nb::tuple& rows, bool add_names, F&& f) {
    if (rows.size() == 1) {
        const auto data = array<ReadOnly>(rows[0], "dense rows");
        if (data.ndim() != 2) throw std::invalid_argument("dense rows must have two dimensions");
        return f(DenseRows<T>{typed<T>(data, 0, "dense rows"), static_cast<Index>(data.shape(0)),
                              static_cast<Index>(data.shape(1))});
    }
    if (rows.size() == 2) {
        NamedRow<T> one;
        return f(one.read(nb::cast<nb::dict>(rows[0]), nb::cast<nb::dict>(rows[1]), add_names));
    }
    const auto start = array<ReadOnly>(rows[0], "indptr");
    const auto feature = array<ReadOnly>(rows[1], "indices");
    const auto x = array<ReadOnly>(rows[2], "data");
    const auto csr = [&]<class I>(I) {
        const I* first = typed<I>(start, 1, "indptr");
        const auto n = static_cast<Index>(start.size()) - 1;
        for (Index i = 0; i < n; ++i)
            if (first[i] > first[i + 1]) throw std::invalid_argument("indptr must not decrease");
        if (first[0] < 0) throw std::invalid_argument("indptr must start at 0");
        const auto entries = static_cast<std::size_t>(first[n]);
        return CsrRows<T, I>{first, typed<I>(feature, entries, "indices"), typed<T>(x, entries, "data"), n,
                             nb::cast<Index>(rows[3])};
    };
    return start.dtype() == nb::dtype<std::int32_t>() ? f(csr(std::int32_t{})) : f(csr(std::int64_t{}));
}

Rule rule_of(const nb::tuple& rule) {
    const auto name = nb::cast<std::string>(rule[0]);
    const auto number = [&](std::size_t i) { return nb::cast<double>(rule[i]); };
    if (name == "still") return Still{};
    if (name == "perceptron") {
        const auto share = nb::cast<std::string>(rule[3]);
        return Perceptron{number(1), number(2),
                          share == "uniform"        ? Share::uniform
                          : share == "proportional" ? Share::proportional
                                                    : Share::max};
    }
    if (name == "PA") return PassiveAggressive{};
    if (name == "PA1") return PassiveAggressive1{number(1)};
    if (name == "PA2") return PassiveAggressive2{number(1)};
    if (name == "MIRA") return Mira{number(1)};
    if (name == "NormMIRA") return NormMira{number(1)};
    throw std::invalid_argument("unknown rule " + name);
}

// model: (form, weights, n_classes, fit_intercept, tie_is_mistake, total, gradient, epsilon)
template <class T, class F>
void with_model(const nb::tuple& model, Index n_features, bool learns, F&& f) {
    if (learns) array<Array>(model[1], "weights");  // must be writable
    const ReadOnly weights = array<ReadOnly>(model[1], "weights");
    const auto n_classes = nb::cast<Index>(model[2]);
    const auto stride = static_cast<Index>(weights.ndim() == 2 ? weights.shape(1) : 0);
    const auto size = static_cast<Index>(weights.size());
    if (stride < n_classes || size < (1 + n_features) * stride || (n_classes > 1 && stride % 4))
        throw std::invalid_argument("weights do not fit the rows");
    T* w = const_cast<T*>(typed<T>(weights, 0, "weights"));
    T* gradient = writable<T>(model[6], size, "gradient");
    const Weights<T> view{w,
                          n_classes,
                          stride,
                          static_cast<T>(nb::cast<bool>(model[3])),
                          gradient ? gradient : w,
                          writable<double>(model[5], size, "total")};
    const auto form = nb::cast<std::string>(model[0]);
    const auto ties = nb::cast<bool>(model[4]);
    if (form == "binary") return f(Binary<T>{view, ties});
    if (form == "multiclass") return f(Multiclass<T>{view, ties});
    if (form == "ovr") return f(OneVsRest<T>{view, ties});
    return f(Regression<T>{{view, ties}, nb::cast<double>(model[7])});
}

bool is_float32(const nb::tuple& model) { return array<ReadOnly>(model[1], "weights").dtype() == nb::dtype<float>(); }

// examples: (targets, order or None, weights or None); pocket: None or (weights, run, best, errors, ratchet, current)
template <class T>
nb::tuple learn_as(const nb::tuple& rows, const nb::tuple& model, const nb::tuple& rule_tuple,
                   const nb::tuple& examples, const nb::handle& pocket_tuple, double* tau, double* least,
                   const Options& options) {
    const Rule rule = rule_of(rule_tuple);
    nb::tuple result;
    with_rows_of<T>(rows, true, [&](const auto& view) {
        with_model<T>(model, view.n_features, true, [&](auto m) {
            using Target = typename decltype(m)::Target;
            const nb::handle order_array = examples[1];
            const Index count =
                order_array.is_none() ? view.n_rows : static_cast<Index>(array<ReadOnly>(order_array, "order").size());
            const Examples<Target> which{typed<Target>(examples[0], view.n_rows, "targets"),
                                         typed<std::int32_t>(order_array, 0, "order"),
                                         typed<double>(examples[2], view.n_rows, "weights"), count};
            Pocket<T> pocket{};
            if (!pocket_tuple.is_none()) {
                const auto p = nb::cast<nb::tuple>(pocket_tuple);
                const Index size = (1 + view.n_features) * m.w.stride;
                pocket = {writable<T>(p[0], size, "pocket"),
                          size,
                          nb::cast<Index>(p[1]),
                          nb::cast<Index>(p[2]),
                          nb::cast<Index>(p[3]),
                          nb::cast<bool>(p[4]),
                          nb::cast<bool>(p[5])};
            }
            // A row of names was not scanned beforehand: its radius comes back with the counts.
            const double admitted = rows.size() == 2 ? static_cast<double>(view[0].norm2()) : 0;
            Tally tally{.tau = tau, .least = least};
            {
                nb::gil_scoped_release unlocked;
                learn(view, m, rule, which, pocket, options, tally);
            }
            result = nb::make_tuple(tally.visited, tally.mistakes, tally.updates, tally.growth, tally.moved, pocket.run,
                                    pocket.best, pocket.errors, pocket.current, admitted);
        });
    });
    return result;
}

nb::tuple learn_pass(const nb::tuple& rows, const nb::tuple& model, const nb::tuple& rule, const nb::tuple& examples,
                     nb::object pocket, nb::object tau, nb::object least, Index visited, bool stop_at_mistake) {
    const auto n_classes = nb::cast<Index>(model[2]);
    double* sums = writable<double>(tau, n_classes, "tau");
    double* margins = writable<double>(least, n_classes, "least");
    const Options options{stop_at_mistake, visited};
    return is_float32(model) ? learn_as<float>(rows, model, rule, examples, pocket, sums, margins, options)
                             : learn_as<double>(rows, model, rule, examples, pocket, sums, margins, options);
}

template <class T>
void score_as(const nb::tuple& rows, const nb::tuple& model, nb::handle out) {
    with_rows_of<T>(rows, false, [&](const auto& view) {
        with_model<T>(model, view.n_features, false, [&](auto m) {
            T* to = writable<T>(out, view.n_rows * m.w.n_classes, "out");
            nb::gil_scoped_release unlocked;
            score(view, m, to);
        });
    });
}

void score_rows(const nb::tuple& rows, const nb::tuple& model, nb::object out) {
    return is_float32(model) ? score_as<float>(rows, model, out) : score_as<double>(rows, model, out);
}

nb::tuple scan_rows(const nb::tuple& rows) {
    const bool narrow = array<ReadOnly>(rows[rows.size() == 1 ? 0 : 2], "data").dtype() == nb::dtype<float>();
    const auto run = [&](const auto& view) {
        nb::gil_scoped_release unlocked;
        return scan(view);
    };
    const Scan found = narrow ? with_rows_of<float>(rows, false, run) : with_rows_of<double>(rows, false, run);
    static constexpr const char* names[] = {"none", "not finite", "too large", "index out of range", "not canonical"};
    return nb::make_tuple(found.radius2, names[found.fault], found.row, found.column);
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "The native core of rosenblatt: one pass over rows, scores, and the scan that admits data.";
    m.def("learn", &learn_pass, nb::arg("rows"), nb::arg("model"), nb::arg("rule"), nb::arg("examples"),
          nb::arg("pocket").none(), nb::arg("tau"), nb::arg("least"), nb::arg("visited"), nb::arg("stop_at_mistake"),
          "One pass over the examples: steps the weights in place and returns the counts.");
    m.def("score", &score_rows, nb::arg("rows"), nb::arg("model"), nb::arg("out"),
          "Scores of every row, one per class, written to out.");
    m.def("scan", &scan_rows, nb::arg("rows"), "(max ‖x‖², fault, row, column) of the rows.");
}
