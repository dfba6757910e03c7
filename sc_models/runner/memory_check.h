// SPDX-License-Identifier: Apache-2.0
// Work that needs more memory than there is, refused before it is planned.
//
// Errors: BadInput naming the work that needs most, how much all of it needs, how much there is,
// and what could be smaller.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "systems/system_plan_size.h"

namespace fredsim {

struct PlannedWork {
  std::string name;  // "mesh, all_to_all of 16 MiB"
  PlanSize size;
};

// The graph of a training run, or of inference: as long as its run lasts, beside its machine. Plans
// are not in it.
struct PlannedGraph {
  std::string name;  // "mesh, gpt3"
  std::uint64_t tasks = 0, operations = 0;
  std::uint64_t bytes = 0;
};
void check_memory(const PlannedGraph& graph, std::uint64_t nodes, std::uint64_t available);

// All plans and machines of a command are made before the first run. `available`: bytes; `nodes`:
// of all machines. Machines without work need memory, too.
void check_memory(std::span<const PlannedWork> work, std::uint64_t nodes, std::uint64_t available);

}  // namespace fredsim
