// SPDX-License-Identifier: Apache-2.0
// Flows without some limits: windows, latencies, single paths, turns of phases; and hops over all
// of their shortest paths.
#include "flow/flow_lifts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "flow/detail/spread_paths.h"
#include "flow/flow_plan.h"
#include "flow/flow_run.h"
#include "systems/make_plan.h"
#include "topology/credit_loop.h"

namespace fredsim {
namespace {

Topology topology_of(const std::string& text) {
  const MachineFile file{.path = "own.yaml", .settings = {}, .text = text};
  return std::move(load_configs({&file, 1}, {}).machines.front().topology);
}

// Two leaves of two NPUs, joined by two top switches: an NPU's link carries as much as both of a
// leaf's.
Topology two_tops() {
  return topology_of(
      "name: two_tops\nclock: 1 GHz\nfabric:\n  type: graph\n  link_latency: 100 ns\n"
      "  nodes: [{name: n, kind: npu, count: 4}, {name: l, kind: switch, count: 2}, "
      "{name: t, kind: switch, count: 2}]\n  links:\n"
      "    - {from: n0, to: l0, bandwidth: 100 GB/s}\n    - {from: n1, to: l0, bandwidth: 100 "
      "GB/s}\n"
      "    - {from: n2, to: l1, bandwidth: 100 GB/s}\n    - {from: n3, to: l1, bandwidth: 100 "
      "GB/s}\n"
      "    - {from: l, to: t, bandwidth: 50 GB/s}\n");
}

double end_of(const Topology& topology, const Plan& plan, const FlowLifts& lifts = {}) {
  return run_flows(topology, plan, {}, lifts).end;
}

TEST(FlowLifts, LeavesTimesWithoutAny) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 5, 6, 9}, 1 << 20, "ring");
  EXPECT_EQ(end_of(topology, plan), run_flows(topology, plan).end);
}

// Planted: a window of a packet.
TEST(FlowLifts, LiftsWindows) {
  const Topology topology = two_tops();
  Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 1 << 20, "direct");
  const double wide = end_of(topology, plan);
  plan.parts.front().window = 1;
  EXPECT_GT(end_of(topology, plan), 1.5 * wide);
  EXPECT_DOUBLE_EQ(end_of(topology, plan, {.windows = true}), wide);
}

// Rates stay: with buffers of a packet, the rates that credits allow over the original links.
TEST(FlowLifts, LiftsLatencyAndNoCredits) {
  Topology topology = two_tops();
  const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 1 << 18, "direct");
  Topology close = topology;
  for (Link& link : close.links) link.latency = 1;
  EXPECT_LT(end_of(topology, plan, {.latency = true}), end_of(topology, plan));
  EXPECT_NEAR(end_of(topology, plan, {.latency = true}), end_of(close, plan), 1e-6);

  topology.buffers.data_flits = topology.buffers.receive_flits = 8;
  close.buffers = topology.buffers;
  for (Node& node : topology.nodes) node.buffers.reset();
  for (Node& node : close.nodes) node.buffers.reset();
  const double given = end_of(topology, plan);
  EXPECT_GT(end_of(topology, plan, {.latency = true}), 0.9 * given);
  EXPECT_LT(end_of(close, plan), 0.5 * given);
}

TEST(FlowLifts, SpreadsHopsOverEqualPaths) {
  const Topology topology = two_tops();
  const Plan plan = make_plan(topology, Collective::kUnicast, {0, 2}, 64 << 20, "direct");
  const double single = end_of(topology, plan);
  EXPECT_NEAR(single / end_of(topology, plan, {.paths = true}), 2, 0.01);
  const Plan near = make_plan(topology, Collective::kUnicast, {0, 1}, 64 << 20, "direct");
  EXPECT_DOUBLE_EQ(end_of(topology, near), end_of(topology, near, {.paths = true}));
  const auto joined = joined_flow(topology, plan, 0, {.paths = true});
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->demand.uses.size(), 6U);
}

TEST(FlowLifts, LiftsTurnsOfPhases) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  std::vector<CollectiveSpec> specs(2);
  for (CollectiveSpec& spec : specs) {
    spec.collective = Collective::kUnicast;
    spec.bytes = 16 << 20;
    spec.algorithm = "in_switch";
  }
  specs[0].group = {0, 1};  // at one switch, without a common link
  specs[1].group = {2, 3};
  specs[1].vc = kMp;
  const Plan plan = make_plan(topology, specs);
  EXPECT_NEAR(end_of(topology, plan) / end_of(topology, plan, {.turns = true}), 2, 0.1);
}

// All that leaves a source reaches the destination, at every node as much as comes in, in the
// fewest links.
TEST(SpreadPaths, KeepAllOnTheirWay) {
  for (const std::string name : {"mesh", "torus", "fred_d", "systems/fat_tree", "systems/graph"}) {
    const Topology topology = load_config("configs/" + name + ".yaml").topology;
    const std::vector<double> capacities = flow_capacities(topology);
    SpreadPaths paths(topology, capacities);
    Random random(11);
    for (int trial = 0; trial < 50; ++trial) {
      const NodeId from = topology.npus[random.below(topology.npus.size())];
      const NodeId to = topology.npus[random.below(topology.npus.size())];
      std::map<NodeId, double> left;
      double crossed = 0;
      for (const LinkUse& use : paths.hop(from, to)) {
        const Link& link = topology.links[use.link];
        left[link.from] -= use.crossings;
        left[link.to] += use.crossings;
        crossed += use.crossings;
        EXPECT_TRUE(link.to == to || topology.nodes[link.to].is_switch());
      }
      if (from == to) continue;
      for (const auto& [node, share] : left)
        EXPECT_NEAR(share, node == to ? 1 : node == from ? -1 : 0, 1e-9) << name;
      EXPECT_NEAR(crossed, std::round(crossed), 1e-9);  // paths are equally long
    }
  }
}

// Four paths of two links, one of them slower.
TEST(SpreadPaths, GoInProportionToTheirWidths) {
  const Topology topology = topology_of(
      "name: wide\nclock: 1 GHz\nfabric:\n  type: graph\n  link_latency: 100 ns\n"
      "  nodes: [{name: n, kind: npu, count: 4}, {name: f, kind: switch, count: 3}, "
      "{name: s, kind: switch}]\n  links:\n    - {from: n, to: f, bandwidth: 100 GB/s}\n"
      "    - {from: n, to: s, bandwidth: 50 GB/s}\n");
  const std::vector<double> capacities = flow_capacities(topology);
  SpreadPaths paths(topology, capacities);
  const auto& uses = paths.hop(topology.npus[0], topology.npus[3]);
  ASSERT_EQ(uses.size(), 8U);
  for (const LinkUse& use : uses)
    EXPECT_NEAR(use.crossings / capacities[use.link], 512.0 / 350, 1e-9);
}

TEST(CoveringBuffers, WidenWhatIsTooSmallAlone) {
  Topology topology = two_tops();
  const Topology covered = with_covering_buffers(topology);
  for (const Link& link : topology.links)
    EXPECT_EQ(depth_behind(covered, link), depth_behind(topology, link)) << "covers already";
  topology.buffers.data_flits = topology.buffers.receive_flits = 8;
  for (Node& node : topology.nodes) node.buffers.reset();
  const Topology both = with_covering_buffers(topology);
  const Topology switches = with_covering_buffers(topology, {.of_npus = false});
  const Topology npus = with_covering_buffers(topology, {.of_switches = false});
  for (const Link& link : topology.links) {
    const bool to_switch = topology.nodes[link.to].is_switch();
    EXPECT_GE(depth_behind(both, link), covering_flits(link, topology.packet_flits));
    EXPECT_EQ(depth_behind(to_switch ? switches : npus, link), depth_behind(both, link));
    EXPECT_EQ(depth_behind(to_switch ? npus : switches, link), 8);
  }
}

}  // namespace
}  // namespace fredsim
