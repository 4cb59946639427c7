// What bindings.cpp calls to add the text encoders to the module.
#pragma once

#include <nanobind/nanobind.h>

void bind_text(nanobind::module_& m);
