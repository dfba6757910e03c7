// SPDX-License-Identifier: Apache-2.0
// I/O controllers as members of groups on whole machines: payload exact at their own rate, the same
// in every implementation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/comparable_results.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

struct MachineWithIo {
  const char* name;
  const char* config;
  std::vector<std::string> settings;
};

// Four L1 chiplets with two NPUs, an uplink and a controller each: all chiplets have four ports.
std::vector<std::string> tree_with(const std::string& setting) {
  return {"npu.count=8",
          "io.count=4",
          "io.bandwidth=128GB/s",
          "fabric.l1_switches=4",
          "fabric.uplinks=1",
          "fabric.uplink_bandwidth=600GB/s",
          setting};
}

class IoMembersRun : public testing::TestWithParam<MachineWithIo> {};

TEST_P(IoMembersRun, AreExactInEveryImplementation) {
  const Topology topology = load_config(GetParam().config, GetParam().settings).topology;
  const int npus = static_cast<int>(topology.npus.size());
  const int controllers = static_cast<int>(topology.io_controllers.size());
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine rtl("rtl", topology, {.model = SwitchModel::kRtl});
  Machine lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
  simulation.run([&] {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(fmt::format("seed {}", seed));
      Random random(seed);
      const std::vector<CollectiveSpec> work = random_work(random, npus, 3, 12'000, controllers);
      const Plan plan = make_plan(topology, work,
                                  random.below(2) == 0 ? OnConflict::kLater : OnConflict::kUnicast);
      const RunResult r = run_plan(tlm, plan);
      EXPECT_EQ(r.payload, "exact");
      EXPECT_GE(r.time_ns, r.bound_ns);
      for (std::size_t p = 0; p < work.size(); ++p) EXPECT_EQ(r.groups[p], work[p].group);
      EXPECT_EQ(comparable_results(r), comparable_results(run_plan(lockstep, plan)));
      EXPECT_EQ(comparable_results(r), comparable_results(run_plan(rtl, plan)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Machines, IoMembersRun,
    testing::Values(
        MachineWithIo{"Mesh", "configs/mesh_2x2.yaml", {}},
        MachineWithIo{"ReducingMesh", "configs/mesh_2x2.yaml", {"switch.kind=mesh_reducing"}},
        MachineWithIo{"Fred", "configs/fred_small.yaml", tree_with("fabric.in_switch=true")},
        MachineWithIo{"FredAtTheEndpoints", "configs/fred_small.yaml",
                      tree_with("fabric.in_switch=false")},
        MachineWithIo{"FredOfTwoSlices", "configs/fred_small.yaml", tree_with("fabric.slices=2")}),
    [](const auto& one) { return std::string(one.param.name); });

// A controller sends to all NPUs, and gets the sum of all, at the rate of its own links.
TEST(IoMembersOfAWafer, GoAtTheirOwnRate) {
  for (const char* config : {"configs/mesh.yaml", "configs/fred_a.yaml", "configs/fred_d.yaml"}) {
    SCOPED_TRACE(config);
    const Topology topology = load_config(config).topology;
    std::vector<int> group{io_member(7)};
    for (int npu = 0; npu < 20; ++npu) group.push_back(npu);
    // Flits that an idle link sends at the rate of the port: two bursts, and a packet that is owed
    // (links/link.h).
    const Link& link = topology.links[topology.link_out(topology.io_controllers[7], 0)];
    const double saved_ns = (2 * link.burst + topology.packet_flits) / link.rate.value() /
                            static_cast<double>(topology.clock_hz) * 1e9;
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      constexpr std::uint64_t kBytes = 1 << 20;
      constexpr double kLatencyNs =
          2100;  // max of a chain of 21 on Fred-A, whose sums wait for a burst
      for (const Collective collective : {Collective::kBroadcast, Collective::kReduce,
                                          Collective::kScatter, Collective::kGather}) {
        const RunResult r =
            run_plan(machine, make_plan(topology, collective, group, kBytes, "paper"));
        EXPECT_EQ(r.payload, "exact");
        EXPECT_LE(r.bound_ns, kBytes / 128.0 * 17 / 16) << to_string(collective);
        EXPECT_GE(r.bound_ns, kBytes / 128.0 * 15 / 16 - saved_ns) << to_string(collective);
        EXPECT_GE(r.time_ns, r.bound_ns);
        EXPECT_LT(r.time_ns, r.bound_ns + kLatencyNs) << to_string(collective);
      }
    });
  }
}

}  // namespace
}  // namespace fredsim::test
