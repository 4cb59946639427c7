// Tuples that Python hands over, of the length they must have: nanobind reads their items without a look.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>

namespace rosenblatt {

inline nanobind::tuple sized(nanobind::handle h, std::size_t n, const char* what) {
    if (!PyTuple_Check(h.ptr()) || nanobind::len(h) != n)
        throw std::invalid_argument(std::string(what) + " must be a tuple of " + std::to_string(n));
    return nanobind::borrow<nanobind::tuple>(h);
}

}  // namespace rosenblatt
