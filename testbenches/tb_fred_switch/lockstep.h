// SPDX-License-Identifier: Apache-2.0
// Random work for a fred_switch in lockstep: RTL and twin get the same inputs and are compared in
// every cycle (switch/lockstep_switch.h).
//
// A seed decides everything: the size (among the sizes in the build), the phases with their flows,
//   the packets, including online unicasts, the stalls of senders, links and receivers, register
//   reads in mid-traffic, and now and then an input that breaks the contract, for the error codes.
// Errors: LockstepDifference; std::runtime_error of the driver. Both give the difference and its
//   cycle, the caller adds the seed.
#pragma once

#include <cstdint>

namespace fredsim::tb {

std::uint64_t run_lockstep(std::uint64_t seed);  // cycles compared

}  // namespace fredsim::tb
