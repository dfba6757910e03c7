// SPDX-License-Identifier: Apache-2.0
// one_shot, simulated: payload exact and bytes by formula on machines with failed components,
// Verilated switches in lockstep with their twins, and nothing changed by skipping.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/collective_specs.h"
#include "support/comparable_results.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim::test {
namespace {

using Texts = std::vector<std::string>;

CollectiveSpec one_shot_of(std::vector<int> group, std::uint64_t bytes) {
  return spec_of(Collective::kAllReduce, std::move(group), bytes, {.algorithm = "one_shot"});
}

// Groups that share no member.
std::vector<CollectiveSpec> random_groups(const Topology& topology, Random& random,
                                          std::uint64_t max_bytes) {
  std::vector<int> left = npus_left(topology);
  for (std::size_t i = left.size() - 1; i > 0; --i) std::swap(left[i], left[random.below(i + 1)]);
  std::vector<CollectiveSpec> work;
  while (left.size() > 1) {
    const auto size = static_cast<std::ptrdiff_t>(2 + random.below(left.size() - 1));
    work.push_back(one_shot_of({left.end() - size, left.end()}, 1 + random.below(max_bytes)));
    work.back().vc = static_cast<int>(random.below(3));
    left.resize(left.size() - static_cast<std::size_t>(size));
  }
  return work;
}

std::uint64_t bytes_of(const std::vector<CollectiveSpec>& work) {
  std::uint64_t bytes = 0;
  for (const CollectiveSpec& spec : work)
    bytes += spec.group.size() * (spec.group.size() - 1) * spec.bytes;
  return bytes;
}

struct Setting {
  const char* config;
  Texts keys;
};

class OneShotRuns : public testing::TestWithParam<std::uint64_t> {};

TEST_P(OneShotRuns, AreExactOnWhatIsLeft) {
  const std::vector<Setting> settings{
      {"mesh", {"faults=['npu:7', 'link:r0_0.1->r1_0.3*0.5']"}},
      {"torus", {"faults=['link:r1_1.1->r2_1.3*0.5', 'npu:3', 'npu:12']"}},
      {"fred_d", {"faults=['link:npu0.0->l1_0.s0.0', 'switch:l1_3.s4']"}},
      {"fred_a", {}},
      {"torus3d", {}}};
  const Setting& setting = settings[GetParam() % settings.size()];
  SCOPED_TRACE(fmt::format("seed {}: {}", GetParam(), setting.config));
  Random random(GetParam());
  const Topology topology =
      load_config(fmt::format("configs/{}.yaml", setting.config), setting.keys).topology;
  const std::vector<CollectiveSpec> work = random_groups(topology, random, 20'000);
  Simulation simulation;
  Machine machine("machine", topology, {.seed = GetParam()});
  simulation.run([&] {
    const RunResult result = run_plan(machine, make_plan(topology, work));
    EXPECT_EQ(result.payload, "exact");
    EXPECT_EQ(result.injected_bytes, bytes_of(work));
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, OneShotRuns, testing::Range<std::uint64_t>(0, 15));

TEST(OneShotRun, IsTheSameOnVerilatedSwitchesAndInFull) {
  const std::vector<Setting> settings{
      {"mesh_2x2", {}}, {"fred_small", {}}, {"fred_small", {"fabric.in_switch=false"}}};
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    const Setting& setting = settings[seed % settings.size()];
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, setting.config));
    Random random(seed);
    const Topology topology =
        load_config(fmt::format("configs/{}.yaml", setting.config), setting.keys).topology;
    Simulation simulation;
    Machine twins("twins", topology, {}),
        lockstep("lockstep", topology, {.model = SwitchModel::kLockstep});
    Machine full("full", topology, {.skip = false});
    simulation.run([&] {
      const std::vector<CollectiveSpec> work = random_groups(topology, random, 30'000);
      const Plan plan = make_plan(topology, work);
      const RunResult twin = run_plan(twins, plan);
      EXPECT_EQ(twin.injected_bytes, bytes_of(work));
      EXPECT_EQ(comparable_results(twin), comparable_results(run_plan(lockstep, plan)));
      const CollectiveSpec long_one = one_shot_of({0, 1, 2, 3}, 300'000 + random.below(500'000));
      const Plan long_plan = make_plan(topology, {&long_one, 1});
      const RunResult skipped = run_plan(twins, long_plan);
      EXPECT_EQ(skipped.payload, "exact");
      EXPECT_EQ(results_and_parts(skipped), results_and_parts(run_plan(full, long_plan)));
    });
  }
}

}  // namespace
}  // namespace fredsim::test
