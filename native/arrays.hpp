// Arrays that Python hands over: of the type, the order in memory and the length that they must have.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace rosenblatt {

namespace nb = nanobind;
using Index = std::int64_t;
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

// f(float) or f(double)
template <class F>
auto with_number_type(nb::dlpack::dtype type, F&& f) {
    return type == nb::dtype<float>() ? f(float{}) : f(double{});
}

inline bool is(nb::handle text, const char* name) {
    return PyUnicode_Check(text.ptr()) && PyUnicode_CompareWithASCIIString(text.ptr(), name) == 0;
}

// An array that is used from call to call: the object, and its memory for as long as this lives.
class KeptArray {
    nb::object object_;
    ReadOnly memory_;
    bool writable_ = false;

  public:
    KeptArray() : object_(nb::none()) {}
    KeptArray(nb::object object, const char* what) : object_(std::move(object)) {
        Array a;
        writable_ = nb::try_cast(object_, a, false);
        memory_ = writable_ ? ReadOnly(a) : array<ReadOnly>(object_, what);
    }
    const nb::object& object() const { return object_; }
    const ReadOnly& memory() const { return memory_; }
    bool is_writable() const { return writable_; }
    bool is_none() const { return object_.is_none(); }

    template <class T>
    const T* read(Index at_least, const char* what) const {
        return typed<T>(memory_, at_least, what);
    }
};

}  // namespace rosenblatt
