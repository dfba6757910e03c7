// SPDX-License-Identifier: Apache-2.0
#include "cli/program_name.h"

#include <systemc>

#include "cli/fredsim_main.h"

namespace fredsim {

// fredsim_main() puts it where SystemC keeps the command line.
const char* program_name() { return sc_core::sc_argc() > 0 ? sc_core::sc_argv()[0] : kFredsim; }

}  // namespace fredsim
