// Learning from rows, and from one row of named features, with numbers T. These are the most instances of all, and are
// compiled apart, one file for each T: learn_float.cpp and learn_double.cpp.
#pragma once

#include "objects.hpp"

namespace rosenblatt {

// What `learn` of the module was called with besides the rows.
struct Learning {
    const PyModel& model;
    const PyRule& rule;
    nb::handle targets, order, weight, dual, steps, pocket, misread;
    Index first, n_threads;
    bool ratchet, stop;
    PyTally& tally;
};

// One pass, or up to the first mistake or step; false: it ended before a step that could overflow.
template <class T>
bool learn_from(const AnyRows& rows, const Learning& asked);

template <class T>
bool learn_from_one(const nb::dict& row, const nb::dict& columns, const PyModel& model, const PyRule& rule,
                    nb::handle target, double weight, nb::handle pocket, PyTally& tally);

}  // namespace rosenblatt
