// Work that needs more memory than there is, refused before it is planned.
//
// Errors: BadInput naming the work that needs most, how much all of it needs, how much there is, and what could be
// smaller.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "collective/plan_size.h"

namespace fredsim {

struct PlannedWork {
  std::string name;  // "mesh, all_to_all of 16 MiB"
  PlanSize size;
};

// All plans and machines of a command are made before the first run. `available`: bytes; `nodes`: of all machines.
void check_memory(std::span<const PlannedWork> work, std::uint64_t nodes, std::uint64_t available);

}  // namespace fredsim
