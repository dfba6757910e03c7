// SPDX-License-Identifier: Apache-2.0
// one_shot and two_phase through switches in four modes: RTL and twin, without and with random
// stalls. Stalls come from links that damage flits and retransmit, and from ranks that begin late.
// Random grids, groups and sizes from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/collective_specs.h"
#include "support/comparable_results.h"
#include "support/random_range.h"
#include "support/simulation.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim::test {
namespace {

using Texts = std::vector<std::string>;

struct FewSwitches {
  std::string config;
  Texts keys{};
};

FewSwitches few_switches(Random& random) {
  const int width = random_between(random, 2, 3), height = random_between(random, 2, 3);
  return {random.below(2) == 0 ? "mesh" : "torus",
          {"io.count=0", fmt::format("npu.count={}", width * height),
           fmt::format("fabric.width={}", width), fmt::format("fabric.height={}", height)}};
}

// Two collectives at the same time on virtual channels of their own; the second one of all NPUs but
// some.
std::vector<CollectiveSpec> random_pair(const Topology& topology, Random& random, bool has_places,
                                        bool stalls) {
  std::vector<CollectiveSpec> work;
  for (const int vc : {kDp, kMp}) {
    const bool by_corners = has_places && (vc == kMp || random.below(2) == 0);
    std::vector<int> group = npus_left(topology);
    if (vc == kMp && !by_corners) group.resize(group.size() - random.below(group.size() - 1));
    work.push_back(spec_of(by_corners ? Collective::kAllToAll : Collective::kAllReduce,
                           std::move(group), 1 + random.below(20'000),
                           {.algorithm = by_corners ? "two_phase" : "one_shot", .vc = vc}));
    if (stalls) work.back().start_cycle = random.below(200);
  }
  return work;
}

class FourModes : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FourModes, AreTheSameBySwitchesAsRtlAndTwins) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const bool has_places = GetParam() % 3 != 0;
  FewSwitches setting = has_places ? few_switches(random) : FewSwitches{"fred_small"};
  std::map<bool, std::uint64_t> cycles;
  const std::uint64_t seed = random.below(1'000'000);
  for (const bool stalls : {false, true}) {
    if (stalls)
      setting.keys.insert(setting.keys.end(),
                          {"link.reliability=link", "link.bit_error_rate=1e-4"});
    const Topology topology =
        load_config(fmt::format("configs/{}.yaml", setting.config), setting.keys).topology;
    Random of_work(seed);
    const std::vector<CollectiveSpec> work = random_pair(topology, of_work, has_places, stalls);
    Simulation simulation;
    Machine twins("twins", topology, {.seed = seed});
    Machine rtl("rtl", topology, {.model = SwitchModel::kRtl, .seed = seed});
    simulation.run([&] {
      const Plan plan = make_plan(topology, work);
      const RunResult twin = run_plan(twins, plan);
      EXPECT_EQ(twin.payload, "exact");
      EXPECT_EQ(results_and_parts(twin), results_and_parts(run_plan(rtl, plan)));
      cycles[stalls] = twin.cycles;
    });
  }
  EXPECT_LT(cycles[false], cycles[true]);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FourModes, testing::Range<std::uint64_t>(0, 12));

}  // namespace
}  // namespace fredsim::test
