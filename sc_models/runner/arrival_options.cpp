// SPDX-License-Identifier: Apache-2.0
#include "runner/arrival_options.h"

namespace fredsim {

Arrivals arrivals_of(const ArrivalOptions& options, const MachineConfig& machine,
                     std::uint64_t seed) {
  return {machine.compute.collective_overhead_ps, options.of, seed, machine.topology.clock_hz};
}

void name_arrivals(const ArrivalOptions& options, const MachineConfig& machine, RunResult& result) {
  constexpr double kPsOfNs = 1e3;
  result.collective_overhead_ns =
      static_cast<double>(machine.compute.collective_overhead_ps) / kPsOfNs;
  result.skew = options.skew;
}

}  // namespace fredsim
