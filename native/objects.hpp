// What Python makes once and hands to many calls: rows, a model, a rule, a tally. Everything is checked as it is made
// (border.hpp), and each keeps the arrays that it was made of.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "learn.hpp"
#include "listed.hpp"
#include "sequences.hpp"

namespace rosenblatt {

// ---- rows --------------------------------------------------------------------------------------------------------

struct AnyRows {
    std::variant<DenseRows<float>, DenseRows<double>, GramRows<float>, GramRows<double>, CsrRows<float, std::int32_t>,
                 CsrRows<float, std::int64_t>, CsrRows<double, std::int32_t>, CsrRows<double, std::int64_t>>
        view;
    bool canonical = true;  // features ascend within each row, none twice

    template <class F>
    auto visit(F&& f) const {
        return std::visit(std::forward<F>(f), view);
    }
    Index n_rows() const {
        return visit([](const auto& rows) { return rows.n_rows; });
    }
    Index n_features() const {
        return visit([](const auto& rows) { return rows.n_features; });
    }
};

struct PyDenseRows : AnyRows {
    KeptArray data;

    explicit PyDenseRows(nb::object array) : data(std::move(array), "dense rows") {
        const auto& a = data.memory();
        if (a.ndim() != 2) throw std::invalid_argument("dense rows must have two dimensions");
        with_number_type(a.dtype(), [&]<class T>(T) {
            view = DenseRows<T>{data.read<T>(0, "dense rows"), static_cast<Index>(a.shape(0)),
                                static_cast<Index>(a.shape(1))};
        });
    }
};

struct PyGramRows : AnyRows {
    KeptArray data;

    explicit PyGramRows(nb::object array) : data(std::move(array), "a block of a kernel matrix") {
        const auto& a = data.memory();
        if (a.ndim() != 2 || a.shape(0) != a.shape(1))
            throw std::invalid_argument("a block of a kernel matrix must be square");
        const auto n = static_cast<Index>(a.shape(0));
        with_number_type(a.dtype(),
                         [&]<class T>(T) { view = GramRows<T>{data.read<T>(0, "a block of a kernel matrix"), n, n}; });
    }
};

struct PyCsrRows : AnyRows {
    KeptArray indptr, indices, data;

    PyCsrRows(nb::object start, nb::object feature, nb::object x, Index n_features)
        : indptr(std::move(start), "indptr"), indices(std::move(feature), "indices"), data(std::move(x), "data") {
        if (n_features < 0) throw std::invalid_argument("the number of features must not be negative");
        with_number_type(data.memory().dtype(), [&]<class T>(T) {
            if (indptr.memory().dtype() == nb::dtype<std::int32_t>())
                read<T, std::int32_t>(n_features);
            else
                read<T, std::int64_t>(n_features);
        });
    }

  private:
    template <class T, class I>
    void read(Index n_features) {
        const I* const start = indptr.read<I>(1, "indptr");
        const auto n = static_cast<Index>(indptr.memory().size()) - 1;
        check_starts(start, n, std::numeric_limits<Index>::max());
        const Index stored = start[n];
        const CsrRows<T, I> rows{start, indices.read<I>(stored, "indices"), data.read<T>(stored, "data"), n,
                                 n_features};
        const FeatureScan scan = [&] {
            nb::gil_scoped_release unlocked;
            return scan_features(rows);
        }();
        if (!scan.fits) throw std::invalid_argument("column indices must lie between 0 and the number of features − 1");
        canonical = scan.canonical;
        view = rows;
    }
};

// Sentences of tokens, which are rows of features; data: None where every number is 1.
struct PySentences {
    KeptArray sentences, indptr, indices, data;
    Index n_rows, n_tokens, n_features;

    PySentences(nb::object starts, nb::object start, nb::object feature, nb::object x, Index width)
        : sentences(std::move(starts), "starts of sentences"),
          indptr(std::move(start), "indptr"),
          indices(std::move(feature), "indices"),
          n_rows(static_cast<Index>(sentences.memory().size()) - 1),
          n_tokens(static_cast<Index>(indptr.memory().size()) - 1),
          n_features(width) {
        check_starts(sentences.read<Index>(1, "starts of sentences"), n_rows, n_tokens);
        const Index* const begin = indptr.read<Index>(1, "indptr");
        check_starts(begin, n_tokens, static_cast<Index>(indices.memory().size()));
        check_below(indices.read<std::int32_t>(begin[n_tokens], "indices"), begin[n_tokens], n_features, "features");
        if (!x.is_none()) {
            data = KeptArray(std::move(x), "data");
            with_number_type(data.memory().dtype(), [&]<class T>(T) { data.read<T>(begin[n_tokens], "data"); });
        }
        Index longest = 0;
        for (Index t = 0; t < n_tokens; ++t) longest = std::max(longest, begin[t + 1] - begin[t]);
        ones_float.assign(static_cast<std::size_t>(longest), 1);
        ones_double.assign(static_cast<std::size_t>(longest), 1);
    }

    template <class T>
    SentenceRows<T> view() const {
        const T* ones = nullptr;
        if constexpr (std::is_same_v<T, float>)
            ones = ones_float.data();
        else
            ones = ones_double.data();
        const Index entries = indptr.read<Index>(1, "indptr")[n_tokens];
        return {sentences.read<Index>(1, "starts of sentences"),
                indptr.read<Index>(1, "indptr"),
                indices.read<std::int32_t>(entries, "indices"),
                data.is_none() ? nullptr : data.read<T>(entries, "data"),
                ones,
                n_rows,
                n_features};
    }

  private:
    std::vector<float> ones_float;
    std::vector<double> ones_double;
};

// Tags, how they follow on each other, and which rows of the weights are those of the links.
struct PyLinks {
    Tags tags;
    Cost cost;
    KeptArray rows, allowed;

    PyLinks(Index n_tags, Index order, nb::handle by, nb::object which, nb::object may)
        : tags{n_tags, order},
          cost(is(by, "hamming") ? Cost::hamming
               : is(by, "sqrt")  ? Cost::root
                                 : Cost::one),
          rows(std::move(which), "rows of links") {
        if (n_tags < 1 || n_tags > 1 << 15 || (order != 1 && order != 2))
            throw std::invalid_argument("there are tags, and they depend on one or two before");
        rows.read<Index>(tags.n_links(), "rows of links");
        if (!may.is_none())
            (allowed = KeptArray(std::move(may), "allowed")).read<std::uint8_t>(tags.n_links() * n_tags, "allowed");
    }
};

// ---- the model -----------------------------------------------------------------------------------------------------

enum class Form { binary, regression, multiclass, ovr, sequence };

inline Form form_of(nb::handle name) {
    if (is(name, "binary")) return Form::binary;
    if (is(name, "regression")) return Form::regression;
    if (is(name, "multiclass")) return Form::multiclass;
    if (is(name, "ovr")) return Form::ovr;
    if (is(name, "sequence")) return Form::sequence;
    throw std::invalid_argument("a model has no such form");
}

// Weights and how they are used. Those that are read-only can score.
class PyModel {
  public:
    KeptArray weights, total, gradient, precision, covariance;
    nb::object lists;  // of the features, where the weights are the biases alone; else None
    nb::object links;  // of sequences; else None
    Form form;
    Index n_vectors, stride, n_rows;  // of the weights: the biases, and as many features as they have room for
    bool fit_intercept, tie_is_mistake;
    double epsilon, constant;  // constant: the feature of which the bias is the weight
    double prior;              // 1/a of the confidence of a second-order rule

    PyModel(nb::handle form_name, nb::object w, Index k, bool bias, bool ties, nb::object sums, nb::object sink,
            double half_width, double constant_feature, nb::object by_feature, nb::object sure, nb::object spread,
            double inverse_variance, nb::object followed)
        : weights(std::move(w), "weights"),
          lists(std::move(by_feature)),
          links(std::move(followed)),
          form(form_of(form_name)),
          n_vectors(k),
          fit_intercept(bias),
          tie_is_mistake(ties),
          epsilon(half_width),
          constant(constant_feature),
          prior(inverse_variance) {
        const auto& a = weights.memory();
        const auto size = static_cast<Index>(a.size());
        stride = static_cast<Index>(a.ndim() == 2 ? a.shape(1) : 0);
        if (n_vectors < 1 || stride < n_vectors || size == 0 || (n_vectors > 1 && stride % 4) ||
            (n_vectors > 1) != (form == Form::multiclass || form == Form::ovr || form == Form::sequence))
            throw std::invalid_argument("the weights do not have the shape of so many vectors, or not of this form");
        n_rows = size / stride;
        with_number_type(a.dtype(), [&]<class T>(T) {
            weights.read<T>(0, "weights");
            if (!sink.is_none()) (gradient = KeptArray(std::move(sink), "gradient")).template read<T>(size, "gradient");
        });
        if (!sums.is_none()) (total = KeptArray(std::move(sums), "total")).read<double>(size, "total");
        check_confidence(std::move(sure), std::move(spread), size);
        if ((form == Form::sequence) == links.is_none() ||
            (form == Form::sequence && !(lists.is_none() && gradient.is_none() && covariance.is_none())))
            throw std::invalid_argument("sequences have links, and weights side by side, without a gradient");
        if (!links.is_none()) {
            const auto& held = nb::cast<PyLinks&>(links);
            if (held.tags.n > n_vectors || (stride != 4 && stride % 8))
                throw std::invalid_argument("sequences have rows of four numbers, or of eights, one for each tag");
            check_below(held.rows.read<Index>(0, "rows of links"), static_cast<Index>(held.rows.memory().size()),
                        n_rows, "rows of links");
        }
        if (!lists.is_none()) {
            auto& held = nb::cast<PyClassLists&>(lists);
            if (n_vectors < 2 || held.n_vectors() != n_vectors || !gradient.is_none())
                throw std::invalid_argument("lists are of as many classes as the model, and take no gradient");
            held.visit([&]<class T>(const ClassLists<T>& of) {
                if (a.dtype() != nb::dtype<T>() || (!total.is_none() && !of.averaged()))
                    throw std::invalid_argument(
                        "lists have numbers of the type of the biases, and sums where these do");
            });
        }
    }

    bool is_writable() const {
        return weights.is_writable() && (total.is_none() || total.is_writable()) &&
               (gradient.is_none() || gradient.is_writable()) && (precision.is_none() || precision.is_writable()) &&
               (covariance.is_none() || covariance.is_writable());
    }
    // Whether a second-order rule can learn.
    bool is_sure() const { return !precision.is_none() || !covariance.is_none(); }

    template <class F>
    auto with_number_type_of(F&& f) const {
        return with_number_type(weights.memory().dtype(), std::forward<F>(f));
    }

    // f(model) of numbers T for rows of so many features; it is written to only where that was asked for. Lists are of
    // sparse rows.
    template <class T, bool sparse = true, class F>
    void with_view(Index n_features, bool to_write, F&& f) const {
        auto* const held = lists.is_none() ? nullptr : &std::get<ClassLists<T>>(nb::cast<PyClassLists&>(lists).lists);
        if (held && held->n_classes() != n_vectors)
            throw std::invalid_argument("the lists have got other classes since the model was made");
        if (held && n_features > held->n_rows()) throw std::invalid_argument("the weights are too few for the rows");
        const Weights<T> view = view_of<T>(held ? 0 : n_features, to_write);
        if (held) {
            if constexpr (sparse) {
                const ListedWeights<T> listed(view, held);
                if (form == Form::ovr) return f(OneVsRest<T, ListedWeights<T>>{listed, tie_is_mistake});
                return f(Multiclass<T, ListedWeights<T>>{listed, tie_is_mistake});
            }
            throw std::invalid_argument("lists of classes take sparse rows");
        }
        switch (form) {
            case Form::binary:
                return f(Binary<T>{view, tie_is_mistake});
            case Form::regression:
                return f(Regression<T>{{view, tie_is_mistake}, epsilon});
            case Form::multiclass:
                return f(Multiclass<T>{view, tie_is_mistake});
            case Form::ovr:
                return f(OneVsRest<T>{view, tie_is_mistake});
            case Form::sequence:
                throw std::invalid_argument("sequences are learned from sentences");
        }
    }

    // The same, of sentences.
    template <class T>
    Tagger<T> tagger(Index n_features, bool to_write) const {
        if (links.is_none()) throw std::invalid_argument("sentences are for models of sequences");
        const auto& held = nb::cast<PyLinks&>(links);
        return {view_of<T>(n_features, to_write),
                n_rows,
                tie_is_mistake,
                held.tags,
                held.cost,
                held.rows.template read<Index>(0, "rows of links"),
                held.allowed.is_none() ? nullptr : held.allowed.template read<std::uint8_t>(0, "allowed")};
    }

  private:
    // The weights, for rows of so many features.
    template <class T>
    Weights<T> view_of(Index n_features, bool to_write) const {
        if (weights.memory().dtype() != nb::dtype<T>())
            throw std::invalid_argument("rows and weights must be numbers of one type");
        if (n_features >= n_rows) throw std::invalid_argument("the weights are too few for the rows");
        if (to_write && !is_writable()) throw std::invalid_argument("these weights are read-only");
        T* const w = pointer<T>(weights);
        T* const sink = pointer<T>(gradient);
        const T one = fit_intercept ? static_cast<T>(constant * constant) : T{0};
        const Confidence<T> sure{pointer<T>(precision), pointer<double>(covariance), stride, n_rows, prior, one};
        return {w, n_vectors, stride, one, sink ? sink : w, pointer<double>(total), sure};
    }

    // What a second-order rule keeps has the shape of the weights, or is a matrix for each vector.
    void check_confidence(nb::object sure, nb::object spread, Index size) {
        if (sure.is_none() && spread.is_none()) return;
        if ((!sure.is_none() && !spread.is_none()) || !lists.is_none() || !gradient.is_none() ||
            form == Form::regression || !(prior > 0))
            throw std::invalid_argument("a confidence is of classes side by side: one of precision and covariance");
        if (!spread.is_none()) {
            (covariance = KeptArray(std::move(spread), "covariance")).read<double>(0, "covariance");
            if (static_cast<Index>(covariance.memory().size()) != n_vectors * n_rows * n_rows)
                throw std::invalid_argument("a covariance is a square of the rows of the weights, for each vector");
            return;
        }
        precision = KeptArray(std::move(sure), "precision");
        with_number_type_of([&]<class T>(T) { precision.read<T>(size, "precision"); });
    }

    template <class T>
    static T* pointer(const KeptArray& kept) {
        return kept.is_none() ? nullptr : static_cast<T*>(const_cast<void*>(kept.memory().data()));
    }
};

// The codes of the classes of so many rows. One row may have its code given as a number, kept in `one`.
inline Codes codes_of(nb::handle targets, Index n_rows, std::int32_t& one) {
    if (n_rows == 1 && PyLong_Check(targets.ptr())) {
        one = nb::cast<std::int32_t>(targets);
        return {nullptr, &one};
    }
    const auto codes = array<ReadOnly>(targets, "targets");
    if (codes.dtype() == nb::dtype<std::int8_t>()) return {typed<std::int8_t>(codes, n_rows, "targets"), nullptr};
    return {nullptr, typed<std::int32_t>(codes, n_rows, "targets")};
}

// ---- the rule ------------------------------------------------------------------------------------------------------

// A rule by its name and numbers, as `native` of rosenblatt.core.rules lists them; those that it has for each class are
// kept in `by_class`.
inline Rule rule_of(const nb::args& terms, std::optional<std::vector<double>>& by_class) {
    const auto item = [&](std::size_t i) {
        if (i >= terms.size()) throw std::invalid_argument("a rule has its name and all its numbers");
        return nb::handle(terms[i]);
    };
    const nb::handle name = item(0);
    const auto number = [&](std::size_t i) { return nb::cast<double>(item(i)); };
    const auto share = [&](std::size_t i) {
        const nb::handle text = item(i);
        return is(text, "uniform") ? Share::uniform : is(text, "proportional") ? Share::proportional : Share::max;
    };
    const auto numbers_from = [&](std::size_t i) {
        by_class.emplace();
        for (; i < terms.size(); ++i) by_class->push_back(number(i));
        return by_class->data();
    };
#define RULE(text, ...) \
    if (is(name, text)) return __VA_ARGS__;
    ROSENBLATT_RULES(RULE)
    ROSENBLATT_SECOND_ORDER_RULES(RULE)
#undef RULE
    throw std::invalid_argument("unknown rule " + std::string(nb::repr(name).c_str()));
}

struct PyRule {
    std::optional<std::vector<double>> by_class;  // where the rule has a number for each class, those: it points there
    Rule rule;

    explicit PyRule(const nb::args& terms) : rule(rule_of(terms, by_class)) {}
    PyRule(const PyRule&) = delete;
    PyRule& operator=(const PyRule&) = delete;

    void check_classes(Index n) const {
        if (by_class && static_cast<Index>(by_class->size()) < n)
            throw std::invalid_argument("the rule has numbers for fewer classes than the model");
    }
};

// ---- the tally -----------------------------------------------------------------------------------------------------

constexpr double kMostCounted = 9007199254740992;  // 2^53: every whole number up to it is a double

// What a run has counted: one array of doubles, which is also what files and pickles hold. It has Σ τ and the smallest
// margin of each vector, and then one number for each of these.
class PyTally {
  public:
    enum Place : Index { growth, room, visited, mistakes, updates, run, best_run, errors, is_current, n_places };

    explicit PyTally(nb::object values) : values_(std::move(values), "a tally") {
        const auto size = static_cast<Index>(values_.memory().size());
        if (values_.memory().ndim() != 1 || size < n_places + 2 || (size - n_places) % 2)
            throw std::invalid_argument("a tally has two numbers of each vector, and nine more");
        n_vectors = (size - n_places) / 2;
        at_ = const_cast<double*>(values_.read<double>(0, "a tally"));
    }
    static nb::object zeros(Index k) {
        if (k < 1) throw std::invalid_argument("a tally is of one vector at least");
        return nb::module_::import_("numpy").attr("zeros")(2 * k + n_places);
    }

    Index n_vectors;

    const nb::object& values() const { return values_.object(); }
    bool is_writable() const { return values_.is_writable(); }
    double* tau() const { return at_; }
    double* least() const { return at_ + n_vectors; }
    double number(Place place) const { return at_[2 * n_vectors + place]; }
    Index count(Place place) const {
        const double value = number(place);
        if (!(value >= 0 && value <= kMostCounted)) throw std::invalid_argument("a tally counts from 0 to 2^53");
        return static_cast<Index>(value);
    }
    void set(Place place, double value) {
        if (!is_writable()) throw std::invalid_argument("this tally is read-only");
        at_[2 * n_vectors + place] = value;
    }
    void set_count(Place place, Index value) { set(place, static_cast<double>(value)); }
    nb::object slice(Index first, Index count) const {
        return values()[nb::slice(nb::int_(first), nb::int_(first + count), nb::none())];
    }
    nb::object counts() const { return slice(2 * n_vectors + visited, n_places - visited); }
    // The same counts for another number of vectors, of which nothing is known yet.
    PyTally with_vectors(Index k) const {
        PyTally other(zeros(k));
        std::copy_n(at_ + 2 * n_vectors, static_cast<Index>(n_places), other.at_ + 2 * k);
        return other;
    }

  private:
    KeptArray values_;
    double* at_;
};

}  // namespace rosenblatt
