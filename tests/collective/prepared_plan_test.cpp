// SPDX-License-Identifier: Apache-2.0
// Operations that may be in flight together, by the switch resources of their trees: waves of one
// plan, bytes, and systems in both forms.
#include "operations/prepared_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "support/collective_specs.h"
#include "support/temporary_folder.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

using PlanPointer = std::shared_ptr<const PreparedPlan>;

PlanPointer later(const Topology& topology, const std::vector<CollectiveSpec>& work) {
  return prepare(topology, make_plan(topology, work, OnConflict::kLater));
}

CollectiveSpec sum_of(std::vector<int> group, std::uint64_t bytes = 4096, int vc = kDp) {
  return spec_of(Collective::kAllReduce, std::move(group), bytes,
                 {.algorithm = "in_switch", .vc = vc});
}

TEST(PreparedPlans, OfOneWaveFollowEachOther) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const PlanPointer pairs = later(topology, {sum_of({0, 1}), sum_of({2, 3})});
  EXPECT_FALSE(in_conflict(*pairs, *pairs));
  EXPECT_FALSE(in_conflict(*pairs, *later(topology, {sum_of({0, 1}, 100), sum_of({2, 3}, 9)})));
  EXPECT_TRUE(in_conflict(*pairs, *later(topology, {sum_of({0, 1, 2, 3})})));
  EXPECT_FALSE(in_conflict(*pairs, *later(topology, {sum_of({0, 1, 2, 3}, 4096, kMp)})));
}

TEST(PreparedPlans, OfSeveralWavesDoNot) {
  for (const char* config : {"configs/fred_small.yaml", "configs/mesh_2x2.yaml"}) {
    const Topology topology =
        load_config(config, std::string(config) == "configs/mesh_2x2.yaml"
                                ? std::vector<std::string>{"switch.kind=mesh_reducing"}
                                : std::vector<std::string>{})
            .topology;
    const PlanPointer waves = later(topology, {sum_of({1, 3}), sum_of({1, 2})});
    ASSERT_FALSE(waves->plan.parts[1].after.empty());
    EXPECT_TRUE(in_conflict(*waves, *waves));
    EXPECT_TRUE(in_conflict(*waves, *later(topology, {sum_of({1, 3}), sum_of({1, 2}, 100)})));
    // Waves of different virtual channels never collide.
    const PlanPointer channels = later(topology, {sum_of({1, 3}), sum_of({1, 2}, 4096, kMp)});
    EXPECT_FALSE(in_conflict(*channels, *channels));
  }
}

// A system of two small wafers; groups of NPUs of one wafer, of both, and of one place of each.
TEST(PreparedPlans, OfSystemsConflictAlikeInBothForms) {
  const TemporaryFolder folder;
  const std::string path = folder.file("system.yaml");
  std::ofstream(path) << "name: system\nclock: 1.5 GHz\nfabric:\n  type: dimensions\n"
                         "  dimensions:\n    - machine: fred_small\n"
                         "    - {block: switch, size: 2, in_switch: true, bandwidth: 50 GB/s, "
                         "latency: 100 ns}\n";
  const Topology system = load_config(path).topology;
  const std::vector<std::vector<int>> groups{
      {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 4}, {1, 5}, {0, 1, 2, 3, 4, 5, 6, 7}};
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduceScatter,
                                    Collective::kAllGather};
  Random random(1);
  std::vector<PlanPointer> exact, flow;
  for (int work = 0; work < 24; ++work) {
    const CollectiveSpec spec = spec_of(
        kCollectives[random.below(3)], groups[random.below(groups.size())],
        random.below(2) == 0 ? 40'000 : 1'000'000, {.vc = random.below(3) == 0 ? kMp : kDp});
    exact.push_back(prepare(system, make_plan(system, {&spec, 1})));
    flow.push_back(prepare(system, plan_system(system, {&spec, 1})));
  }
  int conflicts = 0;
  for (std::size_t a = 0; a < exact.size(); ++a) {
    const bool is_mixed = (exact[a]->tree_channels & exact[a]->unicast_channels) != 0;
    EXPECT_EQ(in_conflict(*exact[a], *exact[a]), is_mixed) << "work " << a;
    for (std::size_t b = 0; b < exact.size(); ++b) {
      const bool expected = in_conflict(*exact[a], *exact[b]);
      EXPECT_EQ(in_conflict(*flow[a], *flow[b]), expected) << "works " << a << " and " << b;
      conflicts += expected ? 1 : 0;
    }
  }
  EXPECT_GT(conflicts, 20);
}

}  // namespace
}  // namespace fredsim::test
