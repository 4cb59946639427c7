// What bindings.cpp calls to add sentences to the module.
#pragma once

#include <nanobind/nanobind.h>

void bind_sequences(nanobind::module_& m);
