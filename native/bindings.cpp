// The Python face of the core: it turns tuples of NumPy arrays into views, picks the instance, and lets the GIL go.
// No arithmetic here, and nothing kept between calls. engine.py is the only caller and says what each tuple holds.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "border.hpp"
#include "data_bindings.hpp"
#include "groups.hpp"
#include "product.hpp"
#include "text_bindings.hpp"
#include "tuples.hpp"

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

template <class T, class A>
auto typed(const A& a, Index at_least, const char* what) {
    if (a.dtype() != nb::dtype<T>() || a.size() < static_cast<std::size_t>(at_least))
        throw std::invalid_argument(std::string(what) + " has the wrong type or length");
    return static_cast<std::conditional_t<std::is_same_v<A, Array>, T, const T>*>(a.data());
}

template <class T>
const T* read_only(nb::handle h, Index at_least, const char* what) {
    return typed<T>(array<ReadOnly>(h, what), at_least, what);
}

template <class T>
T* writable(nb::handle h, Index at_least, const char* what) {
    return typed<T>(array<Array>(h, what), at_least, what);
}

// The same; null where it is None.
template <class T>
const T* read_only_or_none(nb::handle h, Index at_least, const char* what) {
    return h.is_none() ? nullptr : read_only<T>(h, at_least, what);
}

template <class T>
T* writable_or_none(nb::handle h, Index at_least, const char* what) {
    return h.is_none() ? nullptr : writable<T>(h, at_least, what);
}

// Objects that are kept for as long as this lives, whatever Python code does meanwhile.
class Held {
    Room<PyObject*> objects_;
    std::size_t size_ = 0;

  public:
    explicit Held(std::size_t n) : objects_(n) {}
    Held(const Held&) = delete;
    ~Held() {
        for (std::size_t i = 0; i < size_; ++i) Py_DECREF(objects_[i]);
    }
    PyObject*& operator[](std::size_t i) { return objects_[i]; }
    void hold(std::size_t n) {
        for (; size_ < n; ++size_) Py_INCREF(objects_[size_]);
    }
};

// One row given as {name: number}: its columns come from `columns`, new names get the next ones (or are passed over).
// Python code may run while it is read (__float__, __hash__ and __eq__ of values and names), which may change the
// row and the columns: the row is taken over first, and nothing that such code could free is used after it.
template <class T>
struct NamedRow {
    Room<std::int32_t> feature;
    Room<T> x;
    std::size_t size = 0;
    std::int32_t start[2] = {0, 0}, n_features = 0;

    NamedRow(const nb::dict& values, const nb::dict& columns, bool add_names)
        : NamedRow(values, columns, add_names, values.size()) {}

    CsrRows<T, std::int32_t> rows() const { return {start, feature.data, x.data, 1, n_features, start[1]}; }

  private:
    NamedRow(const nb::dict& values, const nb::dict& columns, bool add_names, std::size_t n) : feature(n), x(n) {
        // In rounds, each fetching what the next one reads: the objects lie scattered in memory.
        Held name(n), value(n);
        {
            const nb::ft_object_guard unchanged(values);
            std::size_t i = 0;
            for (Py_ssize_t at = 0; i < n && PyDict_Next(values.ptr(), &at, &name[i], &value[i]); ++i) {
                prefetch_near(name[i]);
                prefetch_near(value[i]);
            }
            n = i;
            name.hold(n);
            value.hold(n);
        }
        T norm2 = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double wide = PyFloat_AsDouble(value[i]);
            x[i] = static_cast<T>(wide);
            if (!std::isfinite(x[i]) || (wide == -1 && PyErr_Occurred())) complain(name[i], value[i]);
            norm2 += x[i] * x[i];
        }
        if (!std::isfinite(norm2)) throw nb::value_error("the squared norm of the row overflows; scale it down");
        std::vector<std::pair<PyObject*, T>> fresh;
        std::int32_t last = -1;
        bool ascending = true;
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t j = column_of(columns, name[i]);
            if (j >= 0) {
                ascending = ascending && j > last;
                last = j;
                feature[size] = j;
                x[size++] = x[i];
            } else if (add_names) {
                fresh.emplace_back(name[i], x[i]);
            }
        }
        if (!ascending) sort_lanes(feature.data, x.data, size);
        for (const auto& [one, number] : fresh) {
            const std::size_t known = columns.size();
            const auto next = static_cast<std::int32_t>(known);
            if (!PyUnicode_CheckExact(one))
                columns.attr("setdefault")(nb::handle(one), next);  // which leaves the column of a name that is there
            else if (PyDict_SetItem(columns.ptr(), one, nb::int_(next).ptr()))
                throw nb::python_error();
            if (columns.size() != known + 1)
                throw nb::value_error("names of features must equal the same names each time they are compared");
            feature[size] = next;
            x[size++] = number;
        }
        if (columns.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw nb::value_error("there are more names than 2^31 − 1");
        n_features = static_cast<std::int32_t>(columns.size());
        check_below(feature.data, static_cast<Index>(size), n_features, "columns of named features");
        start[1] = static_cast<std::int32_t>(size);
    }

    // The column of a name, −1 where it has none.
    static std::int32_t column_of(const nb::dict& columns, PyObject* name) {
        PyObject* const column = PyDict_GetItemWithError(columns.ptr(), name);
        if (!column) {
            if (PyErr_Occurred()) throw nb::python_error();
            return -1;
        }
        const long j = PyLong_Check(column) ? PyLong_AsLong(column) : -1;
        if (j < 0 || j > std::numeric_limits<std::int32_t>::max()) {
            PyErr_Clear();
            throw std::invalid_argument("columns must be numbers from 0 to 2^31 − 1");
        }
        return static_cast<std::int32_t>(j);
    }

    [[noreturn]] static void complain(PyObject* name, PyObject* value) {
        const auto raised = [](PyObject* kind) { return PyErr_Occurred() && PyErr_ExceptionMatches(kind); };
        const bool no_number = raised(PyExc_TypeError) || raised(PyExc_ValueError);
        if (PyErr_Occurred() && !no_number && !raised(PyExc_OverflowError)) throw nb::python_error();  // not of numbers
        PyErr_Clear();
        const std::string message = "feature " + std::string(nb::repr(name).c_str()) + " has the value " +
                                    nb::repr(value).c_str() + ", which is not a finite number";
        if (no_number) throw nb::type_error(message.c_str());
        throw nb::value_error(message.c_str());
    }
};

bool is(nb::handle text, const char* name) {
    return PyUnicode_Check(text.ptr()) && PyUnicode_CompareWithASCIIString(text.ptr(), name) == 0;
}

// rows: (array,), (indptr, indices, data, n_features), ({name: number}, {name: column}) or ("gram", square array);
// their columns need no look where nothing is found by them, or where each row is asked whether it fits.
enum class Columns { checked, later };

template <class T, Columns columns = Columns::later, class F>
auto with_rows_of(const nb::tuple& rows, bool add_names, F&& f) {
    if (rows.size() == 1) {
        const auto data = array<ReadOnly>(rows[0], "dense rows");
        if (data.ndim() != 2) throw std::invalid_argument("dense rows must have two dimensions");
        return f(DenseRows<T>{typed<T>(data, 0, "dense rows"), static_cast<Index>(data.shape(0)),
                              static_cast<Index>(data.shape(1))});
    }
    if (rows.size() == 2 && is(rows[0], "gram")) {
        const auto data = array<ReadOnly>(rows[1], "kernel rows");
        if (data.ndim() != 2 || data.shape(0) != data.shape(1))
            throw std::invalid_argument("a block of a kernel matrix must be square");
        const auto n = static_cast<Index>(data.shape(0));
        return f(GramRows<T>{typed<T>(data, 0, "kernel rows"), n, n});
    }
    if (rows.size() == 2) {
        const NamedRow<T> one(nb::cast<nb::dict>(rows[0]), nb::cast<nb::dict>(rows[1]), add_names);
        return f(one.rows());
    }
    sized(rows, 4, "rows");
    const auto start = array<ReadOnly>(rows[0], "indptr");
    const auto csr = [&]<class I>(I) {
        const I* first = typed<I>(start, 1, "indptr");
        const auto n = static_cast<Index>(start.size()) - 1;
        check_starts(first, n, std::numeric_limits<Index>::max());
        const Index stored = first[n];
        const CsrRows<T, I> view{first,
                                 read_only<I>(rows[1], stored, "indices"),
                                 read_only<T>(rows[2], stored, "data"),
                                 n,
                                 nb::cast<Index>(rows[3]),
                                 stored};
        if (columns == Columns::checked) check_below(view.feature, stored, view.n_features, "column indices");
        return view;
    };
    return start.dtype() == nb::dtype<std::int32_t>() ? f(csr(std::int32_t{})) : f(csr(std::int64_t{}));
}

Rule rule_of(const nb::tuple& rule) {
    const auto item = [&](std::size_t i) {
        if (i >= rule.size()) throw std::invalid_argument("a rule has its name and all its numbers");
        return nb::handle(rule[i]);
    };
    const nb::handle name = item(0);
    const auto number = [&](std::size_t i) { return nb::cast<double>(item(i)); };
    const auto share = [&](std::size_t i) {
        const nb::handle text = item(i);
        return is(text, "uniform") ? Share::uniform : is(text, "proportional") ? Share::proportional : Share::max;
    };
#define RULE(text, ...) \
    if (is(name, text)) return __VA_ARGS__;
    ROSENBLATT_RULES(RULE)
#undef RULE
    throw std::invalid_argument("unknown rule " + nb::cast<std::string>(name));
}

// model: (form, weights, n_classes, fit_intercept, tie_is_mistake, total, gradient, epsilon)
template <class T, class W, class F>
void with_model_of(const nb::tuple& model, const W& weights, Index n_features, F&& f) {
    sized(model, 8, "a model");
    const auto n_classes = nb::cast<Index>(model[2]);
    const auto stride = static_cast<Index>(weights.ndim() == 2 ? weights.shape(1) : 0);
    const auto size = static_cast<Index>(weights.size());
    if (n_classes < 1 || stride < n_classes || n_features < 0 || n_features >= size / stride ||
        (n_classes > 1 && stride % 4))
        throw std::invalid_argument("the weights are too few for the rows, or not of their kind");
    T* w = const_cast<T*>(typed<T>(weights, 0, "weights"));  // written to only where W is writable
    T* gradient = writable_or_none<T>(model[6], size, "gradient");
    const Weights<T> view{w,
                          n_classes,
                          stride,
                          static_cast<T>(nb::cast<bool>(model[3])),
                          gradient ? gradient : w,
                          writable_or_none<double>(model[5], size, "total")};
    const nb::handle form = model[0];
    const auto ties = nb::cast<bool>(model[4]);
    if (n_classes > 1 && is(form, "multiclass")) return f(Multiclass<T>{view, ties});
    if (n_classes > 1 && is(form, "ovr")) return f(OneVsRest<T>{view, ties});
    if (n_classes == 1 && is(form, "binary")) return f(Binary<T>{view, ties});
    if (n_classes == 1 && is(form, "regression")) return f(Regression<T>{{view, ties}, nb::cast<double>(model[7])});
    throw std::invalid_argument("a model has no such form with so many vectors");
}

template <class F>
auto with_number_type(nb::dlpack::dtype type, F&& f) {
    return type == nb::dtype<float>() ? f(float{}) : f(double{});
}

// f(number type, rows, model) where the model is only read
template <class F>
void with_scored_rows(const nb::tuple& rows, const nb::tuple& model, F&& f) {
    const auto weights = array<ReadOnly>(sized(model, 8, "a model")[1], "weights");
    with_number_type(weights.dtype(), [&]<class T>(T type) {
        with_rows_of<T>(rows, false, [&](const auto& view) {
            with_model_of<T>(model, weights, view.n_features, [&](auto m) { f(type, view, m); });
        });
    });
}

// One row may have its code given as a number, kept in `one`.
Codes codes_of(nb::handle targets, Index n_rows, std::int32_t& one) {
    if (n_rows == 1 && nb::isinstance<nb::int_>(targets)) {
        one = nb::cast<std::int32_t>(targets);
        return {nullptr, &one};
    }
    const auto codes = array<ReadOnly>(targets, "targets");
    if (codes.dtype() == nb::dtype<std::int8_t>()) return {typed<std::int8_t>(codes, n_rows, "targets"), nullptr};
    return {nullptr, typed<std::int32_t>(codes, n_rows, "targets")};
}

constexpr const char* kMisfit = "column indices must lie between 0 and the number of features − 1";
constexpr double kMostCounted = 9007199254740992;  // 2^53: every whole number up to it is a double

// examples: (targets, order or None, weights or None, where in the order to begin), and where they are wanted
//   the rows' coefficients Σ τ (None: not) and the steps of each row; pocket: None or (weights, ratchet)
// tally: Σ τ and the smallest margin of each vector; what the steps can have added to ‖W‖², and the room for that;
//   examples visited, mistakes, updates; the pocket's run, best run, errors, and whether it is current
bool learn_pass(const nb::tuple& rows, const nb::tuple& model, const nb::tuple& rule_tuple, const nb::tuple& examples,
                nb::object pocket_tuple, nb::object tally_array, bool stop) {
    const Rule rule = rule_of(rule_tuple);
    sized(model, 8, "a model");
    if (examples.size() < 4) throw std::invalid_argument("examples have targets, an order, weights and a beginning");
    const Array weights = array<Array>(model[1], "weights");
    const auto run = [&]<class T>(T, const auto& view, auto m) {
        double* const tau = writable<double>(tally_array, 2 * m.w.n_classes + 9, "tally");
        double* const kept = tau + 2 * m.w.n_classes;
        const auto count = [&](Index i) {
            if (!(kept[i] >= 0 && kept[i] <= kMostCounted))
                throw std::invalid_argument("a tally counts from 0 to 2^53");
            return static_cast<Index>(kept[i]);
        };
        Tally tally{.room = kept[1],
                    .batch = m.w.sink != m.w.bias,
                    .mistakes = count(3),
                    .updates = count(4),
                    .visited = count(2),
                    .growth = kept[0],
                    .tau = tau,
                    .least = tau + m.w.n_classes};
        Pocket<T> pocket{};
        if (!pocket_tuple.is_none()) {
            const auto pair = sized(pocket_tuple, 2, "a pocket");
            const Index size = (1 + view.n_features) * m.w.stride;
            pocket = {writable<T>(pair[0], size, "pocket"),
                      size,
                      count(5),
                      count(6),
                      count(7),
                      nb::cast<bool>(pair[1]),
                      count(8) != 0};
        }
        const auto go = [&](auto targets) {
            Examples<decltype(targets)> which{targets, nullptr,
                                              read_only_or_none<double>(examples[2], view.n_rows, "weights"),
                                              view.n_rows, nb::cast<Index>(examples[3])};
            if (examples.size() > 4) which.dual = writable_or_none<double>(examples[4], view.n_rows, "coefficients");
            if (examples.size() > 5) which.steps = writable<double>(examples[5], view.n_rows * m.w.n_classes, "steps");
            const nb::handle order_array = examples[1];
            if (!order_array.is_none()) {
                const auto order = array<ReadOnly>(order_array, "order");
                which.order = typed<std::int32_t>(order, 0, "order");
                which.count = static_cast<Index>(order.size());
            }
            check_order(which, view.n_rows);
            if constexpr (std::is_same_v<decltype(targets), Codes>)
                check_codes(which, std::max<Index>(2, m.w.n_classes));
            std::optional<nb::gil_scoped_release> unlocked;
            if (view.n_rows > 1) unlocked.emplace();
            learn(view, m, rule, which, pocket, stop, tally);
        };
        std::int32_t one = 0;
        if constexpr (std::is_same_v<decltype(m), Regression<T>>)
            go(read_only<double>(examples[0], view.n_rows, "targets"));
        else
            go(codes_of(examples[0], view.n_rows, one));
        if (tally.misfit) throw std::invalid_argument(kMisfit);
        const auto keep = [&](Index i, Index value) { kept[i] = static_cast<double>(value); };
        kept[0] = tally.growth;
        keep(2, tally.visited);
        keep(3, tally.mistakes);
        keep(4, tally.updates);
        if (pocket.weights) {
            keep(5, pocket.run);
            keep(6, pocket.best);
            keep(7, pocket.errors);
            keep(8, pocket.current);
        }
        return tally.overflow;
    };
    bool overflow = false;
    with_number_type(weights.dtype(), [&]<class T>(T type) {
        with_rows_of<T>(rows, true, [&](const auto& view) {
            with_model_of<T>(model, weights, view.n_features, [&](auto m) { overflow = run(type, view, m); });
        });
    });
    return !overflow;
}

void score_rows(const nb::tuple& rows, const nb::tuple& model, nb::object out) {
    with_scored_rows(rows, model, [&]<class T>(T, const auto& view, auto& m) {
        T* to = writable<T>(out, view.n_rows * m.w.n_classes, "out");
        bool fits;
        {
            nb::gil_scoped_release unlocked;
            fits = score(view, m, to);
        }
        if (!fits) throw std::invalid_argument(kMisfit);
    });
}

// f(scores of one row, as many as there are); `visited` examples were learned from where they are to be averaged.
template <class F>
void with_scores_of_one(const nb::tuple& row, const nb::tuple& model, Index visited, F&& f) {
    with_scored_rows(row, model, [&]<class T>(T, const auto& view, auto& m) {
        if (view.n_rows != 1 || (visited && !m.w.total)) throw std::invalid_argument("one row, and sums to average");
        if (!view[0].fits()) throw std::invalid_argument(kMisfit);
        Room<T> scores(static_cast<std::size_t>(m.w.n_classes));
        score_row(view[0], m, static_cast<double>(visited), scores.data);
        f(scores.data, m.w.n_classes);
    });
}

Index decide_one(const nb::tuple& row, const nb::tuple& model, Index visited) {
    Index code = 0;
    with_scores_of_one(row, model, visited, [&](const auto* scores, Index n) { code = decide(scores, n); });
    return code;
}

void score_one(const nb::tuple& row, const nb::tuple& model, Index visited, nb::object out) {
    with_scores_of_one(row, model, visited,
                       [&]<class T>(const T* scores, Index n) { std::copy_n(scores, n, writable<T>(out, n, "out")); });
}

// f(rows) with the GIL released; the type of the numbers is that of the dense array or of the CSR data
template <class F>
auto read_rows(const nb::tuple& rows, F f) {
    const nb::handle data = rows.size() == 1 ? rows[0] : sized(rows, 4, "rows")[2];
    const auto type = array<ReadOnly>(data, "data").dtype();
    return with_number_type(type, [&]<class T>(T) {
        return with_rows_of<T>(rows, false, [&](const auto& view) {
            nb::gil_scoped_release unlocked;
            return f(view);
        });
    });
}

nb::tuple scan_rows(const nb::tuple& rows) {
    static constexpr const char* names[] = {"none", "not finite", "index out of range", "not canonical"};
    const Scan found = read_rows(rows, [](const auto& view) { return scan(view); });
    return nb::make_tuple(names[found.fault], found.largest);
}

// out = Σ w² of each column
void squares_of(nb::object weights, nb::object out) {
    const auto w = array<ReadOnly>(weights, "weights");
    if (w.ndim() != 2) throw std::invalid_argument("weights must have two dimensions");
    const auto n = static_cast<Index>(w.shape(0)), k = static_cast<Index>(w.shape(1));
    double* const to = writable<double>(out, k, "out");
    with_number_type(w.dtype(), [&]<class T>(T) { squares(typed<T>(w, n * k, "weights"), n, k, to); });
}

double radius2_rows(const nb::tuple& rows, nb::object order) {
    const std::int32_t* which = read_only_or_none<std::int32_t>(order, 0, "order");
    const auto count = static_cast<Index>(which ? nb::len(order) : 0);
    return read_rows(rows, [&](const auto& view) {
        if (which) check_below(which, count, view.n_rows, "the numbers of rows");
        return radius2(view, which, which ? count : view.n_rows);
    });
}

// out = a·bᵀ of CSR rows with indices of one type
void product_of(const nb::tuple& a, const nb::tuple& b, nb::object out, int n_threads) {
    with_number_type(array<ReadOnly>(sized(a, 4, "rows")[2], "data").dtype(), [&]<class T>(T) {
        with_rows_of<T, Columns::checked>(a, false, [&]<class Left>(const Left& left) {
            with_rows_of<T, Columns::checked>(b, false, [&]<class Right>(const Right& right) {
                if constexpr (std::is_same_v<Left, Right> &&
                              requires { product(left, right, 1, static_cast<T*>(nullptr)); }) {
                    if (left.n_features != right.n_features)
                        throw std::invalid_argument("rows of one length are multiplied");
                    T* to = writable<T>(out, left.n_rows * right.n_rows, "out");
                    nb::gil_scoped_release unlocked;
                    product(left, right, n_threads, to);
                } else {
                    throw std::invalid_argument("CSR rows with indices of one type are multiplied");
                }
            });
        });
    });
}

// The numbers of dense rows that are not zero; start holds how many come before each row
void compress_rows(const nb::tuple& rows, nb::object start, nb::object feature, nb::object x) {
    read_rows(rows, [&]<class Rows>(const Rows& view) {
        if constexpr (requires {
                          typename Rows::value_type;
                          view.data;
                      }) {
            nb::gil_scoped_acquire locked;
            const Index* from = read_only<Index>(start, view.n_rows + 1, "start");
            check_starts(from, view.n_rows, std::numeric_limits<Index>::max());
            compress(DenseRows<typename Rows::value_type>{view.data, view.n_rows, view.n_features}, from,
                     writable<std::int32_t>(feature, from[view.n_rows], "feature"),
                     writable<typename Rows::value_type>(x, from[view.n_rows], "x"));
        }
        return 0;
    });
}

// Places of features among the weights of few; (how many were done, groups then)
nb::tuple place_of_features(nb::object features, nb::object table, nb::object met, Index count, bool add,
                            nb::object out) {
    const auto from = array<ReadOnly>(features, "features");
    const auto n = static_cast<Index>(from.size());
    const auto size = static_cast<Index>(array<ReadOnly>(table, "table").size()) / 2;
    if (size < 2 || (size & (size - 1)) || count < 0 || count > size / 2)
        throw std::invalid_argument("a table has a power of 2 pairs, of which at most half are used");
    const auto kept = [&](nb::handle h, Index at_least, const char* what) {  // written to only with `add`
        return add ? writable<Index>(h, at_least, what) : const_cast<Index*>(read_only<Index>(h, at_least, what));
    };
    Groups groups{kept(table, 2 * size, "table"), kept(met, size / 2, "groups"), size, count};
    const auto place = [&]<class I>(I) {
        const I* feature = typed<I>(from, n, "features");
        constexpr Index most = std::min<Index>(std::numeric_limits<I>::max(), std::numeric_limits<Index>::max() - 1);
        check_below(feature, n, most + 1, "features");
        I* to = writable<I>(out, n, "out");
        nb::gil_scoped_release unlocked;
        return place_features(feature, n, groups, add, to);
    };
    const Index done = from.dtype() == nb::dtype<std::int32_t>() ? place(std::int32_t{}) : place(std::int64_t{});
    return nb::make_tuple(done, groups.count);
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() =
        "The native core of rosenblatt: one pass over rows, scores, the scan that admits data, and readers of text.";
    m.def("learn", &learn_pass, nb::arg("rows"), nb::arg("model"), nb::arg("rule"), nb::arg("examples"),
          nb::arg("pocket").none(), nb::arg("tally"), nb::arg("stop"),
          "One pass over the examples, in place, or up to the first mistake or step, which is then left to the caller; "
          "False: it ended before a step that could overflow.");
    m.def("score", &score_rows, nb::arg("rows"), nb::arg("model"), nb::arg("out"),
          "Scores of every row, one per class, written to out.");
    m.def("score_one", &score_one, nb::arg("row"), nb::arg("model"), nb::arg("visited"), nb::arg("out"),
          "Scores of one row; averaged, where so many examples were visited, or 0: by the weights as they are.");
    m.def("decide_one", &decide_one, nb::arg("row"), nb::arg("model"), nb::arg("visited"),
          "Code of the class of the largest of these scores, the first of equals; two classes: 1 if it is > 0.");
    m.def("product", &product_of, nb::arg("a"), nb::arg("b"), nb::arg("out"), nb::arg("n_threads"),
          "out = a·bᵀ of CSR rows.");
    m.def("compress", &compress_rows, nb::arg("rows"), nb::arg("start"), nb::arg("feature"), nb::arg("x"),
          "Columns and values of the numbers of dense rows that are not zero; start says where each row's begin.");
    m.def("scan", &scan_rows, nb::arg("rows"), "(fault, max |x|) of the rows.");
    m.def("squares", &squares_of, nb::arg("weights"), nb::arg("out"), "out = Σ w² of each column of the weights.");
    m.def("place_features", &place_of_features, nb::arg("features"), nb::arg("table"), nb::arg("met"), nb::arg("count"),
          nb::arg("add"), nb::arg("out"),
          "Places of features among the weights of the groups that were met; (features done, groups then).");
    m.def("radius2", &radius2_rows, nb::arg("rows"), nb::arg("order").none(),
          "R² of the rows without the bias feature: max ‖x‖².");
    bind_text(m);
    bind_data(m);
}
