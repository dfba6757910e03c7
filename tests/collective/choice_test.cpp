// SPDX-License-Identifier: Apache-2.0
// Algorithm that `auto` takes, by size: a table of machines, whole and with failed components, collectives and groups. Sizes
// in flits; each change of mind is exact, so that whatever is estimated is in it, but on grids, where algorithms are raced: powers of two
// there, with "/2" where packets are of so many flits in place of the machine's. The program says what it takes now; whether that is a good choice, tests/engine/algorithms_test.cpp measures. A line that moved on purpose is replaced by what the test
// prints.
#include "collective/choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "config/config.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr std::uint64_t kMaxFlits = 1U << 13U;  // 4 MiB

struct Row {
  const char* config;
  const char* fault;  // null: none
  Collective collective;
  std::vector<int> group;  // empty: all
  // "A up to N flits, B up to M, C": what is taken.
  const char* taken;
};

const std::vector<int> kAll{}, kPair{0, 1}, kThree{0, 1, 8}, kFour{0, 4, 8, 12},
    kFive{0, 4, 8, 12, 16};

std::string taken_by_size(const Row& row) {
  std::vector<std::string> settings;
  if (row.fault != nullptr) settings.push_back(fmt::format("faults=['{}']", row.fault));
  const Topology topology =
      load_config(fmt::format("configs/{}.yaml", row.config), settings).topology;
  std::vector<int> group = row.group;
  if (group.empty()) {
    group.resize(topology.npus.size());
    std::iota(group.begin(), group.end(), 0);
  }
  const auto choice = [&](std::uint64_t flits) {
    const Part part =
        make_plan(topology, row.collective, group, flits * kFlitBytes, "auto").parts[0];
    const bool is_short = topology.has_places() && part.packet_flits != topology.packet_flits;
    return is_short ? fmt::format("{}/{}", part.algorithm, part.packet_flits) : part.algorithm;
  };
  std::string taken = choice(1);
  std::string last = taken;
  for (std::uint64_t flits = 1; flits < kMaxFlits; flits *= 2) {
    const std::string next = choice(2 * flits);
    if (next == last) continue;
    std::uint64_t below = flits, above = 2 * flits;
    while (!topology.has_places() && above - below > 1) {
      const std::uint64_t middle = (below + above) / 2;
      (choice(middle) == last ? below : above) = middle;
    }
    taken += fmt::format(" up to {}, {}", below, next);
    last = next;
  }
  return taken;
}

TEST(Choice, HasOneName) {
  EXPECT_EQ(choice_of("auto"), Choice::kFastest);
  EXPECT_EQ(choice_of("paper"), Choice::kPapers);
  for (const char* none : {"", "Auto", "paper ", "ring"})
    EXPECT_EQ(choice_of(none), Choice::kNone) << none;
  EXPECT_EQ(choice_names(), (std::vector<std::string_view>{"auto", "paper"}));
  for (const std::string_view name : choice_names()) EXPECT_EQ(to_string(choice_of(name)), name);
}

TEST(Choice, IsThatOfTheTable) {
  const std::vector<Row> rows{
      {"mesh", nullptr, Collective::kAllReduce, kAll,
       "one_shot up to 2, one_shot/2 up to 32, multi_tree/2 up to 2048, multi_tree"},
      {"mesh", nullptr, Collective::kAllReduce, kFive,
       "one_shot up to 64, detours/2 up to 2048, detours"},
      {"mesh", nullptr, Collective::kReduceScatter, kAll,
       "direct up to 64, multi_tree/2 up to 1024, multi_tree"},
      {"mesh", nullptr, Collective::kReduceScatter, kFive,
       "direct up to 256, ring up to 512, direct up to 2048, direct/2"},
      {"mesh", nullptr, Collective::kAllGather, kAll,
       "direct up to 32, multi_tree up to 64, multi_tree/2 up to 512, multi_tree"},
      {"mesh", nullptr, Collective::kAllGather, kFive, "direct up to 512, ring"},
      {"mesh", nullptr, Collective::kBroadcast, kAll,
       "direct up to 4, tree/2 up to 16, multi_tree/2 up to 512, chain/2 up to 4096, chain"},
      {"mesh", nullptr, Collective::kBroadcast, kFive, "direct up to 64, chain/2 up to 256, chain"},
      {"torus", nullptr, Collective::kAllReduce, kAll,
       "one_shot up to 2, one_shot/2 up to 32, direct/2 up to 64, multi_tree/2 up to 1024, "
       "multi_tree"},
      {"torus", nullptr, Collective::kAllReduce, kFive,
       "one_shot up to 32, multi_tree/2 up to 128, multi_tree up to 256, detours/2 up to 4096, "
       "detours"},
      {"torus", nullptr, Collective::kReduceScatter, kAll,
       "direct up to 64, multi_tree/2 up to 256, multi_tree up to 1024, multi_tree/2 up to 2048, "
       "multi_tree"},
      {"torus", nullptr, Collective::kReduceScatter, kFive, "direct up to 1024, direct/2"},
      {"torus", nullptr, Collective::kAllGather, kAll,
       "direct up to 64, multi_tree/2 up to 2048, multi_tree"},
      {"torus", nullptr, Collective::kAllGather, kFive, "direct"},
      {"torus", nullptr, Collective::kBroadcast, kAll,
       "direct up to 16, tree/2 up to 128, tree up to 256, chain/2 up to 4096, chain"},
      {"torus", nullptr, Collective::kBroadcast, kFive,
       "direct up to 64, chain/2 up to 1024, chain"},
      {"fred_a", nullptr, Collective::kAllReduce, kAll,
       "one_shot up to 35, hier_direct up to 2620, hier_ring"},
      {"fred_a", nullptr, Collective::kAllReduce, kFive,
       "one_shot up to 20, direct up to 325, tree up to 2525, ring"},
      {"fred_a", nullptr, Collective::kReduceScatter, kAll, "hier_direct up to 4600, hier_ring"},
      {"fred_a", nullptr, Collective::kReduceScatter, kFive,
       "direct up to 325, tree up to 2425, ring"},
      {"fred_a", nullptr, Collective::kAllGather, kAll, "direct up to 60, hier_direct"},
      {"fred_a", nullptr, Collective::kAllGather, kFive, "direct up to 3550, ring"},
      {"fred_a", nullptr, Collective::kBroadcast, kAll,
       "direct up to 15, hier_direct up to 80, tree up to 535, chain"},
      {"fred_a", nullptr, Collective::kBroadcast, kFive, "direct up to 60, tree up to 210, chain"},
      {"fred_c", nullptr, Collective::kAllReduce, kAll,
       "one_shot up to 50, direct up to 400, hier_direct up to 3500, hier_ring"},
      {"fred_c", nullptr, Collective::kAllReduce, kFive,
       "one_shot up to 265, direct up to 1925, tree"},
      {"fred_c", nullptr, Collective::kReduceScatter, kAll,
       "direct up to 400, hier_direct up to 6200, hier_ring"},
      {"fred_c", nullptr, Collective::kReduceScatter, kFive, "direct up to 1925, tree"},
      {"fred_c", nullptr, Collective::kAllGather, kAll, "direct up to 300, hier_direct"},
      {"fred_c", nullptr, Collective::kAllGather, kFive, "direct"},
      {"fred_c", nullptr, Collective::kBroadcast, kAll,
       "direct up to 10, hier_direct up to 305, tree up to 1790, chain"},
      {"fred_c", nullptr, Collective::kBroadcast, kFive,
       "direct up to 355, tree up to 1250, chain"},
      {"mesh", nullptr, Collective::kAllReduce, kFour,
       "one_shot up to 64, direct/2 up to 128, detours/2 up to 2048, detours"},
      {"torus", nullptr, Collective::kReduceScatter, kFour, "direct"},
      {"fred_a", nullptr, Collective::kAllReduce, kFour,
       "one_shot up to 30, direct up to 480, tree up to 1340, ring"},
      {"mesh_reducing", nullptr, Collective::kAllReduce, kAll, "in_switch up to 512, multi_tree"},
      {"mesh_reducing", nullptr, Collective::kReduceScatter, kAll,
       "direct up to 128, multi_tree up to 2048, hier_ring"},
      {"mesh_reducing", nullptr, Collective::kAllGather, kAll,
       "direct up to 32, in_switch up to 64, multi_tree up to 2048, hier_ring"},
      {"mesh_reducing", nullptr, Collective::kBroadcast, kAll,
       "direct up to 1, in_switch up to 128, multi_tree up to 1024, chain"},
      {"fred_b", nullptr, Collective::kAllReduce, kAll, "in_switch"},
      {"fred_b", nullptr, Collective::kAllReduce, kThree, "in_switch"},
      {"fred_b", nullptr, Collective::kReduceScatter, kAll,
       "in_switch up to 40, hier_direct up to 4600, hier_ring"},
      {"fred_b", nullptr, Collective::kReduceScatter, kThree, "direct up to 45, in_switch"},
      {"fred_b", nullptr, Collective::kAllGather, kAll,
       "in_switch up to 20, direct up to 60, hier_direct"},
      {"fred_b", nullptr, Collective::kAllGather, kThree, "direct up to 30, in_switch"},
      {"fred_d", nullptr, Collective::kAllReduce, kAll, "in_switch"},
      {"fred_d", nullptr, Collective::kReduceScatter, kAll,
       "direct up to 400, hier_direct up to 6200, hier_ring"},
      {"fred_d", nullptr, Collective::kAllGather, kAll, "direct up to 300, hier_direct"},
      {"mesh", "npu:7", Collective::kAllReduce, kFive,
       "one_shot up to 32, detours up to 64, detours/2 up to 2048, detours"},
      {"mesh", "npu:7", Collective::kReduceScatter, kFive,
       "direct up to 256, ring up to 512, direct up to 2048, direct/2"},
      {"fred_b", "switch:l1_0.s0", Collective::kReduceScatter, kAll,
       "direct up to 60, hier_direct up to 2100, hier_ring"},
      {"fred_b", "switch:l1_0.s0", Collective::kReduceScatter, kThree,
       "direct up to 39, in_switch"},
      {"fred_b", "switch:l1_0.s0", Collective::kAllGather, kAll, "direct up to 80, hier_direct"},
      {"fred_b", "switch:l1_0.s0", Collective::kAllGather, kThree, "direct up to 30, in_switch"},
      {"fred_c", "switch:l1_0.s0", Collective::kAllReduce, kAll,
       "one_shot up to 41, direct up to 301, hier_direct up to 2779, hier_ring"},
      {"fred_c", "switch:l1_0.s0", Collective::kAllReduce, kFive,
       "one_shot up to 215, direct up to 1434, tree"},
      {"fred_c", "switch:l1_0.s0", Collective::kReduceScatter, kAll,
       "direct up to 400, hier_direct up to 2760, hier_ring"},
      {"fred_c", "switch:l1_0.s0", Collective::kReduceScatter, kFive, "direct up to 1505, tree"},
      {"fred_b", "link:npu7.2->l1_1.s2.3", Collective::kReduceScatter, kAll,
       "direct up to 60, hier_direct up to 2100, hier_ring"},
      {"fred_b", "link:npu7.2->l1_1.s2.3", Collective::kReduceScatter, kThree,
       "direct up to 45, in_switch"},
      {"fred_b", "link:npu7.2->l1_1.s2.3", Collective::kAllGather, kAll,
       "direct up to 80, hier_direct"},
      {"fred_b", "link:npu7.2->l1_1.s2.3", Collective::kAllGather, kThree,
       "direct up to 30, in_switch"},
      {"fred_c", "link:npu7.2->l1_1.s2.3", Collective::kAllReduce, kAll,
       "one_shot up to 40, direct up to 337, hier_direct up to 2777, hier_ring"},
      {"fred_c", "link:npu7.2->l1_1.s2.3", Collective::kAllReduce, kFive,
       "one_shot up to 265, direct up to 1880, tree"},
      {"fred_c", "link:npu7.2->l1_1.s2.3", Collective::kReduceScatter, kAll,
       "direct up to 400, hier_direct up to 2780, hier_ring"},
      {"fred_c", "link:npu7.2->l1_1.s2.3", Collective::kReduceScatter, kFive,
       "direct up to 1925, tree"},
      {"fred_d", "switch:l1_0.s0", Collective::kReduceScatter, kAll,
       "direct up to 400, hier_direct up to 2760, hier_ring"},
      // The endpoints are as busy as the switches, which is no reason to leave these.
      {"fred_d", "link:npu0.0->l1_0.s0.0", Collective::kAllReduce, kPair, "in_switch"},
      {"fred_d", "link:npu0.0->l1_0.s0.0", Collective::kAllReduce, kAll, "in_switch"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(taken_by_size(row), row.taken)
        << row.config << (row.fault != nullptr ? std::string(" without ") + row.fault : "") << ", "
        << to_string(row.collective)
        << (row.group.empty() ? " of all" : fmt::format(" of {}", row.group.size()));
  }
}

}  // namespace
}  // namespace fredsim::test
