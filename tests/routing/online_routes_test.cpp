// SPDX-License-Identifier: Apache-2.0
// Routing tables for online unicasts, walked over the topology's links.
#include "routing/online_routes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "support/random_range.h"
#include "topology/dimensions/blocks.h"
#include "topology/fred_tree/fred_tree.h"

namespace fredsim {
namespace {

constexpr int kMaxRoutes = 1024;

// `levels` with links of one bandwidth; lowest first, the last one the top.
Topology tree_of(std::vector<TreeLevel> levels, int slices, int io_controllers) {
  constexpr std::uint64_t kLink = 100'000'000'000;
  MachineSpec machine;
  machine.name = "tree";
  machine.clock_hz = 1'500'000'000;
  machine.link_latency_ps = 20'000;
  machine.npus = 1;
  machine.io_controllers = io_controllers;
  for (TreeLevel& level : levels) {
    machine.npus *= level.below;
    level.uplink_bandwidth = kLink * static_cast<std::uint64_t>(slices) * level.chiplets_per_slice *
                             static_cast<std::uint64_t>(level.uplinks);
  }
  machine.npu_bandwidth = machine.io_bandwidth = kLink * static_cast<std::uint64_t>(slices);
  FredTreeSpec spec;
  spec.tree.levels = std::move(levels);
  spec.slices = slices;
  spec.middle = 3;
  return build_fred_tree(machine, spec);
}

// A tree of 1 to 4 levels; the sizes are such that uplinks share out and no chiplet has too many
// ports.
Topology random_tree(Random& random) {
  const auto number = [&](int min, int max) { return test::random_between(random, min, max); };
  std::vector<TreeLevel> levels(number(1, 4));
  levels[0].below = number(2, levels.size() > 2 ? 3 : 8);
  for (std::size_t k = 1; k < levels.size(); ++k) {
    levels[k].below = number(2, 3);
    levels[k].chiplets_per_slice = number(1, 3);
    TreeLevel& lower = levels[k - 1];
    lower.uplinks = levels[k].chiplets_per_slice * number(1, levels.size() > 3 ? 1 : 2);
  }
  return tree_of(std::move(levels), number(1, 2), number(0, 9));
}

std::vector<NodeId> endpoints_of(const Topology& topology) {
  std::vector<NodeId> endpoints = topology.npus;
  endpoints.insert(endpoints.end(), topology.io_controllers.begin(), topology.io_controllers.end());
  return endpoints;
}

NodeId next_node(const Topology& topology, NodeId node, int port) {
  return topology.links[topology.link_out(node, port)].to;
}

// The links by which the tables lead from a port of `source` to `destination`; stops where they
// lead nowhere or in circles.
std::vector<int> walk(const Topology& topology, const std::vector<OnlineRoutes>& routes,
                      NodeId source, int port, NodeId destination) {
  std::vector<int> links = {topology.link_out(source, port)};
  NodeId at = next_node(topology, source, port);
  while (topology.nodes[at].level != 0 && std::ssize(links) <= 2 * topology.tree.depth()) {
    const int entry = routes[at][topology.nodes[destination].address];
    if (entry == 0) break;
    links.push_back(topology.link_out(at, entry - 1));
    at = topology.links[links.back()].to;
  }
  return links;
}

// Least number of links between two endpoints.
int distance(const Topology& topology, NodeId source, NodeId destination) {
  std::vector<NodeId> hol = {source};
  std::set<NodeId> seen = {source};
  for (int links = 0;; ++links) {
    std::vector<NodeId> next;
    for (const NodeId id : hol) {
      if (id == destination) return links;
      if (links > 0 && topology.nodes[id].level == 0) continue;  // endpoints pass nothing on
      for (int port = 0; port < topology.nodes[id].ports; ++port) {
        const NodeId to = next_node(topology, id, port);
        if (seen.insert(to).second) next.push_back(to);
      }
    }
    hol = std::move(next);
  }
}

// Every pair of endpoints, from every port of the source: the tables lead there, by no more links
// than there must be, and up before down.
void expect_all_reached(const Topology& topology) {
  const std::vector<OnlineRoutes> routes = online_routes(topology, kMaxRoutes);
  for (const NodeId source : endpoints_of(topology)) {
    for (const NodeId destination : endpoints_of(topology)) {
      if (source == destination) continue;
      const int min = distance(topology, source, destination);
      for (int port = 0; port < topology.nodes[source].ports; ++port) {
        const std::vector<int> links = walk(topology, routes, source, port, destination);
        ASSERT_EQ(topology.links[links.back()].to, destination)
            << topology.nodes[source].name << "." << port;
        ASSERT_EQ(std::ssize(links), min) << topology.nodes[source].name << "." << port;
        bool down = false;
        for (const int link : links) {
          const bool goes_up = topology.nodes[topology.links[link].to].level >
                               topology.nodes[topology.links[link].from].level;
          ASSERT_FALSE(goes_up && down) << topology.links[link].name;
          down = !goes_up;
        }
      }
    }
  }
}

// Per link between switches, the destinations whose packets cross it when all NPUs send to all.
std::vector<std::set<NodeId>> destinations_by_link(const Topology& topology) {
  const std::vector<OnlineRoutes> routes = online_routes(topology, kMaxRoutes);
  std::vector<std::set<NodeId>> destinations(topology.links.size());
  for (const NodeId source : topology.npus) {
    for (const NodeId destination : topology.npus) {
      if (source == destination) continue;
      for (int port = 0; port < topology.nodes[source].ports; ++port) {
        for (const int link : walk(topology, routes, source, port, destination)) {
          destinations[link].insert(destination);
        }
      }
    }
  }
  return destinations;
}

TEST(OnlineRoutes, EveryPairOfTheWaferIsConnected) {
  expect_all_reached(load_config("configs/fred_d.yaml").topology);
}

TEST(OnlineRoutes, EveryPairOfRandomTreesIsConnected) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    expect_all_reached(random_tree(random));
    if (HasFatalFailure()) return;
  }
}

TEST(OnlineRoutes, DestinationsAreSpreadOverParallelLinks) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  const std::vector<OnlineRoutes> routes = online_routes(topology, kMaxRoutes);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.level == 0) continue;
    std::map<int, int> npus_by_port;
    for (const NodeId npu : topology.npus) ++npus_by_port[routes[id][topology.nodes[npu].address]];
    if (node.level == 1) {  // 4 NPUs below, the remaining 16 over 4 uplinks
      ASSERT_EQ(npus_by_port.size(), 8U) << node.name;
      for (const auto& [port, npus] : npus_by_port) EXPECT_EQ(npus, port <= 4 ? 1 : 4) << node.name;
    } else {  // 4 NPUs of each of 5 L1 switches, over 2 links to it
      ASSERT_EQ(npus_by_port.size(), 10U) << node.name;
      for (const auto& [port, npus] : npus_by_port) EXPECT_EQ(npus, 2) << node.name;
    }
  }
}

// If the numbers come out, all links of a level carry the same number of destinations, upwards and
// downwards each.
TEST(OnlineRoutes, DestinationsAreSpreadEvenlyOnEveryLevel) {
  for (const Topology& topology : {load_config("configs/fred_64.yaml").topology,
                                   tree_of({{.below = 4, .uplinks = 4},
                                            {.below = 4, .chiplets_per_slice = 4, .uplinks = 2},
                                            {.below = 4, .chiplets_per_slice = 2, .uplinks = 2},
                                            {.below = 2, .chiplets_per_slice = 4}},
                                           1, 0)}) {
    const std::vector<std::set<NodeId>> destinations = destinations_by_link(topology);
    std::map<std::pair<int, int>, std::set<std::size_t>> counts;  // (level from, to)
    for (std::size_t l = 0; l < topology.links.size(); ++l) {
      const Link& link = topology.links[l];
      counts[{topology.nodes[link.from].level, topology.nodes[link.to].level}].insert(
          destinations[l].size());
    }
    for (const auto& [levels, numbers] : counts) {
      EXPECT_EQ(numbers.size(), 1U) << levels.first << " to " << levels.second;
      EXPECT_GT(*numbers.begin(), 0U) << levels.first << " to " << levels.second;
    }
  }
}

// With at least as many destinations as uplinks every uplink is used, for any addresses.
TEST(OnlineRoutes, NoLinkUpwardsIsLeftOut) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_tree(random);
    const std::vector<std::set<NodeId>> destinations = destinations_by_link(topology);
    for (std::size_t l = 0; l < topology.links.size(); ++l) {
      const int from = topology.nodes[topology.links[l].from].level;
      const int to = topology.nodes[topology.links[l].to].level;
      if (from == 0 || to < from) continue;
      int digits = 1;  // digits of an address, up to this level's
      for (int k = 1; k <= from; ++k) digits *= topology.tree.levels[k - 1].uplinks;
      const int npus = static_cast<int>(topology.npus.size());
      const int outside = npus - npus / topology.tree.switches(from);
      // Destinations outside are two runs of consecutive addresses at most; one of them has all
      // digits.
      if ((outside + 1) / 2 < digits) continue;
      EXPECT_FALSE(destinations[l].empty()) << topology.links[l].name;
    }
  }
}

// A switch of a system that is run as flows alone may have more ports than any in RTL.
TEST(OnlineRoutes, SwitchesOfManyPortsLeadToEachOfThem) {
  constexpr int kNpus = 700;
  MachineSpec machine;
  machine.name = "system";
  machine.clock_hz = 1'500'000'000;
  BlockSpec block;
  block.key = "fabric.dimensions.1";
  block.size = kNpus;
  block.bandwidth = 100'000'000'000;
  block.links = 2;
  block.latency_ps = 500'000;
  const Topology topology = build_block(machine, block);
  const std::vector<OnlineRoutes> routes = online_routes(topology, kMaxRoutes);
  for (const Link& link : topology.links) {
    if (!topology.nodes[link.from].is_switch()) continue;
    ASSERT_EQ(routes[link.from][topology.nodes[link.to].address],
              static_cast<OnlineRoute>(1 + link.from_port));
  }
}

TEST(OnlineRoutes, EndpointsHaveNoTable) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const std::vector<OnlineRoutes> routes = online_routes(topology, kMaxRoutes);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    EXPECT_EQ(routes[id].empty(), topology.nodes[id].level == 0) << topology.nodes[id].name;
  }
}

TEST(OnlineRoutes, AnAddressBeyondTheTablesIsRefused) {
  const Topology topology = load_config("configs/fred_d.yaml").topology;
  try {
    online_routes(topology, 37);  // 20 NPUs and 18 I/O controllers
    FAIL() << "not refused";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "fred_d: found io17 with address 37; a switch's table for unicasts routed online "
                 "has room for addresses 0 to 36");
  }
}

}  // namespace
}  // namespace fredsim
