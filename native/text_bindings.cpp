// The Python face of the text encoders: documents as views of UTF-8 bytes, and arrays given back without a copy.
#include "text_bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "arrow.hpp"
#include "border.hpp"
#include "class_counts.hpp"
#include "gather.hpp"
#include "given_away.hpp"
#include "tuples.hpp"

namespace nb = nanobind;
using namespace rosenblatt;

namespace {

template <class T>
using ReadOnly = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Writable = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// An array of the type and shape that is asked for.
template <class A>
A array_as(nb::handle h) {
    A found;
    if (!nb::try_cast(h, found, false)) throw std::invalid_argument("an array is of another type, or only to be read");
    return found;
}

// ---- documents
// -------------------------------------------------------------------------------------------------------

// Raise an error of rosenblatt.errors, which knows the row: whoever knows the file of a row adds it.
[[noreturn]] void refuse(std::size_t row, const std::string& problem, const std::string& remedy,
                         const char* kind = "DataError") {
    const nb::object error =
        nb::module_::import_("rosenblatt.errors").attr(kind)(problem, remedy, nb::arg("row") = row);
    PyErr_SetObject(error.type().ptr(), error.ptr());
    throw nb::python_error();
}

[[noreturn]] void refuse_missing(std::size_t row, const std::string& what) {
    refuse(row, "documents must be text, got " + what, "leave such rows out, or fill them with ''");
}

// A list of str or bytes, or the capsules of Arrow's C interface: (schema, array) or (stream,). Whoever has the views
// must keep this.
class Given {
  public:
    Documents documents;

    explicit Given(const nb::object& given) {
        if (nb::isinstance<nb::list>(given))
            read_list(nb::cast<nb::list>(given));
        else
            read_capsules(nb::cast<nb::tuple>(given));
    }

  private:
    nb::tuple held_;  // a list may be changed by others while the GIL is released
    std::vector<arrow::Owned<ArrowArray>> arrays_;

    void read_list(const nb::list& given) {
        held_ = nb::tuple(given);
        documents.reserve(held_.size());
        for (const nb::handle item : held_) {
            const std::size_t row = documents.size();
            Py_ssize_t size = 0;
            if (PyUnicode_Check(item.ptr())) {
                const char* text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
                if (!text) refuse_surrogate(row);
                documents.emplace_back(text, static_cast<std::size_t>(size));
            } else if (PyBytes_Check(item.ptr())) {
                char* text = nullptr;
                PyBytes_AsStringAndSize(item.ptr(), &text, &size);
                documents.emplace_back(text, static_cast<std::size_t>(size));
            } else {
                refuse_type(row, item);
            }
        }
    }

    [[noreturn]] static void refuse_surrogate(std::size_t row) {
        nb::python_error error;
        if (!error.matches(PyExc_UnicodeEncodeError)) throw error;
        const auto at = nb::cast<std::size_t>(error.value().attr("start"));
        refuse(row,
               "the document holds a lone surrogate (its character " + std::to_string(at) + "), which is not text,",
               "decode it anew, for example with errors=\"replace\"");
    }

    [[noreturn]] static void refuse_type(std::size_t row, nb::handle item) {
        if (item.is_none()) refuse_missing(row, "None");
        if (PyFloat_Check(item.ptr()) && std::isnan(PyFloat_AsDouble(item.ptr()))) refuse_missing(row, "NaN");
        const std::string type = nb::cast<std::string>(nb::handle(item.type()).attr("__name__"));
        if (type == "NAType" || type == "NaTType") refuse_missing(row, "a missing value");
        refuse(row, "documents must be str or bytes, got " + type, "make it text first", "DataTypeError");
    }

    template <class S>
    static S& capsule(nb::handle h, const char* name) {
        void* p = PyCapsule_GetPointer(h.ptr(), name);
        if (!p) throw nb::python_error();
        return *static_cast<S*>(p);
    }

    void read_capsules(const nb::tuple& given) {
        try {
            if (given.size() == 2) {
                const auto& schema = capsule<ArrowSchema>(given[0], "arrow_schema");
                arrays_.emplace_back(capsule<ArrowArray>(given[1], "arrow_array"));
                arrow::read(schema, arrays_[0].it, documents);
            } else {
                read_stream(capsule<ArrowArrayStream>(given[0], "arrow_array_stream"));
            }
        } catch (const arrow::Missing& missing) {
            refuse_missing(missing.row, "null");
        }
    }

    void read_stream(ArrowArrayStream& from) {
        arrow::Owned<ArrowArrayStream> stream(from);
        const auto check = [&](int failed) {
            if (!failed) return;
            const char* why = stream.it.get_last_error(&stream.it);
            throw std::runtime_error(std::string("the Arrow stream failed: ") + (why ? why : "it does not say why"));
        };
        arrow::Owned<ArrowSchema> schema;
        check(stream.it.get_schema(&stream.it, &schema.it));
        for (;;) {
            arrow::Owned<ArrowArray> next;
            check(stream.it.get_next(&stream.it, &next.it));
            if (!next.it.release) return;
            arrays_.push_back(std::move(next));
            arrow::read(schema.it, arrays_.back().it, documents);
        }
    }
};

// Strings in bytes objects, which stay for as long as someone has them.
struct HeldStrings : arrow::Strings {
    nb::bytes starts, text;

    HeldStrings(nb::bytes starts, nb::bytes text)
        : Strings(reinterpret_cast<const std::int32_t*>(starts.c_str()), text.c_str()),
          starts(std::move(starts)),
          text(std::move(text)) {}
    ~HeldStrings() override {
        nb::gil_scoped_acquire locked;
        starts.reset();
        text.reset();
    }
};

// What no one has taken out of a capsule is released with it.
template <class S>
nb::object capsule_of(S* it, const char* name) {
    PyObject* made = PyCapsule_New(it, name, [](PyObject* self) {
        auto* const left = static_cast<S*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
        if (left->release) left->release(left);
        delete left;
    });
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

nb::tuple arrow_strings(nb::bytes starts, nb::bytes text) {
    const auto n_rows = static_cast<std::int64_t>(starts.size() / sizeof(std::int32_t)) - 1;
    const auto* const at = reinterpret_cast<const std::int32_t*>(starts.c_str());
    if (n_rows < 0 || at[0] != 0) throw std::invalid_argument("starts of another text");
    check_starts(at, n_rows, static_cast<Index>(text.size()));
    auto* const schema = new ArrowSchema{};
    auto* const array = new ArrowArray{};
    (new HeldStrings(std::move(starts), std::move(text)))->give(n_rows, *schema, *array);
    return nb::make_tuple(capsule_of(schema, "arrow_schema"), capsule_of(array, "arrow_array"));
}

// ---- settings
// --------------------------------------------------------------------------------------------------------

bool is(nb::handle text, const char* name) { return nb::cast<std::string>(text) == name; }

// (bytes, starts, slots), the slots made by index_ngrams, which looks at the others; or None: no n-grams
Lexicon lexicon_of(nb::handle given) {
    if (given.is_none()) return {};
    const auto parts = sized(given, 3, "a table of n-grams");
    const auto bytes = array_as<ReadOnly<std::uint8_t>>(parts[0]);
    const auto starts = array_as<ReadOnly<std::int64_t>>(parts[1]);
    const auto slots = array_as<ReadOnly<std::uint64_t>>(parts[2]);
    const auto size = static_cast<std::int64_t>(starts.size()) - 1;
    if (size < 0 || slots.size() <= static_cast<std::size_t>(size) || !std::has_single_bit(slots.size()))
        throw std::invalid_argument("the arrays of a table of n-grams do not fit together");
    return {reinterpret_cast<const char*>(bytes.data()), starts.data(), slots.data(), slots.size() - 1, size,
            static_cast<std::int64_t>(bytes.size())};
}

// (analyzer, min_n, max_n, lowercase, replace, symbols, min_length, stop words, negations)
Analysis analysis_of(nb::handle analysis) {
    const auto given = sized(analysis, 9, "an analysis");
    const auto number = [&](std::size_t i) { return nb::cast<std::size_t>(given[i]); };
    Analysis how;
    how.unit = is(given[0], "word") ? Unit::word : is(given[0], "char") ? Unit::character : Unit::character_in_word;
    constexpr std::size_t endless = std::size_t{1} << 40;  // longer than any document; sums with it do not overflow
    how.min_n = std::min(number(1), endless);
    how.max_n = std::min(number(2), endless);
    how.lowercase = nb::cast<bool>(given[3]);
    how.replace = nb::cast<bool>(given[4]);
    how.symbols = nb::cast<bool>(given[5]);
    how.min_length = number(6);
    how.stop_words = lexicon_of(given[7]);
    how.negations = lexicon_of(given[8]);
    if (how.min_n < 1 || how.max_n < how.min_n || how.min_length < 1) throw std::invalid_argument("no such n-grams");
    return how;
}

void raise(const Fault& fault, const Documents& documents) {
    if (!fault) return;
    static constexpr char digits[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(documents[fault.row][fault.byte]);
    refuse(fault.row,
           "the document is not UTF-8 (its byte " + std::to_string(fault.byte) + " is 0x" + digits[byte >> 4] +
               digits[byte & 15] + ")",
           "decode it by its own encoding first, or set decode_error=\"replace\"");
}

// ---- arrays
// ----------------------------------------------------------------------------------------------------------

template <class T, class Values, class From>
nb::object array_of(const Values& values, From from) {
    Memory<T> room;
    room.resize(values.size());
    std::transform(values.begin(), values.end(), room.data(), from);
    return given_away(room.give_away(), values.size());
}

// (starts, columns, values): int32 starts where they are enough
template <class T>
nb::tuple rows_of(Entries<T>& rows) {
    const auto narrowed = [&]<class I>(I) {
        return array_of<I>(rows.starts, [](std::int64_t start) { return static_cast<I>(start); });
    };
    const bool small = rows.size <= std::numeric_limits<std::int32_t>::max();
    return nb::make_tuple(small ? narrowed(std::int32_t{}) : narrowed(std::int64_t{}),
                          given_away(rows.columns.give_away(), rows.size),
                          given_away(rows.values.give_away(), rows.size));
}

// analyses: one for each part of a row; encoding: (weighting, norm, type of the values, threads)
template <class Column>
nb::tuple encoded(const nb::object& given, const nb::tuple& analyses, const nb::tuple& encoding, unsigned bits,
                  Column&& column) {
    sized(encoding, 4, "an encoding");
    const Given from(given);
    std::vector<Analysis> how;
    for (const nb::handle analysis : analyses) how.push_back(analysis_of(analysis));
    if (how.empty() || how.size() << bits > std::size_t{1} << 31) throw std::invalid_argument("too many columns");
    const Weighting weighting = is(encoding[0], "binary") ? Weighting::binary
                                : is(encoding[0], "log")  ? Weighting::log
                                                          : Weighting::count;
    const Encoding to{bits, weighting, nb::cast<bool>(encoding[1]), nb::cast<unsigned>(encoding[3])};
    std::size_t bytes = 0;
    for (const std::string_view document : from.documents) bytes += document.size();
    const auto make = [&]<class T>(T) {
        Entries<T> rows(from.documents.size(), bytes / 3 + 16);
        Fault fault;
        {
            nb::gil_scoped_release unlocked;
            fault = encode(from.documents, how, to, column, rows);
        }
        raise(fault, from.documents);
        return rows_of(rows);
    };
    return is(encoding[2], "float32") ? make(float{}) : make(double{});
}

nb::tuple hash_text(const nb::object& documents, const nb::tuple& analyses, const nb::tuple& encoding, unsigned bits) {
    if (bits < 1 || bits > 31) throw std::invalid_argument("a column has 1 to 31 bits");
    const std::uint32_t mask = (1u << bits) - 1;
    return encoded(documents, analyses, encoding, bits, HashedColumn{mask});
}

nb::tuple look_up_text(const nb::object& documents, const nb::tuple& analysis, const nb::tuple& encoding,
                       const nb::tuple& lexicon) {
    const Lexicon known = lexicon_of(lexicon);
    const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(known.size)));
    return encoded(documents, nb::make_tuple(analysis), encoding, bits,
                   [known](std::string_view gram, std::uint32_t hash) { return known.find(gram, hash); });
}

// ---- n-grams
// ---------------------------------------------------------------------------------------------------------

nb::tuple gather_ngrams(const nb::object& documents, const nb::tuple& analysis, nb::object known, std::int64_t limit,
                        bool by_name, unsigned n_threads) {
    const Given from(documents);
    const Analysis how = analysis_of(analysis);
    const Lexicon lexicon = lexicon_of(known);
    Gathered found;
    Fault fault;
    std::vector<std::int64_t> starts{0};
    Memory<std::uint8_t> bytes;
    bool complete = true;
    {
        nb::gil_scoped_release unlocked;
        fault = gather(from.documents, how, lexicon, n_threads, found);
        if (by_name)
            found.sort_by_name(n_threads);
        else
            found.sort_by_first(n_threads);
        complete = limit < 0 || found.entries.size() <= static_cast<std::size_t>(limit);
        if (!complete) found.entries.resize(static_cast<std::size_t>(limit));
        starts.reserve(found.entries.size() + 1);
        for (const Entry& e : found.entries) starts.push_back(starts.back() + e.size);
        bytes.resize(static_cast<std::size_t>(starts.back()));
        auto* to = bytes.data();
        for (const Entry& e : found.entries) to = std::copy_n(found.bytes.data() + e.at, e.size, to);
    }
    raise(fault, from.documents);
    return nb::make_tuple(given_away(bytes.give_away(), static_cast<std::size_t>(starts.back())),
                          array_of<std::int64_t>(starts, [](std::int64_t start) { return start; }),
                          array_of<std::int64_t>(found.entries, [](const Entry& e) { return e.documents; }),
                          array_of<std::int64_t>(found.entries, [](const Entry& e) { return e.occurrences; }), complete,
                          from.documents.size());
}

nb::object index_ngrams(nb::object bytes_array, nb::object starts_array) {
    const auto bytes = array_as<ReadOnly<std::uint8_t>>(bytes_array);
    const auto starts = array_as<ReadOnly<std::int64_t>>(starts_array);
    check_starts(starts.data(), static_cast<Index>(starts.size()) - 1, static_cast<Index>(bytes.size()));
    const std::size_t size = slots_for(starts.size() - 1);
    Memory<std::uint64_t> slots;
    slots.resize(size);
    std::fill_n(slots.data(), size, 0);
    const Lexicon grams{reinterpret_cast<const char*>(bytes.data()),
                        starts.data(),
                        nullptr,
                        size - 1,
                        static_cast<std::int64_t>(starts.size()) - 1,
                        static_cast<std::int64_t>(bytes.size())};
    if (!fill_slots(grams, slots.data()))
        throw std::invalid_argument("the n-grams of a table must be different, and too many of these fall together");
    return given_away(slots.give_away(), size);
}

nb::list list_ngrams(const nb::object& documents, const nb::tuple& analysis) {
    const Given from(documents);
    const Analysis how = analysis_of(analysis);
    Reader reader(how);
    nb::list all;
    for (std::size_t row = 0; row < from.documents.size(); ++row) {
        if (!reader.read(from.documents[row])) raise({row, reader.fault}, from.documents);
        reader.each([&](std::string_view gram, std::uint32_t) { all.append(nb::str(gram.data(), gram.size())); });
    }
    return all;
}

nb::object hash_ngrams(const nb::object& texts) {
    const Given from(texts);
    return array_of<std::uint32_t>(from.documents, [](std::string_view text) { return ngram_hash(text); });
}

// ---- inverse document frequency
// --------------------------------------------------------------------------------------

void check_columns(const ReadOnly<std::int32_t>& columns, const ReadOnly<std::uint32_t>& counts) {
    check_below(columns.data(), static_cast<Index>(columns.size()), static_cast<Index>(counts.size()), "columns");
}

void count_columns(nb::object columns_array, nb::object counts_array) {
    const auto columns = array_as<ReadOnly<std::int32_t>>(columns_array);
    const auto counts = array_as<Writable<std::uint32_t>>(counts_array);
    check_columns(columns, array_as<ReadOnly<std::uint32_t>>(counts_array));
    nb::gil_scoped_release unlocked;
    count(columns.data(), columns.size(), counts.data());
}

// f(rows) of (starts, columns, values), which it may change in place; parts: (how many, columns of each, norm)
template <class F>
void with_rows(const nb::tuple& given, const nb::tuple& parts, std::size_t n_columns, F&& f) {
    sized(given, 3, "rows");
    sized(parts, 3, "parts");
    const RowParts split{nb::cast<std::size_t>(parts[0]), nb::cast<std::size_t>(parts[1]), nb::cast<bool>(parts[2])};
    if (split.n_parts < 1 || split.n_parts * split.n_columns != n_columns) throw std::invalid_argument("no such parts");
    const auto columns = array_as<ReadOnly<std::int32_t>>(given[1]);
    check_below(columns.data(), static_cast<Index>(columns.size()), static_cast<Index>(n_columns), "columns");
    const auto with_starts = [&]<class I>(I) {
        const auto starts = array_as<ReadOnly<I>>(given[0]);
        const auto with_values = [&]<class T>(T) {
            const auto values = array_as<Writable<T>>(given[2]);
            const auto n = static_cast<Index>(starts.size()) - 1;
            check_starts(starts.data(), n, static_cast<Index>(std::min(columns.size(), values.size())));
            f(Weighing<T, I>{starts.data(), columns.data(), values.data(), static_cast<std::size_t>(n), split});
        };
        return nb::isinstance<Writable<float>>(given[2]) ? with_values(float{}) : with_values(double{});
    };
    return nb::isinstance<ReadOnly<std::int32_t>>(given[0]) ? with_starts(std::int32_t{}) : with_starts(std::int64_t{});
}

// By the counts as they are, or in a stream, where each row is counted first.
void weigh_columns(const nb::tuple& rows, nb::object counts_array, std::uint64_t n_documents, const nb::tuple& parts,
                   bool stream, unsigned n_threads) {
    const auto counts = array_as<ReadOnly<std::uint32_t>>(counts_array);
    std::uint32_t* const counted = stream ? array_as<Writable<std::uint32_t>>(counts_array).data() : nullptr;
    with_rows(rows, parts, counts.size(), [&](const auto& from) {
        nb::gil_scoped_release unlocked;
        if (stream)
            stream_by_idf(from, counted, counts.size(), n_documents, n_threads);
        else
            weigh_by_idf(from, counts.data(), n_documents, n_threads);
    });
}

// By a weight of each column.
void weigh_by_table(const nb::tuple& rows, nb::object table, const nb::tuple& parts, unsigned n_threads) {
    const auto weights = array_as<ReadOnly<double>>(table);
    with_rows(rows, parts, weights.size(), [&](const auto& from) {
        nb::gil_scoped_release unlocked;
        weigh_all(from, n_threads, [at = weights.data()](std::size_t column) { return at[column]; });
    });
}

// ---- counts by class
// -------------------------------------------------------------------------------------------------

// The class of each row.
ReadOnly<ClassCounts::Class> classes_of(nb::handle given, std::size_t n_rows) {
    const auto classes = array_as<ReadOnly<ClassCounts::Class>>(given);
    if (classes.size() != n_rows) throw std::invalid_argument("a class for each row is needed");
    return classes;
}

// classes: of each row, which is counted and then weighed; or None: weighed by the counts as they are
void weigh_by_classes(ClassCounts& counts, const nb::tuple& rows, nb::object classes, const nb::tuple& parts, bool idf,
                      unsigned n_threads) {
    with_rows(rows, parts, counts.n_columns(), [&](const auto& from) {
        if (classes.is_none()) {
            nb::gil_scoped_release unlocked;
            return weigh_by_class(from, counts, idf, n_threads);
        }
        const auto given = classes_of(classes, from.n_rows);
        nb::gil_scoped_release unlocked;
        stream_by_class(from, given.data(), true, idf, counts, n_threads);
    });
}

void weights_by_class(const ClassCounts& counts, bool idf, unsigned n_threads, nb::object out) {
    const auto weights = array_as<Writable<double>>(out);
    if (weights.size() != counts.n_columns()) throw std::invalid_argument("a place for each column is needed");
    nb::gil_scoped_release unlocked;
    write_weights(counts, idf, n_threads, weights.data());
}

void count_classes(ClassCounts& counts, const nb::tuple& rows, nb::object classes, const nb::tuple& parts,
                   unsigned n_threads) {
    with_rows(rows, parts, counts.n_columns(), [&](const auto& from) {
        const auto given = classes_of(classes, from.n_rows);
        nb::gil_scoped_release unlocked;
        stream_by_class(from, given.data(), false, false, counts, n_threads);
    });
}

// (columns, how many classes each has, classes in ascending order, counts, documents of each class)
nb::tuple counts_by_class(const ClassCounts& counts) {
    std::vector<std::int32_t> columns;
    std::vector<std::uint16_t> sizes, classes;
    std::vector<std::uint32_t> numbers;
    {
        nb::gil_scoped_release unlocked;
        std::vector<std::pair<ClassCounts::Class, std::uint32_t>> found;
        for (std::size_t column = 0; column < counts.n_columns(); ++column) {
            found.clear();
            counts.each(column, [&](ClassCounts::Class of, std::uint32_t count) { found.emplace_back(of, count); });
            if (found.empty()) continue;
            std::sort(found.begin(), found.end());
            columns.push_back(static_cast<std::int32_t>(column));
            sizes.push_back(static_cast<std::uint16_t>(found.size()));
            for (const auto& [of, count] : found) classes.push_back(of), numbers.push_back(count);
        }
    }
    const auto same = [](auto value) { return value; };
    return nb::make_tuple(array_of<std::int32_t>(columns, same), array_of<std::uint16_t>(sizes, same),
                          array_of<std::uint16_t>(classes, same), array_of<std::uint32_t>(numbers, same),
                          array_of<std::uint64_t>(counts.documents(), same));
}

// Add what counts_by_class gave of other documents; refuses what it never gives.
void add_counts(ClassCounts& counts, const nb::tuple& given) {
    sized(given, 5, "counts by class");
    const auto columns = array_as<ReadOnly<std::int32_t>>(given[0]);
    const auto sizes = array_as<ReadOnly<std::uint16_t>>(given[1]);
    const auto classes = array_as<ReadOnly<std::uint16_t>>(given[2]);
    const auto numbers = array_as<ReadOnly<std::uint32_t>>(given[3]);
    const auto documents = array_as<ReadOnly<std::uint64_t>>(given[4]);
    const auto require = [](bool fits) {
        if (!fits) throw std::invalid_argument("the counts by class do not fit together");
    };
    require(sizes.size() == columns.size() && numbers.size() == classes.size());
    require(documents.size() <= std::numeric_limits<ClassCounts::Class>::max());
    std::size_t at = 0;
    std::int64_t last = -1;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        require(columns.data()[i] > last && static_cast<std::size_t>(columns.data()[i]) < counts.n_columns());
        last = columns.data()[i];
        require(sizes.data()[i] >= 1 && sizes.data()[i] <= classes.size() - at);
        for (std::size_t k = 0; k < sizes.data()[i]; ++k, ++at) {
            const auto of = classes.data()[at];
            require((k == 0 || of > classes.data()[at - 1]) && of < documents.size());
            require(numbers.data()[at] >= 1 && numbers.data()[at] <= documents.data()[of]);
        }
    }
    require(at == classes.size());
    for (const std::uint64_t n : std::vector(documents.data(), documents.data() + documents.size()))
        require(n <= std::uint64_t{1} << 40);  // sums and products of them do not overflow
    nb::gil_scoped_release unlocked;
    for (std::size_t of = 0; of < documents.size(); ++of)
        counts.add_documents(static_cast<ClassCounts::Class>(of), documents.data()[of]);
    at = 0;
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (std::size_t k = 0; k < sizes.data()[i]; ++k, ++at)
            counts.add(static_cast<std::size_t>(columns.data()[i]), classes.data()[at], numbers.data()[at]);
}

}  // namespace

void bind_text(nb::module_& m) {
    m.def("arrow_strings", &arrow_strings, nb::arg("starts"), nb::arg("text"),
          "The capsules of Arrow's C interface, schema and array, of a column of strings.");
    m.def("hash_text", &hash_text, nb::arg("documents"), nb::arg("analyses"), nb::arg("encoding"), nb::arg("bits"),
          "CSR rows (starts, columns, values): an n-gram counts in the column that the low bits of its hash are.");
    m.def("look_up_text", &look_up_text, nb::arg("documents"), nb::arg("analysis"), nb::arg("encoding"),
          nb::arg("lexicon"), "CSR rows (starts, columns, values): an n-gram counts in the column of its number.");
    m.def("gather_ngrams", &gather_ngrams, nb::arg("documents"), nb::arg("analysis"), nb::arg("known").none(),
          nb::arg("limit"), nb::arg("by_name"), nb::arg("n_threads"),
          "N-grams that are not known (bytes, starts), how many documents have each, how often it occurs, whether that "
          "is all (at most `limit`, in the order they came, or by name), and how many documents there are.");
    m.def("index_ngrams", &index_ngrams, nb::arg("text"), nb::arg("starts"), "Slots that n-grams are found by.");
    m.def("list_ngrams", &list_ngrams, nb::arg("documents"), nb::arg("analysis"), "The n-grams, as they come.");
    m.def("hash_ngrams", &hash_ngrams, nb::arg("ngrams"), "The 32-bit hash of each.");
    m.def("count_columns", &count_columns, nb::arg("columns"), nb::arg("counts"), "Count each column, in place.");
    m.def("weigh_columns", &weigh_columns, nb::arg("rows"), nb::arg("counts"), nb::arg("n_documents"), nb::arg("parts"),
          nb::arg("stream"), nb::arg("n_threads"), "Weigh rows by inverse document frequency, in place.");
    m.def("weigh_by_table", &weigh_by_table, nb::arg("rows"), nb::arg("table"), nb::arg("parts"), nb::arg("n_threads"),
          "Weigh rows by a weight of each column, in place.");
    nb::class_<ClassCounts>(m, "ClassCounts", "How many documents of each class have each column.")
        .def(nb::init<std::size_t>(), nb::arg("n_columns"))
        .def("count", &count_classes, nb::arg("rows"), nb::arg("classes"), nb::arg("parts"), nb::arg("n_threads"),
             "Count each row.")
        .def("weigh", &weigh_by_classes, nb::arg("rows"), nb::arg("classes").none(), nb::arg("parts"), nb::arg("idf"),
             nb::arg("n_threads"),
             "Weigh rows by log-count ratio, and idf, in place; of known classes, count each first.")
        .def("weights", &weights_by_class, nb::arg("idf"), nb::arg("n_threads"), nb::arg("out"),
             "Write the weight of each column.")
        .def("counts", &counts_by_class,
             "Columns, how many classes each has, classes, counts, documents of each class.")
        .def("add", &add_counts, nb::arg("counts"), "Add the counts of other documents.");
    m.def("unicode_version", [] { return unicode::kVersion; }, "Version of the tables of characters.");
}
