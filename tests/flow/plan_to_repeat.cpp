// SPDX-License-Identifier: Apache-2.0
#include "plan_to_repeat.h"

#include <vector>

#include "base/member.h"
#include "support/random_range.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim::test {

std::shared_ptr<const PreparedPlan> plan_to_repeat(const Topology& topology, Random& random,
                                                   std::uint64_t most_bytes, std::uint64_t streams,
                                                   std::uint64_t out_of) {
  CollectiveSpec spec;
  spec.bytes = random_between<std::uint64_t>(random, 1000, most_bytes);
  spec.vc = random.below(2) == 0 ? kDp : kMp;
  const std::vector<int> npus = npus_left(topology);
  if (random.below(out_of) < streams && !topology.io_controllers.empty()) {
    const auto controllers = static_cast<int>(topology.io_controllers.size());
    spec.collective = random.below(2) == 0 ? Collective::kMulticast : Collective::kReduce;
    for (int c = 0; c < controllers; ++c) spec.group.push_back(io_member(c));
    spec.roots = controllers;
    spec.group.insert(spec.group.end(), npus.begin(), npus.end());
  } else {
    spec.collective = random.below(2) == 0 ? Collective::kAllReduce : Collective::kAllGather;
    const std::size_t first = random.below(npus.size() - 1);
    spec.group.assign(npus.begin() + static_cast<std::ptrdiff_t>(first), npus.end());
  }
  spec.algorithm = "paper";
  return prepare(topology, make_plan(topology, {&spec, 1}));
}

}  // namespace fredsim::test
