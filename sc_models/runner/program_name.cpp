// SPDX-License-Identifier: Apache-2.0
#include "runner/program_name.h"

#include <cerrno>
#include <string_view>
#include <systemc>

namespace fredsim {

// Reads the name from SystemC's copy of the command line, set by fredsim_main().
const char* program_name() { return sc_core::sc_argc() > 0 ? sc_core::sc_argv()[0] : kFredsim; }

std::string called_as() {
  const std::string_view word = program_invocation_name;
  const bool is_relative = word.find('/') != std::string_view::npos && !word.starts_with('/');
  return is_relative ? std::string(word) : program_name();
}

}  // namespace fredsim
