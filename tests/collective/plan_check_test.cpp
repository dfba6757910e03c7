// SPDX-License-Identifier: Apache-2.0
// Checks of plans: plans of all algorithms on random machines are taken, planted faults are refused
// by name.
#include "collective/plan_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "collective/algorithm.h"
#include "fabrics.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

Topology random_machine(Random& random) {
  const auto side = [&] { return 2 + static_cast<int>(random.below(4)); };
  switch (random.below(5)) {
    case 0:
      return mesh(side(), side());
    case 1:
      return torus(side(), side());
    case 2:
      return reducing_mesh(side(), side());
    case 3:
      return circulant(4 + static_cast<int>(random.below(8)), {1, 2});
    default:
      return fred_tree({}, random.below(2) == 0);
  }
}

std::vector<int> random_group(std::size_t npus, Random& random) {
  std::vector<int> group = first_ranks(static_cast<int>(npus));
  for (std::size_t k = group.size(); k > 1; --k) std::swap(group[k - 1], group[random.below(k)]);
  group.resize(2 + random.below(npus - 1));
  return group;
}

// The planner checks every plan itself: for sound input it throws only BadInput, if an algorithm
// does not fit.
TEST(PlanCheck, TakesPlansOfAllAlgorithms) {
  constexpr std::uint64_t kSeeds = 60;
  int planned = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    const Topology topology = random_machine(random);
    const std::vector<int> group = random_group(topology.npus.size(), random);
    const std::uint64_t bytes = 1 + random.below(300'000);
    for (const Algorithm* algorithm : algorithms()) {
      for (const Collective collective :
           {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
            Collective::kReduce, Collective::kBroadcast, Collective::kAllToAll, Collective::kGather,
            Collective::kScatter}) {
        if (!algorithm->has(collective)) continue;
        SCOPED_TRACE(fmt::format("seed {}: {} {} on {}", seed, algorithm->name(),
                                 to_string(collective), topology.name));
        try {
          const Plan plan =
              make_plan(topology, collective, group, bytes, std::string(algorithm->name()));
          EXPECT_NO_THROW(check_plan(topology, plan));
          ++planned;
        } catch (const BadInput&) {
          continue;
        } catch (const RoutingConflict&) {
          continue;
        }
      }
    }
  }
  EXPECT_GT(planned, 500);
}

TreeRank& of(Tree& tree, int rank) { return *std::ranges::find(tree.ranks, rank, &TreeRank::rank); }

// Message of the check for a plan with a fault.
std::string message(const Topology& topology, Plan plan, const std::function<void(Plan&)>& plant) {
  plant(plan);
  try {
    check_plan(topology, plan);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "no fault";
}

// Sums 1 -> 2 -> 3 -> 0, results 0 -> 1 -> 2 -> 3.
std::string of_ring(const std::function<void(Tree&)>& plant) {
  const Topology topology = mesh(4, 2);
  return message(topology, make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 4096, "ring"),
                 [&](Plan& plan) { plant(plan.trees.front()); });
}

TEST(PlanCheck, NamesHopsThatAreNone) {
  EXPECT_EQ(of_ring([](Tree&) {}), "no fault");
  EXPECT_EQ(of_ring([](Tree& tree) { of(tree, 1).reduce_to.front().rank = 1; }),
            "plan of ring: npu1 sends flow 0 to itself");
  EXPECT_EQ(of_ring([](Tree& tree) {
              of(tree, 2).reduce_to.front().rank = 1;
              of(tree, 1).reduce_from = {2};
            }),
            "plan of ring: npu2 sends flow 0 back to its sender npu1");
  EXPECT_EQ(of_ring([](Tree& tree) {
              of(tree, 3).reduce_to.front().rank = 1;
              of(tree, 0).reduce_from.clear();
              of(tree, 1).reduce_from = {3};
            }),
            "plan of ring: sums of flow 0 go round in a circle by npu3 and npu1");
  EXPECT_EQ(of_ring([](Tree& tree) {
              of(tree, 2).reduce_from = {1, 1};
            }),
            "plan of ring: npu2 adds what npu1 sends of flow 0 twice");
  EXPECT_EQ(of_ring([](Tree& tree) { of(tree, 2).reduce_from.clear(); }),
            "plan of ring: npu2 adds nothing of what npu1 sends it of flow 0");
  EXPECT_EQ(of_ring([](Tree& tree) { of(tree, 1).reduce_to.clear(); }),
            "plan of ring: npu2 never receives a sum of flow 0 that it adds, from rank 1");
  EXPECT_EQ(of_ring([](Tree& tree) { of(tree, 2).broadcast_to.clear(); }),
            "plan of ring: npu3 never receives the result of flow 0");
  EXPECT_EQ(of_ring([](Tree& tree) { of(tree, 3).broadcast_to = of(tree, 1).broadcast_to; }),
            "plan of ring: npu3 sends flow 0 back to its sender npu2");
  EXPECT_EQ(of_ring([](Tree& tree) {
              of(tree, 0).broadcast_to.push_back(of(tree, 2).broadcast_to.front());
            }),
            "plan of ring: npu3 receives the result of flow 0 twice, from npu0 and npu2");
}

TEST(PlanCheck, NamesOperandsThatComeTwice) {
  const Topology topology = mesh(3, 2);
  const Plan blocks =
      make_plan(topology, Collective::kAllToAll, first_ranks(6), 6 * 8 * 512, "two_phase");
  EXPECT_EQ(message(topology, blocks, [](Plan&) {}), "no fault");
  const std::string twice = message(topology, blocks, [](Plan& plan) {
    for (std::size_t t = 1; t < plan.trees.size(); ++t) {
      Tree& half = plan.trees[t];
      const Tree& other = plan.trees[t - 1];
      if (half.ranks.size() < 3 || other.ranks.size() < 3 ||
          half.order.root() != other.order.root() ||
          half.first_flit != other.first_flit + other.flits)
        continue;
      half.first_flit = other.first_flit;
      return;
    }
  });
  EXPECT_NE(twice.find(" twice, by flows "), std::string::npos) << twice;
  const Plan sums = make_plan(topology, Collective::kAllReduce, first_ranks(6), 4096, "one_shot");
  const std::string added = message(topology, sums, [](Plan& plan) {
    const auto sum = std::ranges::find_if(plan.trees, [](const Tree& t) { return t.operands > 0; });
    *(sum - 1) = *(sum - 2);
  });
  EXPECT_NE(added.find("the operand of npu"), std::string::npos) << added;
  EXPECT_NE(added.find(" is added twice in flow "), std::string::npos) << added;
}

TEST(PlanCheck, NamesRelaysWithOperands) {
  const Topology topology = mesh(5, 4);
  const Plan plan = make_plan(topology, Collective::kAllReduce, {6, 7}, 1U << 20U, "detours");
  const std::string relay = message(topology, plan, [](Plan& with) {
    for (Tree& tree : with.trees)
      for (TreeRank& rank : tree.ranks)
        if (rank.rank >= with.parts.front().ranks()) rank.contributes = true;
  });
  EXPECT_NE(relay.find("plan of detours: relay npu"), std::string::npos) << relay;
}

}  // namespace
}  // namespace fredsim::test
