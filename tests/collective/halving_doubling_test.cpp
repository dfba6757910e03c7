// SPDX-License-Identifier: Apache-2.0
// halving_doubling: its trees, their results, and the bytes between partners, by formula. Random
// groups, sizes and fabrics from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "support/collective_specs.h"
#include "switch/node_shape.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr Collective kOfAllRanks[] = {Collective::kAllReduce, Collective::kReduceScatter,
                                      Collective::kAllGather};

std::vector<Topology> halving_machines() {
  return {mesh(4, 4),  torus(4, 4),          reducing_mesh(4, 4),
          fred_tree(), fred_tree({}, false), torus3d(4, 2, 2, 2)};
}

CollectiveSpec halving_spec(Collective collective, std::vector<int> group, std::uint64_t bytes) {
  return spec_of(collective, std::move(group), bytes, {.algorithm = "halving_doubling"});
}

int highest_bit(int number) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(number)));
}

TEST(HalvingDoubling, GivesEveryRankItsResult) {
  const std::vector<Topology> fabrics = halving_machines();
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Topology& topology = fabrics[random.below(fabrics.size())];
    std::vector<int> group = first_ranks(16);
    for (std::size_t i = group.size() - 1; i > 0; --i)
      std::swap(group[i], group[random.below(i + 1)]);
    group.resize(std::size_t{2} << random.below(4));
    const std::uint64_t bytes = 1 + random.below(100'000);
    for (const Collective collective : kOfAllRanks) {
      SCOPED_TRACE(fmt::format("seed {}: {} of {} bytes by {} ranks on {}", seed,
                               to_string(collective), bytes, group.size(), topology.name));
      const std::vector<CollectiveSpec> work{halving_spec(collective, group, bytes)};
      const Plan plan = make_plan(topology, work);
      EXPECT_EQ(plan.parts[0].algorithm, "halving_doubling");
      expect_plan(topology, work, plan);
    }
  }
}

TEST(HalvingDoubling, GoesByTheHighestBitInWhichRanksDiffer) {
  const Topology topology = torus3d(4, 2, 2);
  const Plan plan =
      make_plan(topology, Collective::kAllReduce, first_ranks(16), 16 * 512, "halving_doubling");
  ASSERT_EQ(plan.trees.size(), 16U);
  for (int owner = 0; owner < 16; ++owner) {
    const Tree& tree = plan.trees[owner];
    EXPECT_EQ(tree.first_flit, static_cast<std::uint64_t>(owner));
    for (const TreeRank& rank : tree.ranks) {
      SCOPED_TRACE(fmt::format("owner {}, rank {}", owner, rank.rank));
      const int apart = rank.rank ^ owner;
      if (apart == 0) {
        EXPECT_TRUE(rank.reduce_to.empty());
      } else {
        ASSERT_EQ(rank.reduce_to.size(), 1U);
        EXPECT_EQ(rank.reduce_to[0].rank, rank.rank ^ highest_bit(apart));
      }
      // Steps: sums from the farthest partner first, results to the nearest first.
      std::vector<int> farthest_first;
      for (int bit = 8; bit > (apart == 0 ? 0 : highest_bit(apart)); bit /= 2)
        farthest_first.push_back(rank.rank ^ bit);
      EXPECT_EQ(rank.reduce_from, farthest_first);
      std::vector<int> results;
      for (const Send& send : rank.broadcast_to) results.insert(results.begin(), send.rank);
      EXPECT_EQ(results, farthest_first);
    }
  }
}

// Among p ranks, ranks d apart exchange d/p of the vector, once each way or, in an all-reduce,
// twice; all other pairs exchange nothing.
TEST(HalvingDoubling, SendsHalfAQuarterAndSoOn) {
  for (const Topology& topology : halving_machines()) {
    for (const int ranks : {2, 4, 8, 16}) {
      const std::uint64_t bytes = 512ULL * 20 * static_cast<std::uint64_t>(ranks);
      for (const Collective collective : kOfAllRanks) {
        SCOPED_TRACE(
            fmt::format("{} by {} ranks on {}", to_string(collective), ranks, topology.name));
        const std::vector<CollectiveSpec> work{halving_spec(collective, first_ranks(ranks), bytes)};
        const Plan plan = make_plan(topology, work);
        std::map<std::pair<int, int>, std::uint64_t> sent, expected;
        for (const Tree& tree : plan.trees) {
          for (const TreeRank& rank : tree.ranks) {
            for (const auto* sends : {&rank.reduce_to, &rank.broadcast_to})
              for (const Send& send : *sends) sent[{rank.rank, send.rank}] += tree.bytes;
          }
        }
        const std::uint64_t times = collective == Collective::kAllReduce ? 2 : 1;
        for (int rank = 0; rank < ranks; ++rank) {
          for (int apart = 1; apart < ranks; apart *= 2) {
            expected[{rank, rank ^ apart}] = times * bytes * static_cast<std::uint64_t>(apart) /
                                             static_cast<std::uint64_t>(ranks);
          }
        }
        EXPECT_EQ(sent, expected);
      }
    }
  }
}

TEST(HalvingDoubling, RefusesOtherSizesOfGroupsAndCollectives) {
  const Topology topology = mesh(4, 4);
  for (const int ranks : {3, 5, 6, 7, 12, 15}) {
    try {
      make_plan(topology, Collective::kAllReduce, first_ranks(ranks), 4096, "halving_doubling");
      ADD_FAILURE() << ranks << " ranks are planned";
    } catch (const BadInput& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find(fmt::format("has {}; allowed: auto", ranks)), std::string::npos) << said;
    }
  }
  EXPECT_THROW(
      make_plan(topology, Collective::kBroadcast, first_ranks(4), 4096, "halving_doubling"),
      BadInput);
}

// It is raced with all algorithms if switches have no phases (collective/choice.h).
TEST(HalvingDoubling, IsNotTakenByEstimates) {
  for (const Topology& topology : halving_machines()) {
    if (!topology.has_places() && !has_phases(topology)) continue;
    for (const std::uint64_t bytes : {512, 64 << 10, 4 << 20}) {
      const Plan plan = make_plan(topology, Collective::kAllReduce, first_ranks(8), bytes, "auto");
      EXPECT_NE(plan.parts[0].algorithm, "halving_doubling") << topology.name << ", " << bytes;
    }
  }
}

}  // namespace
}  // namespace fredsim::test
