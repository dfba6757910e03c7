// SPDX-License-Identifier: Apache-2.0
// Simulated share of a machine's runs, below the tables of run, compare and train: cycles, flit-hops and slices, of how
// many, all sizes together. The rest is idle cycles, periods and operations that repeat others, and slices that do the same as
// one that is simulated; all counters and times have it (results.h). Of collectives that come after each other, operations and
// what they waited for, too.
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
// A sentence for one machine, a list for several; nothing in CSV, which has columns for it.
std::string simulated_text(std::span<const MachineRuns> machines, TableOutput& output);
std::string operations_text(std::span<const MachineRuns> machines, TableOutput& output);
// For complete runs of which all were in lockstep: on so many machines, in so many simulated cycles, RTL and twin did the same. A
// machine that runs twice, as its best self, is one.
std::string lockstep_text(std::span<const MachineRuns> machines, TableOutput& output);

}  // namespace fredsim
