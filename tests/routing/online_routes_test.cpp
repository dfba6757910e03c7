// Routing tables for online unicasts, walked over the topology's links.
#include "routing/online_routes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "topology/builders.h"
#include "topology/config.h"

namespace fredsim {
namespace {

constexpr int kMaxRoutes = 1024;

Topology random_tree(Random& random) {
  const auto number = [&](int least, int most) {
    return least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
  };
  MachineSpec machine;
  machine.name = "tree";
  machine.clock_hz = 1'500'000'000;
  machine.link_latency_ps = 20'000;
  FredTreeSpec spec;
  spec.shape = {.l1_switches = number(2, 6),
                .npus_per_l1 = number(1, 8),
                .slices = number(1, 3),
                .l2_chiplets_per_slice = number(1, 3),
                .middle = number(2, 4)};
  spec.shape.uplinks = spec.shape.l2_chiplets_per_slice * number(1, 3);
  machine.npus = spec.shape.l1_switches * spec.shape.npus_per_l1;
  machine.io_controllers = number(0, 2 * spec.shape.l1_switches);
  const auto links = static_cast<std::uint64_t>(spec.shape.slices);
  machine.npu_bandwidth = machine.io_bandwidth = links * 100'000'000'000;
  spec.uplink_bandwidth = links * static_cast<std::uint64_t>(spec.shape.uplinks) * 100'000'000'000;
  return build_fred_tree(machine, spec);
}

// Every pair of endpoints, from every port of the source: the tables lead there, over as many links as
// the tree's levels ask for, and up before down.
void expect_all_reached(const Topology& topology) {
  const std::vector<OnlineRoutes> routes = online_routes(topology, kMaxRoutes);
  std::vector<NodeId> endpoints = topology.npus;
  endpoints.insert(endpoints.end(), topology.io_controllers.begin(), topology.io_controllers.end());
  for (const NodeId source : endpoints) {
    for (const NodeId destination : endpoints) {
      if (source == destination) continue;
      const std::uint16_t address = topology.nodes[destination].address;
      for (int port = 0; port < topology.nodes[source].ports; ++port) {
        const auto next = [&](NodeId node, int out) {
          return topology.links[topology.link_out(node, out)].to;
        };
        NodeId at = next(source, port);
        const NodeId first = at;
        int links = 1;
        bool down = false;
        while (topology.nodes[at].level != 0 && links < 5) {
          ASSERT_GT(routes[at][address], 0) << topology.nodes[at].name;
          const NodeId to = next(at, routes[at][address] - 1);
          const bool goes_up = topology.nodes[to].level > topology.nodes[at].level;
          ASSERT_FALSE(goes_up && down) << topology.nodes[at].name;
          down = !goes_up;
          at = to;
          ++links;
        }
        ASSERT_EQ(at, destination) << topology.nodes[source].name << "." << port;
        bool is_neighbour = false;
        for (int p = 0; p < topology.nodes[first].ports; ++p) {
          const int link = topology.link_out(first, p);
          is_neighbour |= link >= 0 && topology.links[link].to == destination;
        }
        ASSERT_EQ(links, is_neighbour ? 2 : 4) << topology.nodes[source].name << "." << port;
      }
    }
  }
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
    if (node.level == 1) {  // 4 NPUs below, 16 others over 4 uplinks
      ASSERT_EQ(npus_by_port.size(), 8U) << node.name;
      for (const auto& [port, npus] : npus_by_port) EXPECT_EQ(npus, port <= 4 ? 1 : 4) << node.name;
    } else {  // 4 NPUs of each of 5 L1 switches, over 2 links to it
      ASSERT_EQ(npus_by_port.size(), 10U) << node.name;
      for (const auto& [port, npus] : npus_by_port) EXPECT_EQ(npus, 2) << node.name;
    }
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
