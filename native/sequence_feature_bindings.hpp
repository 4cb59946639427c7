// What bindings.cpp calls to add the features of tokens to the module.
#pragma once

#include <nanobind/nanobind.h>

void bind_sequence_features(nanobind::module_& m);
