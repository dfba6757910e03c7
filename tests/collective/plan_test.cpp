// SPDX-License-Identifier: Apache-2.0
// make_plan as a whole: choice of algorithm, refusals, size and speed of a plan.

#include <gtest/gtest.h>

#include <ctime>

#include "base/error.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::first_ranks;

std::string refusal(const Topology& topology, Collective collective, const std::vector<int>& group,
                    std::uint64_t bytes, const std::string& algorithm) {
  try {
    make_plan(topology, collective, group, bytes, algorithm);
    return "";
  } catch (const BadInput& e) {
    return e.what();
  }
}

void expect_says(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' not in: " << message;
}

TEST(Plan, SizesInFlits) {
  const Topology topology = test::mesh(5, 4);
  for (const auto& [bytes, flits] :
       {std::pair<std::uint64_t, std::uint64_t>{1, 1}, {512, 1}, {513, 2}, {1 << 20, 2048}}) {
    const Plan plan = make_plan(topology, Collective::kAllReduce, {3, 4}, bytes, "ring");
    EXPECT_EQ(plan.parts[0].bytes, bytes);
    EXPECT_EQ(test::flits_sent(plan), (std::vector<std::uint64_t>{flits, flits}));
    EXPECT_EQ(plan.parts[0].packet_flits, kPacketFlits);
  }
}

TEST(Plan, AloneNothingIsSent) {
  for (const Topology& topology : {test::mesh(5, 4), test::fred_tree()}) {
    const Plan plan = make_plan(topology, Collective::kAllReduce, {6}, 10'000, "auto");
    test::expect_all_reduce(topology, plan);
    EXPECT_EQ(plan.trees.size(), 1U);
    EXPECT_EQ(test::flits_sent(plan), std::vector<std::uint64_t>{0});
    EXPECT_EQ(plan.bound_ns, 0);
    EXPECT_TRUE(plan.programs.empty());
  }
}

TEST(Plan, RefusesWhatDoesNotExist) {
  const Topology mesh = test::mesh(5, 4);
  const Topology fred = test::fred_tree();
  const Topology endpoint = test::fred_tree({}, false);
  const std::vector<int> all = first_ranks(20);
  constexpr Collective kAllReduce = Collective::kAllReduce;
  expect_says(refusal(mesh, Collective::kUnicast, all, 512, "auto"), {"unicast", "20 members"});
  expect_says(refusal(fred, Collective::kUnicast, {7}, 512, "auto"),
              {"group: 1 member found, unicast", "allowed: two members"});
  expect_says(refusal(mesh, Collective::kGather, all, 512, "ring"), {"gather", "direct"});
  expect_says(refusal(fred, Collective::kAllToAll, all, 512, "in_switch"),
              {"in_switch", "all_to_all", "direct"});
  expect_says(refusal(fred, Collective::kAllToAllV, all, 512, "auto"), {"matrix", "20 × 20"});
  expect_says(refusal(mesh, kAllReduce, all, 0, "auto"), {"size", "0 bytes"});
  expect_says(refusal(mesh, kAllReduce, {}, 512, "auto"), {"group: found none"});
  expect_says(refusal(mesh, kAllReduce, {0, 20}, 512, "auto"), {"NPU 20", "0 to 19"});
  expect_says(refusal(mesh, kAllReduce, {-1}, 512, "auto"), {"io0", "none"});
  expect_says(refusal(mesh, kAllReduce, {3, 4, 3}, 512, "auto"), {"NPU 3", "twice"});
  expect_says(refusal(mesh, kAllReduce, all, 512, "heir_ring"), {"did you mean 'hier_ring'"});
  expect_says(refusal(mesh, kAllReduce, all, 512, "in_switch"), {"in_switch", "ring"});
  expect_says(refusal(mesh, kAllReduce, {0, 1}, 512, "hier_ring"), {"hier_ring", "ring"});
  expect_says(refusal(test::mesh(6, 1), kAllReduce, first_ranks(6), 512, "hier_ring"), {"6 × 1"});
  expect_says(refusal(fred, kAllReduce, {0, 1, 4}, 512, "hier_ring"), {"hier_ring", "ring"});
  expect_says(refusal(endpoint, kAllReduce, all, 512, "in_switch"), {"in-switch", "ring"});
}

TEST(Plan, SizeDoesNotGrowWithTheVector) {
  for (const Topology& topology : {test::mesh(5, 4), test::fred_tree()}) {
    const Plan small =
        make_plan(topology, Collective::kAllReduce, first_ranks(20), 1 << 20, "auto");
    const Plan huge = make_plan(topology, Collective::kAllReduce, first_ranks(20),
                                std::uint64_t{1} << 53, "auto");
    EXPECT_EQ(small.trees.size(), huge.trees.size());
    EXPECT_EQ(small.programs.size(), huge.programs.size());
    test::expect_all_reduce(topology, huge);
  }
}

TEST(Plan, IsMadeFast) {
  for (const Topology& topology : {test::mesh(5, 4), test::fred_tree()}) {
    const std::clock_t start = std::clock();
    make_plan(topology, Collective::kAllReduce, first_ranks(20), 1 << 24, "auto");
    const double took = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    RecordProperty(topology.name + "_us", static_cast<int>(1000 * took));
    EXPECT_LT(took, 50) << "ms of processor time, " << topology.name;
  }
}

}  // namespace
}  // namespace fredsim
