// SPDX-License-Identifier: Apache-2.0
// switch_reads and shares of links that carry payload, simulated: payload exact on random boxes,
// the same on Verilated switches, and times by formula.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/adder_box.h"
#include "support/collective_specs.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

CollectiveSpec of_all(const Topology& topology, Collective collective, std::uint64_t bytes,
                      const std::string& algorithm = "switch_reads") {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  return spec_of(collective, std::move(group), bytes, {.algorithm = algorithm});
}

TEST(SwitchReadsRun, IsExactOnRandomBoxes) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const Topology topology = adder_box({.npus = 2 + static_cast<int>(random.below(8)),
                                         .adders = 2 + static_cast<int>(random.below(8)),
                                         .gbps = 50 + static_cast<int>(random.below(450)),
                                         .latency_ns = 1 + static_cast<int>(random.below(300)),
                                         .efficiency = random.below(2) == 0 ? "1" : "0.816"});
    Simulation simulation;
    Machine machine("machine", topology, {});
    simulation.run([&] {
      for (const Collective collective :
           {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
        const std::uint64_t bytes = 1 + random.below(100'000);
        SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes on {} NPUs and {} adders", seed,
                                 to_string(collective), bytes, topology.npus.size(),
                                 topology.adders.size()));
        const CollectiveSpec spec = of_all(topology, collective, bytes);
        const RunResult result = run_plan(machine, make_plan(topology, {&spec, 1}));
        EXPECT_EQ(result.payload, "exact");
        EXPECT_EQ(std::ssize(result.groups.front()), std::ssize(topology.npus));
      }
    });
  }
}

TEST(SwitchReadsRun, IsTheSameOnVerilatedSwitches) {
  const Topology topology = adder_box({.npus = 2, .adders = 2, .efficiency = "0.816"});
  Simulation simulation;
  Machine twins("twins", topology, {});
  Machine verilated("verilated", topology, {.model = SwitchModel::kRtl});
  simulation.run([&] {
    const CollectiveSpec spec = of_all(topology, Collective::kAllReduce, 50'000);
    const Plan plan = make_plan(topology, {&spec, 1});
    const RunResult twin = run_plan(twins, plan);
    const RunResult rtl = run_plan(verilated, plan);
    EXPECT_EQ(rtl.payload, "exact");
    EXPECT_EQ(comparable_results(twin), comparable_results(rtl));
  });
}

// S (1 + 1/N) bytes at the share of the rate that carries payload. With all of it ports are so near
// a flit per cycle that the crossbar's matching loses more.
TEST(SwitchReadsRun, TakesTheVectorAndTheShardOverTheRate) {
  for (const std::string& efficiency : {std::string("0.816"), std::string("0.5")}) {
    for (const int n : {4, 8}) {
      const Topology topology = adder_box({.npus = n, .adders = n, .efficiency = efficiency});
      Simulation simulation;
      Machine machine("machine", topology, {});
      simulation.run([&] {
        const std::uint64_t bytes = 4ULL << 20;
        const CollectiveSpec spec = of_all(topology, Collective::kAllReduce, bytes);
        const RunResult result = run_plan(machine, make_plan(topology, {&spec, 1}));
        const double formula =
            static_cast<double>(bytes) * (1 + 1.0 / n) / (450 * std::stod(efficiency));
        EXPECT_NEAR(result.time_ns / formula, 1, 0.05) << n << " NPUs, " << efficiency;
      });
    }
  }
}

// A ring takes as much longer as the share says, but for latencies.
TEST(LinkEfficiency, StretchesTheTimeOfBytes) {
  const auto cycles = [](const std::string& efficiency, std::uint64_t bytes) {
    const Topology topology = adder_box({.npus = 4, .adders = 0, .efficiency = efficiency});
    Simulation simulation;
    Machine machine("machine", topology, {});
    double time = 0;
    simulation.run([&] {
      const CollectiveSpec spec = of_all(topology, Collective::kAllReduce, bytes, "ring");
      time = static_cast<double>(run_plan(machine, make_plan(topology, {&spec, 1})).cycles);
    });
    return time;
  };
  constexpr std::uint64_t kOnce = 2ULL << 20, kTwice = 4ULL << 20;
  const double whole = cycles("1", kTwice) - cycles("1", kOnce);
  for (const std::string& efficiency : {std::string("0.816"), std::string("0.5")}) {
    const double part = cycles(efficiency, kTwice) - cycles(efficiency, kOnce);
    EXPECT_NEAR(whole / part, std::stod(efficiency), 0.005) << efficiency;
  }
}

}  // namespace
}  // namespace fredsim::test
