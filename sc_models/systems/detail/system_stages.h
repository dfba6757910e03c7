// SPDX-License-Identifier: Apache-2.0
// Stages of a chunk of a collective on a system: a sequence of collectives, each in one dimension
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

// Dimensions in which a box has several places, lowest first.
std::vector<int> dimensions_of(const MemberBox& box);
// `dimensions`: dimensions of the box, in their order on the way up. An all-reduce is one stage in
// the last of them.
std::vector<Stage> stages_of(Collective collective, const std::vector<BoxHop>& path,
                             const MemberBox& box, const std::vector<int>& dimensions,
                             std::uint64_t bytes);
// Splits an all-reduce into a reduce-scatter and an all-gather.
void split_joint(std::vector<Stage>& stages, std::size_t joint);

}  // namespace fredsim
