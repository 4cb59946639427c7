// Tokens whose features Python gives by name: a list of names, or a dict in the manner of python-crfsuite.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encode.hpp"
#include "hash.hpp"

namespace rosenblatt {

namespace nb = nanobind;

// Raise an error of rosenblatt.errors, which knows the token among those of all sentences.
[[noreturn]] inline void refuse_token(std::size_t token, const std::string& problem, const std::string& remedy,
                                      const char* kind) {
    const nb::object error =
        nb::module_::import_("rosenblatt.errors").attr(kind)(problem, remedy, nb::arg("token") = token);
    PyErr_SetObject(error.type().ptr(), error.ptr());
    throw nb::python_error();
}

inline std::string name_of_type(nb::handle h) {
    return h.is_none() ? "None" : nb::cast<std::string>(nb::handle(h.type()).attr("__name__"));
}

// What Python shows of an object, shortened.
inline std::string shown(nb::handle h) {
    constexpr Py_ssize_t most = 80;
    const nb::str whole = nb::repr(h);
    const Py_ssize_t n = PyUnicode_GetLength(whole.ptr());
    if (n <= most) return whole.c_str();
    return std::string(nb::steal<nb::str>(PyUnicode_Substring(whole.ptr(), 0, most)).c_str()) + "…";
}

// The bytes of a str, for as long as it lives; what: the noun of a sentence that refuses anything else.
inline std::string_view utf8_of(nb::handle text, std::size_t token, const char* what) {
    if (!PyUnicode_Check(text.ptr()))
        refuse_token(token, std::string(what) + " must be a str, got " + name_of_type(text), "make it text first",
                     "DataTypeError");
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!bytes) {
        nb::python_error error;
        if (!error.matches(PyExc_UnicodeEncodeError)) throw error;
        refuse_token(token, std::string(what) + " holds a lone surrogate, which is not text",
                     "decode it anew, for example with errors=\"replace\"", "DataError");
    }
    return {bytes, static_cast<std::size_t>(size)};
}

// Rows of such tokens. Names without a number are indicators, which count once in a column; numbers add up.
class NamedTokens {
    struct Feature {
        std::int32_t column;
        std::uint32_t order;
        bool is_indicator;
        float value;
    };
    static constexpr int kDeepest = 32;
    std::uint64_t mask_;
    std::vector<Feature> found_;

  public:
    Memory<std::int64_t> starts;
    Memory<std::int32_t> columns;
    Memory<float> values;
    std::size_t n_tokens = 0, size = 0;
    bool all_ones = true;

    explicit NamedTokens(unsigned bits) : mask_((std::uint64_t{1} << bits) - 1) {
        starts.resize(1);
        starts[0] = 0;
        columns.resize(0);
        values.resize(0);
    }

    void add(nb::handle token) {
        found_.clear();
        if (PyUnicode_Check(token.ptr()))
            refuse_token(n_tokens, "a token must be a dict or a list of its features by name, got a str",
                         "set features=\"words\" to have them made of words", "DataTypeError");
        if (!is_group(token))
            refuse_token(n_tokens,
                         "a token must be a dict or a list of its features by name, got " + name_of_type(token),
                         "see the features of sequences", "DataTypeError");
        add_group(Fnv64(), token, 1);
        write();
    }

  private:
    static bool is_group(nb::handle h) {
        return PyDict_Check(h.ptr()) || PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()) || PyAnySet_Check(h.ptr());
    }

    // Names, each alone or with a value; `before`: the hash of what stands before them; `depth`: of groups in groups,
    // which may hold themselves.
    void add_group(const Fnv64& before, nb::handle group, int depth) {
        if (depth > kDeepest)
            refuse_token(n_tokens, "features are nested more than " + std::to_string(kDeepest) + " deep",
                         "give them as one dict of names and values", "DataError");
        if (!PyDict_Check(group.ptr())) {
            for (const nb::handle item : group) put(name(before, item), 1, true);
            return;
        }
        const nb::ft_object_guard unchanged(group);
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(group.ptr(), &at, &key, &value);) {
            // Held: a number's own __float__ may change the dict.
            const nb::object held_key = nb::borrow(key), held_value = nb::borrow(value);
            add_pair(name(before, held_key), held_key, held_value, depth);
        }
    }

    Fnv64 name(Fnv64 before, nb::handle text) const {
        before.add(utf8_of(text, n_tokens, "the name of a feature"));
        return before;
    }

    void add_pair(Fnv64 key, nb::handle name_of, nb::handle value, int depth) {
        if (PyUnicode_Check(value.ptr())) {
            key.add(":");
            put(name(key, value), 1, true);
        } else if (value.ptr() == Py_True) {
            put(key, 1, true);
        } else if (is_group(value)) {
            key.add(":");
            add_group(key, value, depth + 1);
        } else if (value.ptr() != Py_False) {
            const double number = number_of(value);
            if (!std::isfinite(static_cast<float>(number))) refuse_value(name_of, value);
            put(key, static_cast<float>(number), false);
        }
    }

    // NaN of what is no number.
    static double number_of(nb::handle value) {
        const double number = PyFloat_AsDouble(value.ptr());
        if (number != -1 || !PyErr_Occurred()) return number;
        if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError))
            throw nb::python_error();
        PyErr_Clear();
        return std::nan("");
    }

    [[noreturn]] void refuse_value(nb::handle name, nb::handle value) const {
        refuse_token(n_tokens,
                     "feature " + shown(name) + " has the value " + shown(value) +
                         ", which is neither text nor a finite number of float32",
                     "leave it out, or give a number or text", "DataError");
    }

    void put(const Fnv64& name, float value, bool is_indicator) {
        if (value == 0) return;
        found_.push_back({static_cast<std::int32_t>(name.finished() & mask_), static_cast<std::uint32_t>(found_.size()),
                          is_indicator, value});
    }

    void write() {
        std::sort(found_.begin(), found_.end(), [](const Feature& a, const Feature& b) {
            return a.column != b.column ? a.column < b.column : a.order < b.order;
        });
        columns.reserve(size + found_.size());
        values.reserve(size + found_.size());
        for (std::size_t i = 0; i < found_.size();) {
            const std::int32_t column = found_[i].column;
            bool indicated = false;
            float sum = 0;
            for (; i < found_.size() && found_[i].column == column; ++i) {
                if (found_[i].is_indicator && indicated) continue;
                indicated = indicated || found_[i].is_indicator;
                sum += found_[i].value;
            }
            if (!std::isfinite(sum))
                refuse_token(n_tokens, "numbers of features add up to more than there are", "scale them down",
                             "DataError");
            if (sum == 0) continue;
            all_ones = all_ones && sum == 1;
            columns[size] = column;
            values[size++] = sum;
        }
        starts.reserve(n_tokens + 2);
        starts[++n_tokens] = static_cast<std::int64_t>(size);
    }
};

}  // namespace rosenblatt
