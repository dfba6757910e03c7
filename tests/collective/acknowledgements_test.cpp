// SPDX-License-Identifier: Apache-2.0
// Acknowledgements in random works on all kinds of fabric: every source that sees no result gets
// acknowledgements, one-way traffic is acknowledged in the other direction, and no other rank gets
// any.

#include "plan/acknowledgements.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "fabrics.h"
#include "routing/nic_port.h"
#include "support/random_work.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

using Edges = std::set<std::pair<int, int>>;  // from, to

const TreeRank* rank_of(const Tree& tree, int rank) {
  const auto found = std::ranges::find(tree.ranks, rank, &TreeRank::rank);
  return found == tree.ranks.end() ? nullptr : &*found;
}

// Some leaf waits whose sums go through it.
bool leads_to_a_waiting_leaf(const Tree& tree, const TreeRank& rank) {
  if (waits_for_acknowledgements(tree, rank)) return true;
  return std::ranges::any_of(rank.reduce_from, [&](int from) {
    return leads_to_a_waiting_leaf(tree, *rank_of(tree, from));
  });
}

void expect_acknowledged(const Topology& topology, const Plan& plan, const Tree& tree) {
  const std::vector<NodeId>& members = plan.parts[tree.part].members;
  Edges results, sums, results_back, sums_back;
  for (const TreeRank& rank : tree.ranks) {
    for (const Send& to : rank.broadcast_to) results.emplace(to.rank, rank.rank);
    for (const Send& to : rank.reduce_to) {
      if (leads_to_a_waiting_leaf(tree, rank)) sums.emplace(to.rank, rank.rank);
    }
    EXPECT_EQ(rank.results_acknowledged, tree.is_acknowledged && !rank.broadcast_to.empty());
    EXPECT_LE(rank.acknowledge_results.size(), 1U);
    for (const auto* sends : {&rank.acknowledge_results, &rank.acknowledge_sums}) {
      for (const Send& to : *sends) {
        (sends == &rank.acknowledge_results ? results_back : sums_back).emplace(rank.rank, to.rank);
        EXPECT_EQ(to.vc, kControl);
        EXPECT_EQ(to.port, nic_port(topology, members[rank.rank], members[to.rank], to.port));
      }
    }
  }
  const bool needed = std::ranges::any_of(
      tree.ranks, [&](const TreeRank& rank) { return waits_for_acknowledgements(tree, rank); });
  EXPECT_EQ(tree.is_acknowledged, needed);
  EXPECT_EQ(results_back, needed ? results : Edges{});
  EXPECT_EQ(sums_back, needed ? sums : Edges{});
  for (const TreeRank& rank : tree.ranks) {
    const bool told =
        std::ranges::any_of(sums_back, [&](const auto& edge) { return edge.second == rank.rank; });
    EXPECT_EQ(rank.sums_acknowledged, told) << rank.rank;
    if (waits_for_acknowledgements(tree, rank)) {
      EXPECT_TRUE(rank.results_acknowledged || rank.sums_acknowledged) << rank.rank;
    }
  }
}

class RandomPlans : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomPlans, EverySourceIsTold) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const Topology fabrics[] = {mesh(3, 4), torus(4, 3), fred_tree(), fred_tree({}, false),
                              reducing_mesh(3, 3)};
  const Topology& topology = fabrics[GetParam() % 5];
  int acknowledged = 0;
  for (int run = 0; run < 20; ++run) {
    const auto npus = static_cast<int>(topology.npus.size());
    Plan plan;
    try {
      plan = make_plan(topology, random_work(random, npus, 3, 1'000'000), OnConflict::kLater);
    } catch (const BadInput&) {
      continue;
    }
    for (const Tree& tree : plan.trees) {
      expect_acknowledged(topology, plan, tree);
      acknowledged += tree.is_acknowledged ? 1 : 0;
    }
  }
  EXPECT_GT(acknowledged, 0);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, testing::Range<std::uint64_t>(0, 10));

// One for every batch, up to the one after which the rest may be sent.
TEST(AcknowledgementCount, EndsWhereNoSourceWaits) {
  Part part;
  part.window = 5;  // 20 including outstanding acknowledgements
  const Tree tree;
  TreeRank rank;
  rank.acknowledge_sums.resize(2);
  for (const auto& [packets, each] :
       {std::pair{1, 0}, {20, 0}, {21, 1}, {36, 1}, {37, 2}, {53, 3}}) {
    EXPECT_EQ(acknowledgements(part, tree, rank, static_cast<std::uint64_t>(packets)),
              static_cast<std::uint64_t>(2 * each))
        << packets;
  }
}

}  // namespace
}  // namespace fredsim::test
