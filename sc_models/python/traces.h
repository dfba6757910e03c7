// SPDX-License-Identifier: Apache-2.0
// Execution traces of the Python extension: TraceNode and TraceReader.
#pragma once

#include <pybind11/pybind11.h>

namespace fredsim {

void add_traces(pybind11::module_& module);

}  // namespace fredsim
