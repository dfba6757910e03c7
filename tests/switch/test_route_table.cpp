// SPDX-License-Identifier: Apache-2.0
// Sizes of routing tables: as large as the machine needs, or refused with the value found and the
// allowed values.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "switch/node_shape.h"
#include "switch/register_map.h"
#include "switch/route_table.h"
#include "topology/detail/exact_limits.h"
#include "topology/fred_tree/fred_tree.h"
#include "topology/route_table_size.h"

namespace fredsim {
namespace {

// A tree of levels with the given numbers of nodes below each switch, lowest first, and an uplink
// each.
Topology tree_of(const std::vector<int>& below, std::vector<NamedValue> switch_values = {},
                 int io_controllers = 0) {
  constexpr std::uint64_t kLink = 100'000'000'000;
  MachineSpec machine;
  machine.name = "tree";
  machine.clock_hz = 1'500'000'000;
  machine.link_latency_ps = 20'000;
  machine.npus = 1;
  machine.io_controllers = io_controllers;
  machine.npu_bandwidth = machine.io_bandwidth = kLink;
  machine.switch_values = std::move(switch_values);
  FredTreeSpec spec;
  spec.slices = 1;
  spec.middle = 3;
  for (const int count : below) {
    machine.npus *= count;
    spec.tree.levels.push_back(
        {.below = count, .chiplets_per_slice = 1, .uplinks = 1, .uplink_bandwidth = kLink});
  }
  spec.tree.levels.back().uplinks = 0;
  spec.tree.levels.back().uplink_bandwidth = 0;
  return build_fred_tree(machine, spec);
}

const Node& some_switch(const Topology& topology) {
  return *std::ranges::find_if(topology.nodes, &Node::is_switch);
}

std::string refusal_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "not refused";
}

void expect_table(const Topology& topology, int first, int entries) {
  const Node& node = some_switch(topology);
  for (const RouteTable& table :
       {route_table(topology, node), route_table(switch_shape(topology, node))}) {
    EXPECT_EQ(table.first, first);
    EXPECT_EQ(table.entries, entries);
  }
}

TEST(RouteTable, IsAsLargeAsItsMachineNeeds) {
  expect_table(tree_of({8, 8}), 0x0400, 1024);
  expect_table(tree_of({16, 16, 4}), 0x0400, 1024);
  expect_table(tree_of({16, 16, 4}, {}, 1), 0x8000, 2048);
  expect_table(tree_of({16, 16, 16}), 0x8000, 4096);
  expect_table(tree_of({16, 16, 16, 8}), 0x8000, 32'768);
}

TEST(RouteTable, IsAsLargeAsTheMachineFileSaysWhereThatIsEnough) {
  expect_table(tree_of({8, 8}, {{"ROUTE_ADDR_W", 12}}), 0x8000, 4096);
  expect_table(tree_of({16, 16, 16}, {{"ROUTE_ADDR_W", 11}}), 0x8000, 4096);
  expect_table(tree_of({16, 16, 16}, {{"ROUTE_ADDR_W", 13}}), 0x8000, 8192);
}

TEST(RouteTable, HasEveryDestinationOfALargeTree) {
  const Topology topology = tree_of({16, 16, 8});
  const std::vector<OnlineRoutes> routes = table_contents(topology);
  for (const Node& node : topology.nodes) {
    if (node.is_endpoint()) continue;
    const OnlineRoutes& table = routes[static_cast<std::size_t>(&node - topology.nodes.data())];
    ASSERT_EQ(table.size(), 2048U) << node.name;
    EXPECT_TRUE(std::ranges::all_of(table, [&](int r) { return r >= 1 && r <= node.ports; }))
        << node.name;
  }
}

// Kinds without the parameter.
TEST(RouteTable, ThatIsTooSmallIsRefused) {
  Topology topology = tree_of({16, 16, 8});
  for (Node& node : topology.nodes)
    std::erase_if(node.values, [](const NamedValue& v) { return v.name == kRouteAddressBits; });
  EXPECT_EQ(refusal_of([&] { table_contents(topology); }),
            "tree: found 2048 addresses of endpoints; the table of " + some_switch(topology).name +
                ", a switch of the kind fred, for unicasts routed online has room for 1024");
}

TEST(RouteTable, BeyondTheLargestIsRefused) {
  const Topology topology = tree_of({16, 16, 16, 8}, {}, 1);
  expect_table(topology, 0x0400, 1024);
  EXPECT_EQ(
      refusal_of([&] { table_contents(topology); }),
      "tree: found io0 with address 32768; a switch's table for unicasts routed online has room "
      "for addresses 0 to 32767");
  EXPECT_EQ(flow_only_reason(topology),
            "found 32769 NPUs, more than a switch's table has entries; allowed: up to 32768");
  EXPECT_EQ(flow_only_reason(tree_of({16, 16, 16, 8})), "");
}

}  // namespace
}  // namespace fredsim
