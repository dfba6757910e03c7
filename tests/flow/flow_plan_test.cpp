// SPDX-License-Identifier: Apache-2.0
// Trees of a plan together, beside the sum of each of them: joined flows and acknowledgements on
// links.
#include "flow/flow_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "collective/algorithm.h"
#include "config/config.h"
#include "flow/flow_traffic.h"
#include "plan/acknowledgements.h"
#include "plan/link_walk.h"
#include "support/random_range.h"
#include "switch/node_shape.h"
#include "systems/make_plan.h"
#include "topology/dimensions/blocks.h"
#include "topology/dimensions/dimensions.h"
#include "topology/faults.h"

namespace fredsim::test {
namespace {

Topology random_block(Random& random) {
  MachineSpec machine;
  machine.name = "block";
  machine.switch_kind = dimensions_kind().default_switch_kind();
  machine.clock_hz = 1'500'000'000;
  BlockSpec block;
  block.key = "fabric.dimensions.1";
  block.shape = static_cast<BlockShape>(random.below(3));
  block.size = random_between(random, 3, 40);
  block.links = default_links(block.shape, block.size) * random_between(random, 1, 2);
  block.bandwidth = static_cast<std::uint64_t>(block.links) * 7'300'000'000;
  block.latency_ps = random_between<std::uint64_t>(random, 1, 500'000);
  return build_block(machine, block);
}

Topology random_topology(Random& random) {
  static const std::vector<std::string> kMachines{"fred_a", "fred_b", "fred_d", "mesh"};
  if (random.below(2) == 0) return random_block(random);
  return load_config("configs/" + kMachines[random.below(kMachines.size())] + ".yaml").topology;
}

Plan random_plan(const Topology& topology, Random& random) {
  static const std::vector<Collective> kAll{Collective::kAllReduce, Collective::kReduceScatter,
                                            Collective::kAllGather, Collective::kAllToAll,
                                            Collective::kBroadcast, Collective::kReduce};
  static const std::vector<std::string> kAlgorithms{"auto", "paper", "ring", "direct", "tree"};
  CollectiveSpec spec;
  spec.collective = kAll[random.below(kAll.size())];
  for (const int npu : npus_left(topology))
    if (random.below(4) > 0) spec.group.push_back(npu);
  if (spec.group.size() < 2) spec.group = {0, 1};
  spec.bytes = random_between<std::uint64_t>(random, 1, 30'000'000);
  spec.algorithm = algorithm_with(spec.collective, kAlgorithms[random.below(kAlgorithms.size())]);
  return make_plan(topology, {&spec, 1});
}

constexpr std::uint64_t kPlans = 40;

TEST(FlowPlan, AJoinedFlowIsAllTreesInProportion) {
  int joined = 0;
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Topology topology = random_topology(random);
    const Plan plan = random_plan(topology, random);
    std::size_t uses = 0;
    double flits = 0;
    double fill[2]{};
    std::map<int, double> crossings;
    for (const TreeFlow& tree : flows_of(topology, plan)) {
      uses += tree.demand.uses.size();
      flits += tree.flits;
      fill[tree.overlaps ? 1 : 0] = std::max(fill[tree.overlaps ? 1 : 0], tree.fill);
      for (const LinkUse& use : tree.demand.uses) crossings[use.link] += use.crossings * tree.flits;
    }
    EXPECT_FALSE(joined_flow(topology, plan, uses));
    if (uses == 0) continue;
    const auto flow = joined_flow(topology, plan, uses - 1);
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->flits, flits);
    std::vector<LinkUse> expected;
    for (const auto& [link, all] : crossings) expected.push_back({link, all / flits});
    EXPECT_EQ(flow->demand.uses, expected);
    for (const int overlaps : {0, 1}) EXPECT_EQ(flow->slowest[overlaps].fill, fill[overlaps]);
    ++joined;
  }
  EXPECT_GT(joined, 30);
}

// Rank by rank, along the path of each.
TEST(FlowPlan, AcknowledgementsAreThoseOfEachRank) {
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Topology topology = random_topology(random);
    const Plan plan = random_plan(topology, random);
    const LinkWalk walk(topology, plan, routes_by_table(topology));
    FlowTraffic expected{.flits = std::vector<std::uint64_t>(topology.links.size()),
                         .bytes = std::vector<std::uint64_t>(topology.links.size()),
                         .acknowledgements = std::vector<std::uint64_t>(topology.nodes.size())};
    for (const Tree& tree : plan.trees) {
      walk.walk(tree, [&](int link) {
        expected.flits[link] += tree.flits;
        expected.bytes[link] += tree.bytes;
      });
      const Part& part = plan.parts[tree.part];
      const auto longest = static_cast<std::uint64_t>(part.packet_flits);
      const std::uint64_t packets = (tree.flits + longest - 1) / longest;
      if (!tree.is_acknowledged) continue;
      for (const TreeRank& rank : tree.ranks) {
        const NodeId from = part.members[rank.rank];
        const std::size_t told = rank.acknowledge_sums.size() + rank.acknowledge_results.size();
        if (told == 0) continue;
        const std::uint64_t sent = acknowledgements(part, tree, rank, packets);
        expected.acknowledgements[from] += sent;
        all += sent;
        for (const auto* sends : {&rank.acknowledge_sums, &rank.acknowledge_results})
          for (const Send& send : *sends)
            walk.walk_hop(from, part.members[send.rank], send.port, [&](int link) {
              expected.flits[link] += sent / told;
              expected.bytes[link] += sent / told * kFlitBytes;
            });
      }
    }
    const FlowTraffic found = flow_traffic(topology, plan);
    EXPECT_EQ(found.flits, expected.flits);
    EXPECT_EQ(found.bytes, expected.bytes);
    EXPECT_EQ(found.acknowledgements, expected.acknowledgements);
  }
  EXPECT_GT(all, 1000U);
}

}  // namespace
}  // namespace fredsim::test
