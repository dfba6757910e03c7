// SPDX-License-Identifier: Apache-2.0
// Random work for a mesh_router in lockstep: RTL and twin get the same inputs and are compared in
// every cycle (switch/lockstep_switch.h). The seed decides everything; for run_lockstep() also the
// router's shape. Errors: LockstepDifference, with the difference and its cycle; the caller adds
// the seed.
#pragma once

#include <cstdint>

#include "switch/mesh/mesh_shape.h"
#include "switch/switch_core.h"

namespace fredsim::tb {

// Totals over episodes; overflows and missing routes are counted once per episode.
struct LockstepCounts {
  std::uint64_t cycles = 0, flits_in = 0, flits_out = 0, reads = 0, writes = 0, overflows = 0,
                no_routes = 0, stall_credit = 0, stall_arbiter = 0, stall_link = 0;
};

void run_episode(SwitchCore& core, const MeshShape& shape, std::uint64_t seed,
                 LockstepCounts& counts);
std::uint64_t run_lockstep(std::uint64_t seed);  // cycles compared

}  // namespace fredsim::tb
