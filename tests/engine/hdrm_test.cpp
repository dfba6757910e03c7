// SPDX-License-Identifier: Apache-2.0
// hdrm, simulated: payload exact, and the time of its formula on a small BiGraph.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/collective_specs.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

Topology bigraph(int m, int n, int pair_links = 1) {
  return load_config("configs/systems/bigraph.yaml",
                     std::vector<std::string>{fmt::format("fabric.upper={}", n / 2),
                                              fmt::format("fabric.lower={}", n / 2),
                                              fmt::format("fabric.npus_per_switch={}", m),
                                              fmt::format("fabric.pair_links={}", pair_links)})
      .topology;
}

CollectiveSpec of_all(const Topology& topology, Collective collective, std::uint64_t bytes) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  return spec_of(collective, std::move(group), bytes, {.algorithm = "hdrm"});
}

TEST(HdrmRun, IsExact) {
  std::uint64_t seed = 0;
  for (const auto& [m, n, links] : {std::tuple{1, 2, 1}, {2, 4, 1}, {4, 8, 1}, {4, 4, 2}}) {
    const Topology topology = bigraph(m, n, links);
    Simulation simulation;
    Machine machine("machine", topology, {});
    Random random(++seed);
    simulation.run([&] {
      for (const Collective collective :
           {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
        const std::uint64_t bytes = 1 + random.below(100'000);
        SCOPED_TRACE(fmt::format("m {}, n {}, seed {}: {} of {} bytes", m, n, seed,
                                 to_string(collective), bytes));
        const CollectiveSpec spec = of_all(topology, collective, bytes);
        const RunResult result = run_plan(machine, make_plan(topology, {&spec, 1}));
        EXPECT_EQ(result.payload, "exact");
        const std::uint64_t times = collective == Collective::kAllReduce ? 2 : 1;
        EXPECT_EQ(result.injected_bytes, times * bytes * (topology.npus.size() - 1));
      }
    });
  }
}

TEST(HdrmRun, IsTheSameOnVerilatedSwitches) {
  const Topology topology = bigraph(2, 4);
  Simulation simulation;
  Machine twins("twins", topology, {});
  Machine verilated("verilated", topology, {.model = SwitchModel::kRtl});
  simulation.run([&] {
    const CollectiveSpec spec = of_all(topology, Collective::kAllReduce, 20'000);
    const Plan plan = make_plan(topology, {&spec, 1});
    const RunResult twin = run_plan(twins, plan);
    const RunResult rtl = run_plan(verilated, plan);
    EXPECT_EQ(rtl.payload, "exact");
    EXPECT_EQ(comparable_results(twin), comparable_results(rtl));
  });
}

// Bytes at the NICs' rate, 12.5 GB/s, plus the latency from one layer to the other for each of 2
// log2 N steps.
TEST(HdrmRun, TakesBytesOverRateAndLatencies) {
  const Topology topology = bigraph(2, 4);
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const CollectiveSpec byte = spec_of(Collective::kUnicast, {0, 4}, 1);
    const auto latency =
        static_cast<double>(run_plan(machine, make_plan(topology, {&byte, 1})).cycles);
    const double flits_per_cycle = topology.links.front().rate.value();
    for (const std::uint64_t bytes : {4ULL << 20, 8ULL << 20}) {
      const CollectiveSpec spec = of_all(topology, Collective::kAllReduce, bytes);
      const auto cycles =
          static_cast<double>(run_plan(machine, make_plan(topology, {&spec, 1})).cycles);
      const double formula =
          2.0 * 7 / 8 * static_cast<double>(bytes) / 512 / flits_per_cycle + 2 * 3 * latency;
      EXPECT_NEAR(cycles / formula, 1, 0.01) << bytes << " bytes";
    }
  });
}

}  // namespace
}  // namespace fredsim::test
