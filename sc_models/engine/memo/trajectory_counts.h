// SPDX-License-Identifier: Apache-2.0
// Progress of the counters of a machine in a trajectory of operations (engine/memo/trajectories.h).
//
// Numbers wrap: a difference may be taken so many times, and less than none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/machine.h"
#include "engine/window_counts.h"

namespace fredsim {

struct TrajectoryCounts {
  FabricCounts fabric{};
  std::vector<std::uint64_t> acknowledgements{};  // by node
  // Phases, and words of their rows: the communicator's.
  std::uint64_t rows_loaded = 0, rows_found = 0, rows_evicted = 0, words = 0;

  bool operator==(const TrajectoryCounts& other) const;
  TrajectoryCounts operator-(const TrajectoryCounts& before) const;
  std::size_t bytes() const;  // memory used
};

// Counts of links, switches and NPUs.
TrajectoryCounts count_machine(Machine& machine);
// Has them count so much `times` more. The flits x links of that, links on a die left out.
std::uint64_t add_to_machine(Machine& machine, const TrajectoryCounts& counts, std::uint64_t times);

}  // namespace fredsim
