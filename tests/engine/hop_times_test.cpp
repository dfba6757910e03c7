// SPDX-License-Identifier: Apache-2.0
// Latencies of hops as kinds of switches state them (plan/hop_times.h) beside runs of one flit.
#include "plan/hop_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "routing/nic_port.h"
#include "support/simulation.h"
#include "switch/node_shape.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

struct HopCase {
  const char* config;
  std::vector<std::string> settings{};
};

// Cycles after the first in which links of less than half a flit per cycle send the rest of it.
double rest_of_flit(const Topology& topology, const LinkWalk& walk, NodeId from, NodeId to) {
  double cycles = 0;
  walk.walk_hop(from, to, nic_port(topology, from, to, 0), [&](int number) {
    const Rational& rate = topology.links[number].rate;
    cycles += static_cast<double>(rate.den / rate.num) - 1;
  });
  return cycles;
}

TEST(HopTimes, AreThoseOfOneFlit) {
  const std::vector<std::string> at_endpoints{"fabric.in_switch=false"};
  for (const HopCase& c : std::vector<HopCase>{{"mesh"},
                                               {"torus"},
                                               {"mesh_reducing"},
                                               {"fred_a"},
                                               {"fred_2x2", at_endpoints},
                                               {"fred_64", at_endpoints},
                                               {"fully_connected"}}) {
    const Topology topology =
        load_config("configs/" + std::string(c.config) + ".yaml", c.settings).topology;
    const Plan none;
    const LinkWalk walk(topology, none, routes_by_table(topology));
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      const int last = static_cast<int>(topology.npus.size()) - 1;
      for (const int to : {1, last / 2, last}) {
        const Plan plan = make_plan(topology, Collective::kUnicast, {0, to}, kFlitBytes, "auto");
        const auto cycles = static_cast<double>(run_plan(machine, plan).cycles);
        const NodeId a = topology.npus[0], b = topology.npus[to];
        EXPECT_EQ(unicast_cycles(topology, walk, a, b) + rest_of_flit(topology, walk, a, b), cycles)
            << c.config << " to " << to;
      }
    });
  }
}

}  // namespace
}  // namespace fredsim::test
