// SPDX-License-Identifier: Apache-2.0
// Refuses work that needs more memory than is available, before it is planned.
//
// Errors: BadInput naming the work that needs most, the memory that all work needs, the available
// memory, and the values that could be smaller.
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

// Graph of a training run or of inference. It lives as long as its run, in addition to the machine.
// Plans are not included.
struct PlannedGraph {
  std::string name;  // "mesh, gpt3"
  std::uint64_t tasks = 0, operations = 0;
  std::uint64_t bytes = 0;
};
void check_memory(const PlannedGraph& graph, std::uint64_t nodes, std::uint64_t available);

// Checks the plans and machines of a command, all of which are made before the first run.
// `available`: bytes; `nodes`: sum over all machines. Machines without work need memory, too.
void check_memory(std::span<const PlannedWork> work, std::uint64_t nodes, std::uint64_t available);

}  // namespace fredsim
