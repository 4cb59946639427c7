// Arrays that are made here and become Python's, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdlib>

namespace rosenblatt {

// data: of std::malloc, as Memory::give_away() gives it
template <class T>
nanobind::object given_away(T* data, std::size_t size) {
    nanobind::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(data, {size}, owner));
}

}  // namespace rosenblatt
