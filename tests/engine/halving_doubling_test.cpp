// SPDX-License-Identifier: Apache-2.0
// halving_doubling, simulated: payload exact on blocks of systems, meshes and tori, and the
// Verilated switches in lockstep with their twins.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/comparable_results.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "systems/make_plan.h"
#include "systems/system_plan.h"

namespace fredsim::test {
namespace {

std::vector<int> everyone(int npus) {
  std::vector<int> group(static_cast<std::size_t>(npus));
  std::iota(group.begin(), group.end(), 0);
  return group;
}

CollectiveSpec halving(Collective collective, std::vector<int> group, std::uint64_t bytes) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = std::move(group);
  spec.bytes = bytes;
  spec.algorithm = "halving_doubling";
  return spec;
}

constexpr Collective kAllRanks[] = {Collective::kAllReduce, Collective::kReduceScatter,
                                    Collective::kAllGather};

// Random bytes, from the seed in the trace. An all-reduce injects 2 (p - 1) / p of each vector,
// other collectives half of that; blocks of ranks differ by less than two flits.
void run_all(const Topology& topology, int npus, std::uint64_t seed) {
  Simulation simulation;
  Machine machine("machine", topology, {});
  Random random(seed);
  simulation.run([&] {
    for (const Collective collective : kAllRanks) {
      const std::uint64_t bytes = 1 + random.below(100'000);
      SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes", seed, to_string(collective), bytes));
      const CollectiveSpec spec = halving(collective, everyone(npus), bytes);
      const Plan plan = topology.has_blocks()
                            ? expanded(topology, plan_system(topology, {&spec, 1}))
                            : make_plan(topology, {&spec, 1});
      const RunResult result = run_plan(machine, plan);
      EXPECT_EQ(result.payload, "exact");
      const std::uint64_t times = collective == Collective::kAllReduce ? 2 : 1;
      EXPECT_EQ(result.injected_bytes, times * bytes * static_cast<std::uint64_t>(npus - 1));
    }
  });
}

TEST(HalvingDoublingRun, IsExactOnBlocks) {
  std::uint64_t seed = 0;
  for (const auto& [block, size, more] :
       std::vector<std::tuple<std::string, int, std::string>>{{"ring", 8, ""},
                                                              {"ring", 2, ""},
                                                              {"switch", 16, ", links: 2"},
                                                              {"fully_connected", 4, ""}}) {
    SCOPED_TRACE(fmt::format("{} {}", block, size));
    const TemporaryFolder folder;
    const std::string file = folder.file("one.yaml");
    std::ofstream(file) << fmt::format(
        "name: one\nclock: 1.5 GHz\nfabric:\n  type: dimensions\n  dimensions:\n"
        "    - {{block: {}, size: {}, bandwidth: 300 GB/s, latency: 20 ns{}}}\n",
        block, size, more);
    run_all(load_config(file).topology, size, ++seed);
  }
}

TEST(HalvingDoublingRun, IsExactOnGrids) {
  for (const std::string machine : {"mesh", "torus"}) {
    SCOPED_TRACE(machine);
    const Topology topology =
        load_config("configs/" + machine + ".yaml",
                    std::vector<std::string>{"npu.count=16", "io.count=0", "fabric.width=4",
                                             "fabric.height=4"})
            .topology;
    run_all(topology, 16, 11);
  }
}

TEST(HalvingDoublingRun, IsTheSameOnVerilatedSwitches) {
  for (const std::string name : {"fred_small", "mesh_2x2"}) {
    SCOPED_TRACE(name);
    const Topology topology = load_config("configs/" + name + ".yaml").topology;
    Simulation simulation;
    Machine twins("twins", topology, {});
    Machine verilated("verilated", topology, {.model = SwitchModel::kRtl});
    simulation.run([&] {
      for (const Collective collective : kAllRanks) {
        const CollectiveSpec spec = halving(collective, everyone(4), 20'000);
        const Plan plan = make_plan(topology, {&spec, 1});
        const RunResult twin = run_plan(twins, plan);
        const RunResult rtl = run_plan(verilated, plan);
        EXPECT_EQ(rtl.payload, "exact");
        EXPECT_EQ(comparable_results(twin), comparable_results(rtl));
      }
    });
  }
}

}  // namespace
}  // namespace fredsim::test
