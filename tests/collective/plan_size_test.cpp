// SPDX-License-Identifier: Apache-2.0
// Predicted size of a plan against its size once made.
#include <gtest/gtest.h>
#include <malloc.h>

#include <numeric>

#include "config/config.h"
#include "support/sanitized.h"
#include "systems/make_plan.h"
#include "systems/system_plan_size.h"

namespace fredsim {
namespace {

std::uint64_t heap_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

struct SizeCase {
  const char* collective;
  const char* algorithm;
  std::uint64_t bytes;
};

constexpr std::uint64_t kLarge = std::uint64_t{64} << 20;

const SizeCase kCases[] = {{"all_reduce", "auto", kLarge},      {"all_reduce", "ring", kLarge},
                           {"all_reduce", "auto", 4096},        {"all_reduce", "paper", kLarge},
                           {"all_reduce", "one_shot", 200'000}, {"reduce_scatter", "auto", kLarge},
                           {"all_gather", "auto", kLarge},      {"all_gather", "ring", 4096},
                           {"reduce", "auto", kLarge},          {"broadcast", "auto", kLarge},
                           {"multicast", "auto", kLarge},       {"gather", "auto", kLarge},
                           {"scatter", "auto", 4096},           {"all_to_all", "auto", kLarge},
                           {"all_to_all", "direct", 4096},      {"all_to_all_v", "auto", kLarge},
                           {"all_to_all_v", "auto", 100'000}};

class PlanSizeTest : public testing::TestWithParam<const char*> {};

TEST_P(PlanSizeTest, IsThatOfThePlan) {
  if (kIsSanitized) GTEST_SKIP() << kWhyNotSanitized;
  const std::string machine = GetParam();
  const Topology topology =
      machine == "mesh_16x16"
          ? load_config("configs/mesh.yaml",
                        {"npu.count=256", "fabric.width=16", "fabric.height=16", "io.count=0"})
                .topology
          : load_config("configs/" + machine + ".yaml").topology;
  int compared = 0;
  for (const SizeCase& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.collective << " " << c.algorithm << " " << c.bytes);
    CollectiveSpec spec;
    spec.collective = parse_collective(c.collective);
    spec.algorithm = c.algorithm;
    spec.bytes = c.bytes;
    spec.group.resize(topology.npus.size());
    std::iota(spec.group.begin(), spec.group.end(), 0);
    if (spec.collective == Collective::kAllToAllV)
      spec.matrix = random_matrix(static_cast<int>(spec.group.size()), spec.bytes, 1);
    const PlanSize size = plan_size(topology, {&spec, 1});
    const std::uint64_t before = heap_in_use();
    const Plan plan = make_plan(topology, {&spec, 1});
    std::uint64_t entries = 0;
    std::uint64_t additions = 0;
    for (const Tree& tree : plan.trees) {
      entries += tree.ranks.all().size();  // made by now, of boxes of rings too
      additions += tree.order.postfix().size();
    }
    const auto bytes = static_cast<double>(heap_in_use() - before);
    EXPECT_GE(additions, plan.trees.size());
    EXPECT_GE(size.trees, plan.trees.size());
    EXPECT_GE(size.entries, entries);
    if (plan.parts[0].algorithm == "direct") {
      EXPECT_EQ(size.trees, plan.trees.size());
    }
    if (bytes < 1e6) continue;
    ++compared;
    EXPECT_LT(static_cast<double>(size.bytes), 1.25 * bytes);
    EXPECT_GT(static_cast<double>(size.bytes), bytes / 1.25);
  }
  if (machine != "fred_d" && machine != "fred_c") {
    EXPECT_GE(compared, 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, PlanSizeTest,
                         testing::Values("mesh_16x16", "fred_64", "fred_c", "fred_d"),
                         [](const auto& param) { return std::string(param.param); });

// Trees of a ring, and of a box of rings, hold the hops between neighbours once as long as nobody
// looks at their ranks.
TEST(PlanSize, OfRingsGrowsWithTheRanks) {
  if (kIsSanitized) GTEST_SKIP() << kWhyNotSanitized;
  const Topology topology = load_config("configs/mesh.yaml", {"npu.count=256", "fabric.width=16",
                                                              "fabric.height=16", "io.count=0"})
                                .topology;
  for (const char* algorithm : {"ring", "hier_ring"}) {
    CollectiveSpec spec;
    spec.algorithm = algorithm;
    spec.bytes = 1 << 20;
    spec.group.resize(256);
    std::iota(spec.group.begin(), spec.group.end(), 0);
    const std::uint64_t before = heap_in_use();
    const Plan plan = make_plan(topology, {&spec, 1});
    const std::uint64_t planned = heap_in_use();
    EXPECT_LT(planned - before, 500U * 1024) << algorithm;
    std::size_t sends = 0;
    for (const Tree& tree : plan.trees)
      for (const TreeRank& rank : tree.ranks) sends += rank.reduce_to.size();
    EXPECT_EQ(sends, plan.trees.size() * 255) << algorithm;
    EXPECT_GT(heap_in_use() - planned, 5U * 1024 * 1024) << algorithm;
  }
}

TEST(PlanSize, PartsAddUp) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  CollectiveSpec spec;
  spec.group = {0, 1, 2};
  spec.bytes = 4096;
  const PlanSize one = plan_size(topology, {&spec, 1});
  const std::vector<CollectiveSpec> two{spec, spec};
  const PlanSize both = plan_size(topology, two);
  EXPECT_EQ(both.trees, 2 * one.trees);
  EXPECT_EQ(both.bytes, 2 * one.bytes);
  EXPECT_EQ(both.run_bytes, 2 * one.run_bytes);
}

}  // namespace
}  // namespace fredsim
