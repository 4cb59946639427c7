// One row given as {name: number}, with the columns of the names.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "rows.hpp"

namespace rosenblatt {

namespace nb = nanobind;

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

    CsrRows<T, std::int32_t> rows() const { return {start, feature.data, x.data, 1, n_features}; }

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

}  // namespace rosenblatt
