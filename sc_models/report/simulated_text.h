// SPDX-License-Identifier: Apache-2.0
// Simulated share of the runs of a machine, below the tables of run, compare and train: simulated
// and total cycles, flit-hops and slices, for all sizes together. All other cycles are idle, or
// periods and operations that repeat earlier ones; all other slices equal a simulated one. Counters
// and times include them (results.h). For collectives in sequence the text also has operations and
// their dependencies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/table_output.h"
#include "results/results.h"

namespace fredsim {

struct Simulated {
  std::uint64_t cycles = 0, flit_hops = 0;
};
Simulated simulated_of(const RunResult& run);

struct MachineRuns {
  std::string machine;
  std::vector<const RunResult*> runs;
};
// A sentence for one machine, a list for several; empty in CSV, which has columns for it.
std::string simulated_text(std::span<const MachineRuns> machines, TableOutput& output);
std::string operations_text(std::span<const MachineRuns> machines, TableOutput& output);
// Text for complete runs that were all in lockstep: the numbers of machines and of simulated cycles
// in which RTL and twin agreed. A machine that runs twice, as its best self, is one.
std::string lockstep_text(std::span<const MachineRuns> machines, TableOutput& output);

}  // namespace fredsim
