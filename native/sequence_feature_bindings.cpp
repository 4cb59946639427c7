// The Python face of the features of tokens.
#include "sequence_feature_bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "arrays.hpp"
#include "border.hpp"
#include "given_away.hpp"
#include "named_tokens.hpp"
#include "sequence_features.hpp"
#include "tuples.hpp"

namespace nb = nanobind;
using namespace rosenblatt;

namespace {

// ---- templates
// -------------------------------------------------------------------------------------------------------

Function function_of(const std::string& name) {
    static constexpr std::pair<const char*, Function> all[] = {
        {"lower", Function::lower}, {"prefix", Function::prefix}, {"suffix", Function::suffix},
        {"shape", Function::shape}, {"digit", Function::digit},   {"hyphen", Function::hyphen},
        {"title", Function::title}, {"upper", Function::upper},
    };
    for (const auto& [known, function] : all)
        if (name == known) return function;
    throw std::invalid_argument("no such function of a cell: " + name);
}

// ((function, n), …)
Form form_of(nb::handle given) {
    Form form;
    for (const nb::handle step : nb::cast<nb::tuple>(given)) {
        const auto parts = sized(step, 2, "a function of a cell");
        form.push_back({function_of(nb::cast<std::string>(parts[0])), nb::cast<std::size_t>(parts[1])});
    }
    return form;
}

bool operator==(const Step& a, const Step& b) { return a.function == b.function && a.n == b.n; }

// The number of a form among those of its column.
std::size_t number_of(const Form& form, std::vector<Form>& known) {
    const auto is_same = [&](const Form& other) {
        return std::equal(form.begin(), form.end(), other.begin(), other.end(),
                          [](const Step& a, const Step& b) { return a == b; });
    };
    const auto at = std::find_if(known.begin(), known.end(), is_same);
    if (at != known.end()) return static_cast<std::size_t>(at - known.begin());
    known.push_back(form);
    return known.size() - 1;
}

// ((text, ((row, column, form, text), …)), …)
Templates templates_of(const nb::tuple& list, bool named_edges) {
    constexpr std::size_t most_columns = 1 << 16;
    Templates all;
    all.named_edges = named_edges;
    for (const nb::handle one : list) {
        const auto pieces = sized(one, 2, "a template");
        TokenTemplate made{nb::cast<std::string>(pieces[0]), {}};
        for (const nb::handle cell : nb::cast<nb::tuple>(pieces[1])) {
            const auto fields = sized(cell, 4, "a cell");
            const auto row = nb::cast<int>(fields[0]);
            const auto column = nb::cast<std::size_t>(fields[1]);
            if (row < -kReach || row > kReach || column >= most_columns)
                throw std::invalid_argument("a cell lies outside of what there is");
            if (column >= all.forms.size()) all.forms.resize(column + 1);
            const std::size_t form = number_of(form_of(fields[2]), all.forms[column]);
            made.cells.push_back({row, column, form, nb::cast<std::string>(fields[3])});
        }
        made.finish();
        all.list.push_back(std::move(made));
    }
    return all;
}

// ---- tokens
// ----------------------------------------------------------------------------------------------------------

// Columns of strings, those that templates ask for, which stay for as long as this does.
class Columns {
    std::vector<nb::tuple> held_;  // a list may be changed by others while the GIL is released

  public:
    std::vector<std::vector<std::string_view>> views;

    Columns(const nb::tuple& columns, const Templates& templates, std::size_t n_tokens) {
        if (columns.size() < templates.forms.size()) throw std::invalid_argument("templates ask for more columns");
        for (std::size_t c = 0; c < templates.forms.size(); ++c) {
            held_.emplace_back(nb::borrow(columns[c]));
            const nb::tuple& strings = held_.back();
            if (strings.size() != n_tokens) throw std::invalid_argument("a column holds a string for each token");
            auto& to = views.emplace_back();
            to.reserve(n_tokens);
            for (const nb::handle text : strings) to.push_back(utf8_of(text, to.size(), "a token's column"));
        }
    }
};

unsigned checked_bits(unsigned bits) {
    if (bits < 1 || bits > 31) throw std::invalid_argument("a column has 1 to 31 bits");
    return bits;
}

// Where sentences start: the tokens of all of them, and how many there are.
class Starts {
    ReadOnly array_;

  public:
    const std::int64_t* data;
    std::size_t n_sentences, n_tokens;

    explicit Starts(nb::handle given) : array_(array<ReadOnly>(given, "starts")) {
        data = typed<std::int64_t>(array_, 1, "starts");
        n_sentences = array_.size() - 1;
        n_tokens = static_cast<std::size_t>(data[n_sentences]);
        if (data[0] != 0) throw std::invalid_argument("the first sentence starts at token 0");
        check_starts(data, static_cast<Index>(n_sentences), data[n_sentences]);
    }
};

nb::tuple token_rows(const nb::tuple& columns, nb::object sentence_starts, const Templates& templates, unsigned bits) {
    const Starts starts(sentence_starts);
    const Columns strings(columns, templates, starts.n_tokens);
    checked_bits(bits);
    TokenRows rows;
    {
        nb::gil_scoped_release unlocked;
        TokenReader reader(templates, strings.views);
        read_token_rows(reader, templates, starts.data, starts.n_sentences, bits, rows);
    }
    return nb::make_tuple(given_away(rows.starts.give_away(), rows.n_tokens + 1),
                          given_away(rows.columns.give_away(), rows.size));
}

// Of each token, (name, column) of each feature in the order of the templates.
nb::list token_feature_names(const nb::tuple& columns, nb::object sentence_starts, const Templates& templates,
                             unsigned bits) {
    const Starts starts(sentence_starts);
    const Columns strings(columns, templates, starts.n_tokens);
    const std::uint64_t mask = (std::uint64_t{1} << checked_bits(bits)) - 1;
    TokenReader reader(templates, strings.views);
    nb::list tokens;
    for (std::size_t s = 0; s < starts.n_sentences; ++s) {
        const auto first = static_cast<std::size_t>(starts.data[s]),
                   last = static_cast<std::size_t>(starts.data[s + 1]);
        reader.begin(first, last);
        for (std::size_t token = 0; token < last - first; ++token) {
            nb::list features;
            reader.each(token, [&](std::uint64_t hash, std::size_t number) {
                features.append(nb::make_tuple(reader.name(token, number), hash & mask));
            });
            tokens.append(features);
        }
    }
    return tokens;
}

template <class T, class From>
nb::object copied(const From& from) {
    Memory<T> room;
    room.resize(from.size());
    std::copy(from.begin(), from.end(), room.data());
    return given_away(room.give_away(), from.size());
}

// (text, starts, hashes, whether that is all) of features whose hashes are not known, at most so many
nb::tuple gather_feature_names(const nb::tuple& columns, nb::object sentence_starts, const Templates& templates,
                               nb::object known_hashes, std::size_t limit) {
    const Starts starts(sentence_starts);
    const Columns strings(columns, templates, starts.n_tokens);
    const auto hashes = array<ReadOnly>(known_hashes, "hashes");
    const auto* const first = typed<std::uint64_t>(hashes, 0, "hashes");
    NewNames found;
    {
        nb::gil_scoped_release unlocked;
        HashSet known;
        for (std::size_t i = 0; i < hashes.size(); ++i) known.add(first[i]);
        TokenReader reader(templates, strings.views);
        gather_names(reader, starts.data, starts.n_sentences, known, limit, found);
    }
    return nb::make_tuple(copied<std::uint8_t>(found.text), copied<std::int64_t>(found.starts),
                          copied<std::uint64_t>(found.hashes), found.complete);
}

// ---- features by name
// ------------------------------------------------------------------------------------------------

// CSR rows (starts, columns, values or None: all 1) of tokens whose features are given by name.
nb::tuple named_token_rows(const nb::list& tokens, unsigned bits) {
    NamedTokens rows(checked_bits(bits));
    const nb::tuple held(tokens);
    for (const nb::handle token : held) rows.add(token);
    return nb::make_tuple(given_away(rows.starts.give_away(), rows.n_tokens + 1),
                          given_away(rows.columns.give_away(), rows.size),
                          rows.all_ones ? nb::none() : given_away(rows.values.give_away(), rows.size));
}

}  // namespace

void bind_sequence_features(nb::module_& m) {
    nb::class_<Templates>(m, "TokenTemplates", "Templates of features of tokens.")
        .def(
            "__init__",
            [](Templates* self, const nb::tuple& list, bool named_edges) {
                new (self) Templates(templates_of(list, named_edges));
            },
            nb::arg("templates"), nb::arg("named_edges"));
    m.def("token_rows", &token_rows, nb::arg("columns"), nb::arg("starts"), nb::arg("templates"), nb::arg("bits"),
          "CSR rows (starts, columns) of the tokens of sentences: a feature's column is the low bits of its hash.");
    m.def("token_feature_names", &token_feature_names, nb::arg("columns"), nb::arg("starts"), nb::arg("templates"),
          nb::arg("bits"), "Of each token, (name, column) of each feature, in the order of the templates.");
    m.def(
        "gather_feature_names", &gather_feature_names, nb::arg("columns"), nb::arg("starts"), nb::arg("templates"),
        nb::arg("known"), nb::arg("limit"),
        "Names (bytes, starts), hashes of the features that are not known, at most `limit`, and whether that is all.");
    m.def("named_token_rows", &named_token_rows, nb::arg("tokens"), nb::arg("bits"),
          "CSR rows (starts, columns, values or None) of tokens that are dicts or lists of named features.");
    m.def(
        "hash_feature", [](const std::string& name) { return hash64(name); }, nb::arg("name"),
        "The 64-bit hash of a feature that is given by name.");
}
