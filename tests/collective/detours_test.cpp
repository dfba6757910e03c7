// SPDX-License-Identifier: Apache-2.0
// detours: plans of several groups at once, played through; link loads, counted from the routes, at
// or slightly above the program's bound; compared with the bound of the members' links.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "collective/detail/detour_flow.h"
#include "config/config.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

CollectiveSpec detours_of(std::vector<int> group, std::uint64_t bytes) {
  CollectiveSpec spec;
  spec.group = std::move(group);
  spec.algorithm = "detours";
  spec.bytes = bytes;
  return spec;
}

// Groups of 2 to 5 of the given NPUs, disjoint, as many as fit or fewer.
std::vector<std::vector<int>> random_groups(std::vector<int> npus, Random& random) {
  for (std::size_t k = npus.size(); k > 1; --k) std::swap(npus[k - 1], npus[random.below(k)]);
  std::vector<std::vector<int>> groups;
  for (auto at = npus.begin();;) {
    const auto size = static_cast<std::ptrdiff_t>(2 + random.below(4));
    if (npus.end() - at < size) return groups;
    groups.emplace_back(at, at + size);
    at += size;
    if (random.below(6) == 0) return groups;
  }
}

std::vector<CollectiveSpec> work_of(const std::vector<std::vector<int>>& groups,
                                    std::uint64_t bytes) {
  std::vector<CollectiveSpec> work;
  work.reserve(groups.size());
  for (const std::vector<int>& group : groups) work.push_back(detours_of(group, bytes));
  return work;
}

// Cycles of the busiest link that no plan beats, by the program.
double bound_of(const Topology& topology, const std::vector<CollectiveSpec>& work) {
  std::vector<NodeId> npus;
  for (const int npu : npus_left(topology)) npus.push_back(topology.npus[npu]);
  std::vector<DetourGroup> groups;
  for (const CollectiveSpec& spec : work) {
    DetourGroup& group = groups.emplace_back();
    for (const int npu : spec.group)
      group.members.push_back(
          static_cast<int>(std::ranges::find(npus, topology.npus[npu]) - npus.begin()));
    group.flits = static_cast<double>(spec.bytes) / kFlitBytes;
  }
  return concurrent_flow(HopGraph(topology, npus), groups).cycles;
}

double busiest_cycles(const Topology& topology, const Plan& plan) {
  return plan.bound_ns * 1e-9 * static_cast<double>(topology.clock_hz);
}

// Every operand reaches the root, and every result comes from it, along simple paths of NPUs; only
// members have operands and results.
void expect_simple_paths(const Plan& plan) {
  for (const Tree& tree : plan.trees) {
    const Part& part = plan.parts[tree.part];
    std::set<int> roots;
    const auto at = [&](int rank) -> const TreeRank& {
      return *std::ranges::find(tree.ranks, rank, &TreeRank::rank);
    };
    for (const TreeRank& rank : tree.ranks) {
      EXPECT_EQ(rank.contributes, rank.rank < part.ranks());
      EXPECT_EQ(rank.receives, rank.rank < part.ranks());
      int last = rank.rank;
      std::set<int> passed{last};
      for (const TreeRank* next = &rank; !next->reduce_to.empty();) {
        ASSERT_EQ(next->reduce_to.size(), 1U);
        next = &at(next->reduce_to.front().rank);
        ASSERT_TRUE(passed.insert(next->rank).second) << "a detour returns to its sender";
        last = next->rank;
      }
      roots.insert(last);
      for (const Send& send : rank.broadcast_to)
        EXPECT_EQ(at(send.rank).reduce_to.front().rank, rank.rank);
    }
    EXPECT_EQ(roots.size(), 1U);
  }
}

TEST(Detours, RandomGroupsAreCarriedOut) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int width = 2 + static_cast<int>(random.below(4));
    const int height = 2 + static_cast<int>(random.below(3));
    const Topology topology =
        random.below(2) == 0 ? test::mesh(width, height) : test::torus(width, height);
    std::vector<CollectiveSpec> work =
        work_of(random_groups(test::first_ranks(width * height), random), 1);
    for (CollectiveSpec& spec : work) spec.bytes = 1 + random.below(1'000'000);
    if (work.empty()) continue;
    const Plan plan = make_plan(topology, work);
    expect_simple_paths(plan);
    test::expect_plan(topology, work, plan);
  }
}

// Busiest links of long vectors: the program's bound, rounded to packets.
TEST(Detours, LoadsAreThoseOfTheProgram) {
  constexpr std::uint64_t kLong = std::uint64_t{64} << 20U;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(100 + seed);
    const Topology topology = random.below(2) == 0 ? test::mesh(5, 4) : test::torus(4, 4);
    const auto npus = static_cast<int>(topology.npus.size());
    const std::vector<CollectiveSpec> work =
        work_of(random_groups(test::first_ranks(npus), random), kLong);
    const double bound = bound_of(topology, work);
    const double busiest = busiest_cycles(topology, make_plan(topology, work));
    EXPECT_GE(busiest, bound * 0.999);
    EXPECT_LE(busiest, bound * 1.005);
  }
}

// A pair by itself has all links of the NPU that has fewer; short paths have a little more of the
// vector than longer ones.
TEST(Detours, APairHasAllLinksOfItsNpus) {
  const Topology topology = test::mesh(5, 4);
  for (const auto& [group, links] : std::vector<std::pair<std::vector<int>, double>>{
           {{0, 1}, 2}, {{0, 19}, 2}, {{1, 3}, 3}, {{2, 7}, 3}, {{6, 7}, 4}, {{6, 13}, 4}}) {
    SCOPED_TRACE(fmt::format("{} {}", group[0], group[1]));
    constexpr std::uint64_t kBytes = 1U << 30U;
    const std::vector<CollectiveSpec> work{detours_of(group, kBytes)};
    const double seconds = kBytes / (links * test::kMeshLink);
    EXPECT_NEAR(make_plan(topology, work).bound_ns / 1e9, seconds, seconds * 1e-3);
  }
}

// Ten pairs on 5 x 4, each of neighbours: two thirds of the time of the link between them.
TEST(Detours, TenPairsOfNeighboursGainHalf) {
  const Topology topology = test::mesh(5, 4);
  constexpr std::uint64_t kBytes = 16U << 20U;
  const std::vector<CollectiveSpec> work = work_of(
      {{0, 5}, {1, 2}, {3, 4}, {6, 11}, {7, 8}, {9, 14}, {10, 15}, {12, 13}, {16, 17}, {18, 19}},
      kBytes);
  const double seconds = kBytes / test::kMeshLink * 2 / 3;
  EXPECT_NEAR(make_plan(topology, work).bound_ns / 1e9, seconds, seconds * 2e-3);
}

TEST(Detours, GoesRoundFailedNpusAndSlowLinks) {
  const Topology whole = test::mesh(5, 4);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(200 + seed);
    const int lost = static_cast<int>(random.below(20));
    const int x = static_cast<int>(random.below(4)), y = static_cast<int>(random.below(4));
    const std::string faults =
        fmt::format("faults=['npu:{}', 'link:r{}_{}.1->r{}_{}.3*0.5']", lost, x, y, x + 1, y);
    SCOPED_TRACE(fmt::format("seed {} {}", seed, faults));
    Topology topology;
    try {
      topology = load_config("configs/mesh.yaml", {faults}).topology;
    } catch (const BadInput& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    std::vector<int> npus = test::first_ranks(20);
    std::erase(npus, lost);
    const std::vector<CollectiveSpec> work = work_of(random_groups(npus, random), 3'000'000);
    const Plan plan = make_plan(topology, work);
    expect_simple_paths(plan);
    test::expect_plan(topology, work, plan);
    EXPECT_GE(busiest_cycles(topology, plan), bound_of(topology, work) * 0.999);
  }
}

TEST(Detours, OtherGroupsAreRefused) {
  const Topology topology = test::mesh(5, 4);
  const CollectiveSpec six = detours_of({0, 1, 2, 3, 4, 5}, 4096);
  EXPECT_THROW(make_plan(topology, {&six, 1}), BadInput);
  const Topology tree = test::fred_tree();
  const CollectiveSpec pair = detours_of({0, 1}, 4096);
  EXPECT_THROW(make_plan(tree, {&pair, 1}), BadInput);
}

}  // namespace
}  // namespace fredsim
