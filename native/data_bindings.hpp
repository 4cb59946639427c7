// What bindings.cpp calls to add the readers of files to the module.
#pragma once

#include <nanobind/nanobind.h>

void bind_data(nanobind::module_& m);
