// SPDX-License-Identifier: Apache-2.0
// Progress of the counters of a machine in a trajectory of operations (engine/memo/trajectories.h).
//
// Numbers wrap: a difference may be multiplied, also by a negative number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/machine.h"
#include "engine/window_counts.h"

namespace fredsim {

struct TrajectoryCounts {
  FabricCounts fabric{};
  std::vector<std::uint64_t> acknowledgements{};  // index: node
  // Counts of the communicator: phases, and words of their rows.
  std::uint64_t rows_loaded = 0, rows_found = 0, rows_evicted = 0, words = 0;

  bool operator==(const TrajectoryCounts& other) const;
  TrajectoryCounts operator-(const TrajectoryCounts& before) const;
  std::size_t bytes() const;  // memory used
};

// Counts of links, switches and NPUs.
TrajectoryCounts count_machine(Machine& machine);
// Adds `counts` x `times` to the machine's counters; returns the flit-hops added, on-die links
// excluded.
std::uint64_t add_to_machine(Machine& machine, const TrajectoryCounts& counts, std::uint64_t times);

}  // namespace fredsim
