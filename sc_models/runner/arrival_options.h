// SPDX-License-Identifier: Apache-2.0
// Arrivals of NPUs at collectives (operations/arrivals.h) as asked for: at random, beside the overhead of the machine.
#pragma once

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

Arrivals arrivals_of(const ArrivalOptions& options, const MachineConfig& machine,
                     std::uint64_t seed);
// As results have it.
void name_arrivals(const ArrivalOptions& options, const MachineConfig& machine, RunResult& result);

}  // namespace fredsim
