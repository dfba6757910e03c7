// SPDX-License-Identifier: Apache-2.0
// Shares of processes in plans: together they are the whole plan, and each has the totals of the
// rest that a run counts.
#include "operations/own_ranks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabrics.h"
#include "plan/link_load.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::first_ranks;

using OwnHop = std::tuple<int, int, int, int, bool>;  // rank, receiver, port, VC, of a result

// Role of a rank: its additions, and whether it contributes and receives.
using OwnRole = std::tuple<std::vector<int>, bool, bool, std::vector<OwnHop>>;

OwnRole own_role(const TreeRank& rank) {
  std::vector<OwnHop> hops;
  for (const Send& send : rank.reduce_to)
    hops.emplace_back(rank.rank, send.rank, send.port, send.vc, false);
  for (const Send& send : rank.broadcast_to)
    hops.emplace_back(rank.rank, send.rank, send.port, send.vc, true);
  return {rank.reduce_from, rank.contributes, rank.receives, hops};
}

void expect_own_shares(const Topology& topology, const Plan& whole, std::uint64_t seed) {
  Random random(seed);
  const auto processes = 1 + static_cast<int>(random.below(5));
  std::map<NodeId, int> process_of;
  for (const Part& part : whole.parts)
    for (const NodeId member : part.members)
      process_of[member] = static_cast<int>(random.below(processes));
  std::vector<std::map<int, OwnRole>> found(whole.trees.size());  // by tree and rank
  std::vector<bool> is_whole(whole.trees.size());
  for (int process = 0; process < processes; ++process) {
    Plan own = whole;
    keep_own_ranks(own, [&](NodeId node) { return process_of.at(node) == process; });
    EXPECT_EQ(receivers_of_parts(own), receivers_of_parts(whole));
    EXPECT_EQ(needs_online_routes(topology, own), needs_online_routes(topology, whole));
    ASSERT_EQ(own.trees.size(), whole.trees.size());
    for (std::size_t t = 0; t < own.trees.size(); ++t) {
      const Tree& tree = own.trees[t];
      EXPECT_EQ(tree.ranks.receivers(), whole.trees[t].ranks.receivers());
      EXPECT_EQ(tree.ranks.whole_size(), whole.trees[t].ranks.size());
      EXPECT_EQ(tree.order.postfix(), whole.trees[t].order.postfix());
      if (tree.transport == Transport::kInSwitch) {
        EXPECT_EQ(tree.ranks.size(), whole.trees[t].ranks.size());
        is_whole[t] = true;
        continue;
      }
      for (const TreeRank& rank : tree.ranks) {
        EXPECT_EQ(process_of.at(own.parts[tree.part].members[rank.rank]), process);
        EXPECT_TRUE(found[t].emplace(rank.rank, own_role(rank)).second);
      }
    }
  }
  for (std::size_t t = 0; t < whole.trees.size(); ++t) {
    if (is_whole[t]) continue;
    std::map<int, OwnRole> all;
    for (const TreeRank& rank : whole.trees[t].ranks) all.emplace(rank.rank, own_role(rank));
    EXPECT_EQ(found[t], all);
  }
}

TEST(OwnRanksTest, SharesOfProcessesAreThePlanTogether) {
  const std::vector<std::pair<Topology, std::vector<std::string>>> fabrics{
      {test::mesh(5, 4), {"hier_ring", "ring", "multi_tree"}},
      {test::torus(4, 4), {"ring", "multi_tree"}},
      {test::torus3d(2, 3, 4), {"ring"}},
      {test::fred_tree(), {"in_switch", "hier_ring"}}};
  std::uint64_t seed = 1;
  for (const auto& [topology, algorithms] : fabrics) {
    for (const std::string& algorithm : algorithms) {
      for (const Collective collective : {Collective::kAllReduce, Collective::kReduceScatter}) {
        SCOPED_TRACE(testing::Message() << topology.name << ", " << algorithm << ", seed " << seed);
        const auto npus = static_cast<int>(topology.npus.size());
        expect_own_shares(topology,
                          make_plan(topology, collective, first_ranks(npus), 50'000, algorithm),
                          seed++);
      }
    }
  }
}

// A rank without a role in any tree receives nothing, and a root of a reduce alone does.
TEST(OwnRanksTest, ReceiversAreThoseOfTheCollective) {
  const Topology topology = test::mesh(4, 4);
  for (const auto& [collective, receivers] :
       {std::pair{Collective::kReduce, 1}, {Collective::kAllReduce, 16}}) {
    Plan plan = make_plan(topology, collective, first_ranks(16), 10'000, "auto");
    keep_own_ranks(plan, [](NodeId /*node*/) { return false; });
    EXPECT_EQ(receivers_of_parts(plan), std::vector<int>{receivers});
    for (const Tree& tree : plan.trees) EXPECT_TRUE(tree.ranks.empty());
  }
}

}  // namespace
}  // namespace fredsim
