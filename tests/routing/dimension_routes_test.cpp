// SPDX-License-Identifier: Apache-2.0
// Routing tables of tori, walked over the topology's links; and absence of cycles in the dependency
// graph of links.
#include "routing/detail/dimension_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "topology/torus3d/torus3d.h"

namespace fredsim {
namespace {

Topology torus(std::array<int, 3> sides, int planes, int io_controllers) {
  MachineSpec machine;
  machine.name = "torus";
  machine.clock_hz = 1'500'000'000;
  machine.link_latency_ps = 20'000;
  machine.npus = sides[0] * sides[1] * sides[2];
  machine.npu_bandwidth = 600'000'000'000;
  machine.io_controllers = io_controllers;
  machine.io_bandwidth = 120'000'000'000;
  return build_torus3d(machine,
                       {.sides = sides, .planes = planes, .ring_bandwidth = 120'000'000'000});
}

// For each link, the links that a packet holding it may request next.
using Dependencies = std::vector<std::set<int>>;

bool has_circle(const Dependencies& after) {
  enum class State { kNew, kOpen, kDone };
  std::vector<State> states(after.size(), State::kNew);
  const std::function<bool(int)> visit = [&](int link) {
    if (states[link] != State::kNew) return states[link] == State::kOpen;
    states[link] = State::kOpen;
    const bool found = std::ranges::any_of(after[link], visit);
    states[link] = State::kDone;
    return found;
  };
  for (int link = 0; link < std::ssize(after); ++link)
    if (visit(link)) return true;
  return false;
}

// Walks all pairs of endpoints on all planes.
void expect_all_found(const Topology& topology, Dependencies& after) {
  const std::vector<OnlineRoutes> routes = online_routes(topology, 4096);
  std::vector<NodeId> endpoints = topology.npus;
  endpoints.insert(endpoints.end(), topology.io_controllers.begin(), topology.io_controllers.end());
  for (const NodeId source : endpoints) {
    for (const NodeId destination : endpoints) {
      for (int plane = 0; source != destination && plane < topology.nodes[source].ports; ++plane) {
        int link = topology.link_out(source, plane);
        for (int hops = 0; topology.links[link].to != destination; ++hops) {
          ASSERT_LT(hops, 60) << topology.nodes[source].name;
          const NodeId at = topology.links[link].to;
          ASSERT_TRUE(topology.nodes[at].is_switch());
          EXPECT_EQ(topology.nodes[at].slice, plane);
          const int port = routes[at][topology.nodes[destination].address] - 1;
          ASSERT_GE(port, 0) << topology.nodes[at].name;
          const int next = topology.link_out(at, port);
          after[link].insert(next);
          link = next;
        }
      }
    }
  }
}

TEST(DimensionRoutes, LeadEverywhereWithoutACircle) {
  constexpr std::array<std::array<int, 3>, 7> kSides{
      {{4, 4, 4}, {3, 3, 3}, {5, 4, 2}, {2, 2, 2}, {8, 1, 1}, {7, 6, 1}, {1, 2, 9}}};
  for (const std::array<int, 3>& sides : kSides) {
    const Topology topology = torus(sides, 2, 5);
    Dependencies after(topology.links.size());
    expect_all_found(topology, after);
    EXPECT_FALSE(has_circle(after)) << sides[0] << ' ' << sides[1] << ' ' << sides[2];
  }
}

// The shorter directions round a ring of 5 would have one.
TEST(DimensionRoutes, ShortestWaysWouldHaveACircle) {
  const Topology ring = torus({5, 1, 1}, 1, 0);
  Dependencies after(ring.links.size());
  for (int from = 0; from < 5; ++from) {
    const auto upwards = [&](int at) { return ring.link_out(5 + at % 5, 1); };
    after[upwards(from)].insert(upwards(from + 1));
  }
  EXPECT_TRUE(has_circle(after));
}

}  // namespace
}  // namespace fredsim
