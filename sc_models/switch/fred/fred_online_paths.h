// SPDX-License-Identifier: Apache-2.0
// Paths of online unicasts through Fred_M(P): the C++ side of rtl/fred/fred_online_paths.sv and
// fred_online_level.sv, which state the rule. A PhasedTwin does not use them, since every matching
// has its paths; testbenches and proofs do.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "routing/fred_routing.h"
#include "switch/phased/phased_matcher.h"

namespace fredsim {

using FredPaths = std::array<std::uint8_t, 32>;  // index: port; 2 bits per level, outermost first

// Ports that the phase uses at the edge at which the unicasts leave.
struct FredPhaseUse {
  PhasedMatcher::Ports in = 0, out = 0;
  const FredPaths& in_path;
  const FredPaths& out_path;
};

// Paths of the flits, by input; 0 at other inputs.
FredPaths online_paths(const FredSwitchShape& shape, std::span<const PhasedMatcher::Move> moves,
                       const FredPhaseUse& phase);

}  // namespace fredsim
