// The Python face of the core: classes that hold what Python made once, and functions that pick the instance and let
// the GIL go. No arithmetic here. engine.py is the only caller.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "data_bindings.hpp"
#include "equal_rows.hpp"
#include "learning.hpp"
#include "named_row.hpp"
#include "places.hpp"
#include "product.hpp"
#include "sequence_bindings.hpp"
#include "sequence_feature_bindings.hpp"
#include "share.hpp"
#include "text_bindings.hpp"

using namespace rosenblatt;

namespace {

// ---- learning ----------------------------------------------------------------------------------------------------

bool learn_rows(const AnyRows& rows, const PyModel& model, const PyRule& rule, nb::object targets, nb::object order,
                nb::object weight, Index first, nb::object dual, nb::object steps, nb::object pocket, bool ratchet,
                PyTally& tally, bool stop, nb::object misread, Index n_threads) {
    const Learning asked{model,  rule,    targets, order,     weight,  dual, steps,
                         pocket, misread, first,   n_threads, ratchet, stop, tally};
    return model.with_number_type_of([&]<class T>(T) { return learn_from<T>(rows, asked); });
}

bool learn_one(const nb::dict& row, const nb::dict& columns, const PyModel& model, const PyRule& rule,
               nb::handle target, double weight, nb::object pocket, PyTally& tally) {
    return model.with_number_type_of(
        [&]<class T>(T) { return learn_from_one<T>(row, columns, model, rule, target, weight, pocket, tally); });
}

// ---- scoring -----------------------------------------------------------------------------------------------------

void score_rows(const AnyRows& rows, const PyModel& model, nb::object out) {
    rows.visit([&]<class Rows>(const Rows& view) {
        using T = typename Rows::value_type;
        model.with_view<T, is_sparse<Rows>>(view.n_features, false, [&](auto m) {
            T* to = writable<T>(out, view.n_rows * m.w.n_classes, "out");
            nb::gil_scoped_release unlocked;
            score(view, m, to);
        });
    });
}

// f(scores of one row, as many as there are); `visited` examples were learned from where they are to be averaged.
template <class F>
void with_scores_of_one(const nb::dict& row, const nb::dict& columns, const PyModel& model, Index visited, F&& f) {
    model.with_number_type_of([&]<class T>(T) {
        const NamedRow<T> named(row, columns, false);
        model.with_view<T>(named.n_features, false, [&](auto m) {
            if (visited && !m.w.total) throw std::invalid_argument("the model has no sums to average");
            Room<T> scores(static_cast<std::size_t>(m.w.n_classes));
            score_row(named.rows()[0], m, static_cast<double>(visited), scores.data);
            f(scores.data, m.w.n_classes);
        });
    });
}

Index decide_one(const nb::dict& row, const nb::dict& columns, const PyModel& model, Index visited) {
    Index code = 0;
    with_scores_of_one(row, columns, model, visited, [&](const auto* scores, Index n) { code = decide(scores, n); });
    return code;
}

void score_one(const nb::dict& row, const nb::dict& columns, const PyModel& model, Index visited, nb::object out) {
    with_scores_of_one(row, columns, model, visited,
                       [&]<class T>(const T* scores, Index n) { std::copy_n(scores, n, writable<T>(out, n, "out")); });
}

// ---- about rows and weights --------------------------------------------------------------------------------------

double largest_of_rows(const AnyRows& rows) {
    nb::gil_scoped_release unlocked;
    const ValueScan scan = rows.visit([](const auto& view) { return scan_values(view); });
    return scan.finite ? scan.largest : std::numeric_limits<double>::quiet_NaN();
}

// f(rows, numbers of rows, how many), those numbers checked; None: all rows
template <class F>
auto of_rows(const AnyRows& rows, const nb::object& order, F&& f) {
    const std::int32_t* which = read_only_or_none<std::int32_t>(order, 0, "order");
    const auto count = which ? static_cast<Index>(nb::len(order)) : rows.n_rows();
    if (which) check_below(which, count, rows.n_rows(), "the numbers of rows");
    nb::gil_scoped_release unlocked;
    return rows.visit([&](const auto& view) { return f(view, which, count); });
}

double radius2_of_rows(const AnyRows& rows, nb::object order) {
    return of_rows(rows, order, [](const auto&... given) { return radius2(given...); });
}

Index terms_in_lane_of_rows(const AnyRows& rows, nb::object order) {
    return of_rows(rows, order, [](const auto&... given) { return terms_in_lane(given...); });
}

// Two equal rows of different labels, or None
nb::object equal_rows_of(const AnyRows& rows, nb::object targets, nb::object order) {
    std::int32_t one = 0;
    const Codes codes = codes_of(targets, rows.n_rows(), one);
    const auto [first, second] = of_rows(rows, order, [&](const auto& view, const auto* which, Index count) {
        return equal_rows(view, codes, which, count);
    });
    return first < 0 ? nb::none() : nb::object(nb::make_tuple(first, second));
}

// out = Σ w² of each column
void squares_of(nb::object weights, nb::object out) {
    const auto w = array<ReadOnly>(weights, "weights");
    if (w.ndim() != 2) throw std::invalid_argument("weights must have two dimensions");
    const auto n = static_cast<Index>(w.shape(0)), k = static_cast<Index>(w.shape(1));
    double* const to = writable<double>(out, k, "out");
    with_number_type(w.dtype(), [&]<class T>(T) { squares(typed<T>(w, n * k, "weights"), n, k, to); });
}

// out = the averaged readout of these weights and sums after so many examples
void average_of(nb::object weights, nb::object total, double visited, nb::object out, int n_threads) {
    const auto w = array<ReadOnly>(weights, "weights");
    const auto n = static_cast<Index>(w.size());
    const double* const sums = read_only<double>(total, n, "sums");
    with_number_type(w.dtype(), [&]<class T>(T) {
        const T* const from = typed<T>(w, n, "weights");
        T* const to = writable<T>(out, n, "out");
        nb::gil_scoped_release unlocked;
        constexpr Index part = 1 << 16;
        in_parallel((n + part - 1) / part, n_threads, [&](Index i) {
            const Index at = i * part;
            average(from + at, sums + at, std::min(part, n - at), visited, to + at);
        });
    });
}

// out += Σ w² of each column over rows of the weights, in order
void add_squares_of(nb::object weights, nb::object order, nb::object out) {
    const auto w = array<ReadOnly>(weights, "weights");
    if (w.ndim() != 2) throw std::invalid_argument("weights must have two dimensions");
    const auto n = static_cast<Index>(w.shape(0)), k = static_cast<Index>(w.shape(1));
    const auto rows = array<ReadOnly>(order, "order");
    const auto count = static_cast<Index>(rows.size());
    const Index* const which = typed<Index>(rows, 0, "order");
    check_below(which, count, n, "the numbers of rows");
    double* const to = writable<double>(out, k, "out");
    with_number_type(w.dtype(),
                     [&]<class T>(T) { squares_in_order(typed<T>(w, n * k, "weights"), which, count, k, to); });
}

// out = a·bᵀ of CSR rows with indices of one type
void product_of(const PyCsrRows& a, const PyCsrRows& b, nb::object out, int n_threads) {
    a.visit([&]<class Left>(const Left& left) {
        if constexpr (requires { left.feature; }) {
            const auto* right = std::get_if<Left>(&b.view);
            if (!right || left.n_features != right->n_features)
                throw std::invalid_argument("CSR rows of one length, with numbers and indices of one type, multiply");
            using T = typename Left::value_type;
            T* to = writable<T>(out, left.n_rows * right->n_rows, "out");
            nb::gil_scoped_release unlocked;
            product(left, *right, n_threads, to);
        }
    });
}

// The numbers of dense rows that are not zero; start holds how many come before each row
void compress_rows(const PyDenseRows& rows, nb::object start, nb::object feature, nb::object x) {
    rows.visit([&]<class Rows>(const Rows& view) {
        using T = typename Rows::value_type;
        if constexpr (std::is_same_v<Rows, DenseRows<T>>) {
            const Index* from = read_only<Index>(start, view.n_rows + 1, "start");
            check_starts(from, view.n_rows, std::numeric_limits<Index>::max());
            compress(view, from, writable<std::int32_t>(feature, from[view.n_rows], "feature"),
                     writable<T>(x, from[view.n_rows], "x"));
        }
    });
}

// Rows of equal content: (which content each has, by number; the first row of each), of which there are as many as told
Index share_of_rows(nb::object start, const nb::list& columns, nb::object which, nb::object first) {
    const auto starts = array<ReadOnly>(start, "starts");
    const auto n_rows = static_cast<Index>(starts.size()) - 1;
    const Index* const from = typed<Index>(starts, 1, "starts");
    check_starts(from, n_rows, std::numeric_limits<Index>::max());
    if (n_rows >= std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("there are too many rows");
    std::vector<Column> held;
    for (const nb::handle column : columns) {
        const auto a = array<ReadOnly>(column, "a column");
        if (a.ndim() != 1 || static_cast<Index>(a.size()) < from[n_rows])
            throw std::invalid_argument("a column has an entry for each of the rows' entries");
        held.push_back({static_cast<const char*>(a.data()), a.itemsize()});
    }
    auto* const numbers = writable<std::int32_t>(which, n_rows, "which");
    Index* const firsts = writable<Index>(first, n_rows, "first");
    nb::gil_scoped_release unlocked;
    return share_rows(from, n_rows, held, numbers, firsts);
}

// Places of features among the weights of few; (how many were done, how many features were met then)
nb::tuple place_of_features(nb::object features, nb::object table, nb::object met, nb::object used, Index count,
                            bool add, nb::object out, Index n_threads) {
    const auto from = array<ReadOnly>(features, "features"), held = array<ReadOnly>(table, "table");
    const auto n = static_cast<Index>(from.size()), room = static_cast<Index>(array<ReadOnly>(met, "met").size());
    if (count < 0 || count > room) throw std::invalid_argument("more features were met than there is room for");
    const auto kept = [&]<class T>(T, nb::handle h, Index at_least, const char* what) {  // written to only with `add`
        return add ? writable<T>(h, at_least, what) : const_cast<T*>(read_only<T>(h, at_least, what));
    };
    Met known{kept(Index{}, met, room, "met"), room, count, kept(Index{}, used, kLanes, "used")};
    const auto place = [&]<class I, class Table>(I, const Table& in) {
        const I* feature = typed<I>(from, n, "features");
        constexpr Index most = std::min<Index>(std::numeric_limits<I>::max(), std::numeric_limits<Index>::max() - 1);
        check_below(feature, n, most + 1, "features");
        I* to = writable<I>(out, n, "out");
        nb::gil_scoped_release unlocked;
        return place_features(feature, n, in, known, add, n_threads, to);
    };
    const auto place_in = [&](const auto& in) {
        return from.dtype() == nb::dtype<std::int32_t>() ? place(std::int32_t{}, in) : place(std::int64_t{}, in);
    };
    const auto size = static_cast<Index>(held.size());
    if (held.dtype() == nb::dtype<std::int32_t>()) {
        const Index done = place_in(PlacesByNumber{kept(std::int32_t{}, table, size, "table"), size});
        return nb::make_tuple(done, known.count);
    }
    if (size < 4 || (size & (size - 1)) || 4 * count > size)
        throw std::invalid_argument("a table has a power of 2 pairs, of which at most half are used");
    const Index done = place_in(PlacesByHash{kept(Index{}, table, size, "table"), size / 2});
    return nb::make_tuple(done, known.count);
}

// ---- what Python sees --------------------------------------------------------------------------------------------

void bind_rows(nb::module_& m) {
    nb::class_<AnyRows>(m, "Rows", "Rows of data, checked as they are made; they keep the arrays they are made of.")
        .def_prop_ro("n_rows", &AnyRows::n_rows)
        .def_prop_ro("n_features", &AnyRows::n_features)
        .def_ro("is_canonical", &AnyRows::canonical, "Columns ascend within each row, none twice.")
        .def("largest", &largest_of_rows, "max |x|; NaN where a number is not finite.")
        .def("radius2", &radius2_of_rows, nb::arg("order") = nb::none(),
             "R² without the bias feature: max ‖x‖² over the rows in order (None: all).")
        .def(
            "terms_in_lane", &terms_in_lane_of_rows, nb::arg("order") = nb::none(),
            "How many terms are added in one of the 16 lanes of a score, at most, over the rows in order (None: all).");
    nb::class_<PyDenseRows, AnyRows>(m, "DenseRows", "Rows of a C-contiguous array, (n_rows, n_features).")
        .def(nb::init<nb::object>(), nb::arg("data"))
        .def_prop_ro_static("is_dense", [](nb::handle) { return true; })
        .def_prop_ro("data", [](const PyDenseRows& rows) { return rows.data.object(); })
        .def("__getstate__", [](const PyDenseRows& rows) { return rows.data.object(); })
        .def("__setstate__", [](PyDenseRows* rows, nb::object data) { new (rows) PyDenseRows(std::move(data)); });
    nb::class_<PyCsrRows, AnyRows>(m, "CsrRows", "Rows of the three arrays of a CSR matrix.")
        .def(nb::init<nb::object, nb::object, nb::object, Index>(), nb::arg("indptr"), nb::arg("indices"),
             nb::arg("data"), nb::arg("n_features"))
        .def_prop_ro_static("is_dense", [](nb::handle) { return false; })
        .def_prop_ro("indptr", [](const PyCsrRows& rows) { return rows.indptr.object(); })
        .def_prop_ro("indices", [](const PyCsrRows& rows) { return rows.indices.object(); })
        .def_prop_ro("data", [](const PyCsrRows& rows) { return rows.data.object(); })
        .def("__getstate__",
             [](const PyCsrRows& rows) {
                 return nb::make_tuple(rows.indptr.object(), rows.indices.object(), rows.data.object(),
                                       rows.n_features());
             })
        .def("__setstate__", [](PyCsrRows* rows, std::tuple<nb::object, nb::object, nb::object, Index> state) {
            auto& [indptr, indices, data, n_features] = state;
            new (rows) PyCsrRows(std::move(indptr), std::move(indices), std::move(data), n_features);
        });
    nb::class_<PyGramRows, AnyRows>(m, "GramRows", "A block of examples by its kernel matrix; weights are its scores.")
        .def(nb::init<nb::object>(), nb::arg("data"))
        .def_prop_ro("data", [](const PyGramRows& rows) { return rows.data.object(); });
}

void bind_model(nb::module_& m) {
    nb::class_<PyModel>(m, "Model", "Weights and how they are used; it keeps the arrays that it is made of.")
        .def(nb::init<nb::handle, nb::object, Index, bool, bool, nb::object, nb::object, double, double, nb::object,
                      nb::object, nb::object, double, nb::object>(),
             nb::kw_only(), nb::arg("form"), nb::arg("weights"), nb::arg("n_vectors"), nb::arg("fit_intercept") = true,
             nb::arg("tie_is_mistake") = true, nb::arg("total") = nb::none(), nb::arg("gradient") = nb::none(),
             nb::arg("epsilon") = 0.0, nb::arg("constant") = 1.0, nb::arg("lists") = nb::none(),
             nb::arg("precision") = nb::none(), nb::arg("covariance") = nb::none(), nb::arg("prior") = 1.0,
             nb::arg("links") = nb::none())
        .def_prop_ro("weights", [](const PyModel& model) { return model.weights.object(); });
    using Listed = std::tuple<Index, nb::object, nb::object, nb::object, nb::object>;
    nb::class_<PyClassLists>(m, "ClassLists",
                             "Class vectors: for each feature the classes that ever moved, and weights.")
        .def(nb::init<Index, bool, bool>(), nb::arg("n_vectors"), nb::arg("wide"), nb::arg("averaged"))
        .def_static("of", &PyClassLists::of, nb::arg("n_vectors"), nb::arg("starts"), nb::arg("classes"),
                    nb::arg("weights"), nb::arg("total").none(),
                    "Those with these entries, classes ascending in each row.")
        .def("__getstate__",
             [](PyClassLists& lists) {
                 const nb::tuple e = lists.entries(nb::none());
                 return nb::make_tuple(lists.n_vectors(), e[0], e[1], e[2], e[3]);
             })
        .def("__setstate__",
             [](PyClassLists* lists, const Listed& state) {
                 const auto& [k, starts, classes, weights, total] = state;
                 new (lists) PyClassLists(PyClassLists::of(k, starts, classes, weights, total));
             })
        .def_prop_ro("n_rows", &PyClassLists::n_rows)
        .def_prop_ro("n_vectors", &PyClassLists::n_vectors)
        .def("reserve", &PyClassLists::reserve, nb::arg("n_rows"), "Room for so many features at least.")
        .def("add_class", &PyClassLists::add_class, nb::arg("code"), "One class more; those from its code on move up.")
        .def("add_squares", &PyClassLists::add_squares, nb::arg("rows").none(), nb::arg("out"),
             "Add Σ w² of each class to out, over these rows.")
        .def("average", &PyClassLists::average, nb::arg("visited"), "Lists of the averages over so many examples.")
        .def("entries", &PyClassLists::entries, nb::arg("rows") = nb::none(),
             "Where the entries of each of these rows begin, their classes, ascending, weights and sums; no zeros.");
    nb::class_<PyRule>(m, "Rule", "A rule by its name and numbers, as those of rosenblatt.core.rules list them.")
        .def("__init__", [](PyRule* rule, const nb::args& terms) { new (rule) PyRule(terms); });
    auto tally = nb::class_<PyTally>(m, "Tally", "What a run has counted, in one array of float64.");
    tally.def(
             "__init__", [](PyTally* t, Index k) { new (t) PyTally(PyTally::zeros(k)); }, nb::arg("n_vectors"))
        .def_static(
            "of", [](nb::object values) { return PyTally(std::move(values)); }, nb::arg("values"),
            "The tally that an array holds, which it shares.")
        .def("__getstate__", [](const PyTally& t) { return t.values(); })
        .def("__setstate__", [](PyTally* t, nb::object values) { new (t) PyTally(std::move(values)); })
        .def("with_vectors", &PyTally::with_vectors, nb::arg("n_vectors"),
             "The same counts for another number of vectors, of which nothing is known yet.")
        .def_prop_ro(
            "values", [](const PyTally& t) { return t.values(); }, "All of it.")
        .def_prop_ro(
            "tau", [](const PyTally& t) { return t.slice(0, t.n_vectors); }, "Σ τ of each vector.")
        .def_prop_ro(
            "least", [](const PyTally& t) { return t.slice(t.n_vectors, t.n_vectors); },
            "The smallest margin of each vector.")
        .def_prop_ro(
            "counts", [](const PyTally& t) { return t.counts(); }, "All that are counts: visited and those below.")
        .def_ro("n_vectors", &PyTally::n_vectors)
        .def_prop_ro("is_writable", &PyTally::is_writable);
    const auto number = [&](const char* name, PyTally::Place place, const char* doc) {
        tally.def_prop_rw(
            name, [place](const PyTally& t) { return t.number(place); },
            [place](PyTally& t, double value) { t.set(place, value); }, doc);
    };
    const auto count = [&](const char* name, PyTally::Place place, const char* doc) {
        tally.def_prop_rw(
            name, [place](const PyTally& t) { return t.count(place); },
            [place](PyTally& t, Index value) { t.set_count(place, value); }, doc);
    };
    number("growth", PyTally::growth, "A bound on what the steps can have added to ‖W‖².");
    number("room", PyTally::room, "The growth for which there is room: no number overflows.");
    count("visited", PyTally::visited, "Examples visited.");
    count("mistakes", PyTally::mistakes, "Mistakes of the present pass.");
    count("updates", PyTally::updates, "Updates made.");
    count("run", PyTally::run, "Right answers in a row of the present weights.");
    count("best_run", PyTally::best_run, "Right answers in a row of the weights in the pocket.");
    count("errors", PyTally::errors, "Mistakes of the pocket on the training set (ratchet).");
    count("is_current", PyTally::is_current, "1: the present weights are those in the pocket.");
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() =
        "The native core of rosenblatt: one pass over rows, scores, the checks that admit data, and readers of text.";
    nb::set_leak_warnings(false);  // whoever keeps a model to the end of the process is told nothing
    bind_rows(m);
    bind_model(m);
    const auto none = nb::none();
    m.def("learn", &learn_rows, nb::kw_only(), nb::arg("rows"), nb::arg("model"), nb::arg("rule"), nb::arg("targets"),
          nb::arg("order") = none, nb::arg("weight") = none, nb::arg("first") = 0, nb::arg("dual") = none,
          nb::arg("steps") = none, nb::arg("pocket") = none, nb::arg("ratchet") = false, nb::arg("tally"),
          nb::arg("stop") = false, nb::arg("misread") = none, nb::arg("n_threads") = 1,
          "One pass over the examples, in place, or up to the first mistake or step, which is then left to the caller; "
          "False: it ended before a step that could overflow.");
    m.def("learn_one", &learn_one, nb::kw_only(), nb::arg("row"), nb::arg("columns"), nb::arg("model"), nb::arg("rule"),
          nb::arg("target"), nb::arg("weight") = 1.0, nb::arg("pocket") = none, nb::arg("tally"),
          "The same of one row of named features; names that are new get the next columns.");
    m.def("score", &score_rows, nb::kw_only(), nb::arg("rows"), nb::arg("model"), nb::arg("out"),
          "Scores of every row, one per class, written to out.");
    m.def("score_one", &score_one, nb::kw_only(), nb::arg("row"), nb::arg("columns"), nb::arg("model"),
          nb::arg("visited"), nb::arg("out"),
          "Scores of one row of named features by the weights, or by their average over so many examples visited > 0.");
    m.def("decide_one", &decide_one, nb::kw_only(), nb::arg("row"), nb::arg("columns"), nb::arg("model"),
          nb::arg("visited"),
          "Code of the class of the largest of these scores, the first of equals; two classes: 1 if it is > 0.");
    m.def("product", &product_of, nb::arg("a"), nb::arg("b"), nb::arg("out"), nb::arg("n_threads"),
          "out = a·bᵀ of CSR rows.");
    m.def("compress", &compress_rows, nb::arg("rows"), nb::arg("start"), nb::arg("feature"), nb::arg("x"),
          "Columns and values of the numbers of dense rows that are not zero; start says where each row's begin.");
    m.def("equal_rows", &equal_rows_of, nb::kw_only(), nb::arg("rows"), nb::arg("targets"), nb::arg("order") = none,
          "The first of the rows in order that equals an earlier one of another label, after that one; None: no two.");
    m.def("squares", &squares_of, nb::arg("weights"), nb::arg("out"), "out = Σ w² of each column of the weights.");
    m.def("average", &average_of, nb::arg("weights"), nb::arg("total"), nb::arg("visited"), nb::arg("out"),
          nb::arg("n_threads"), "out = weights − total/visited, the averaged readout.");
    m.def("add_squares", &add_squares_of, nb::arg("weights"), nb::arg("order"), nb::arg("out"),
          "out += Σ w² of each column over these rows of the weights, in order.");
    m.def(
        "share_rows", &share_of_rows, nb::arg("starts"), nb::arg("columns"), nb::arg("which"), nb::arg("first"),
        "Number the rows by their content; which: the number of each, first: the first row of each number; how many.");
    m.def("place_features", &place_of_features, nb::arg("features"), nb::arg("table"), nb::arg("met"), nb::arg("used"),
          nb::arg("count"), nb::arg("add"), nb::arg("out"), nb::arg("n_threads"),
          "Places of features among the weights of those that were met; (features done, how many were met then).");
    bind_text(m);
    bind_data(m);
    bind_sequences(m);
    bind_sequence_features(m);
}
