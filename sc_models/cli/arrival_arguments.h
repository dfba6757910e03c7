// SPDX-License-Identifier: Apache-2.0
// Arrivals of NPUs at collectives (operations/arrivals.h), on the command line: --skew, beside npu.collective_overhead of the machine.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "runner/arrival_options.h"

namespace fredsim {

struct ArrivalStrings {
  std::string skew;
  void add_to(CLI::App& command);
  ArrivalOptions checked() const;
};

}  // namespace fredsim
