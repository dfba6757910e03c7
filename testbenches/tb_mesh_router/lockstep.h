// Random work for a mesh_router in lockstep: RTL and twin get the same inputs and are compared in every
// cycle (switch/lockstep_switch.h). The seed decides everything, the router's shape too.
// Errors: LockstepDifference, which names what and when; the caller names the seed.
#pragma once

#include <cstdint>

namespace fredsim::tb {

std::uint64_t run_lockstep(std::uint64_t seed);  // cycles compared

}  // namespace fredsim::tb
