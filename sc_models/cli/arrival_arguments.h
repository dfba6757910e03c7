// SPDX-License-Identifier: Apache-2.0
// Arrivals of NPUs at collectives (operations/arrivals.h), on the command line: --skew, beside npu.collective_overhead of the machine.
//
// Errors: BadInput naming the option, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "config/config.h"
#include "operations/arrivals.h"
#include "results/results.h"

namespace fredsim {

struct ArrivalOptions {
  std::string skew{};  // as typed; empty: none
  Skew of{};
};

struct ArrivalStrings {
  std::string skew;
  void add_to(CLI::App& command);
  ArrivalOptions checked() const;
};

Arrivals arrivals_of(const ArrivalOptions& options, const MachineConfig& machine,
                     std::uint64_t seed);
// As results have it.
void name_arrivals(const ArrivalOptions& options, const MachineConfig& machine, RunResult& result);

}  // namespace fredsim
