// SPDX-License-Identifier: Apache-2.0
// Stages of a chunk of a collective on a system: a collective in one dimension after the other
// (systems/system_plan.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/collective.h"
#include "plan/system_box.h"

namespace fredsim {

struct Stage {
  int dimension = 0;
  Collective collective = Collective::kAllReduce;
  std::uint64_t bytes = 0;
};

// Dimensions that a box has several places in, lowest first.
std::vector<int> dimensions_of(const MemberBox& box);
// `dimensions`: those of the box, in the order of the way up. An all-reduce is one in the last of
// them.
std::vector<Stage> stages_of(Collective collective, const std::vector<BoxHop>& path,
                             const MemberBox& box, const std::vector<int>& dimensions,
                             std::uint64_t bytes);
// An all-reduce becomes a reduce-scatter and an all-gather.
void split_joint(std::vector<Stage>& stages, std::size_t joint);

}  // namespace fredsim
