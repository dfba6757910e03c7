// SPDX-License-Identifier: Apache-2.0
#include "plan/channels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fabrics.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

Plan plan_of(const std::vector<int>& priorities) {
  Plan plan;
  for (const int vc : priorities) {
    plan.parts.emplace_back();
    plan.parts.back().vc = vc;
  }
  return plan;
}

TEST(Channels, APartAloneHasAllDataChannels) {
  const Topology topology = test::fred_tree();
  for (const int vc : {kMp, kPp, kDp}) {
    EXPECT_EQ(channels_of(topology, plan_of({vc}), 0), (std::vector<int>{kMp, kPp, kDp}));
    EXPECT_EQ(channels_of(topology, plan_of({vc, vc}), 1), (std::vector<int>{kMp, kPp, kDp}));
  }
}

TEST(Channels, FreeOnesGoToTheNextLowerPriorityElseToTheNextHigher) {
  const Topology topology = test::fred_tree();
  const auto expect = [&](const std::vector<int>& priorities,
                          const std::vector<std::vector<int>>& channels) {
    for (std::size_t part = 0; part < priorities.size(); ++part) {
      EXPECT_EQ(channels_of(topology, plan_of(priorities), static_cast<int>(part)), channels[part])
          << fmt::format("{} part {}", priorities, part);
    }
  };
  expect({kMp, kDp}, {{kMp}, {kPp, kDp}});
  expect({kDp, kMp}, {{kPp, kDp}, {kMp}});
  expect({kPp, kDp}, {{kMp, kPp}, {kDp}});
  expect({kMp, kPp}, {{kMp}, {kPp, kDp}});
  expect({kMp, kPp, kDp}, {{kMp}, {kPp}, {kDp}});
}

// Holds for any order of the channels and any priorities in use.
TEST(Channels, OfDifferentPrioritiesAreNeverSharedNorOutOfOrder) {
  Topology topology = test::fred_tree();
  VcOrder& order = topology.vc_order;
  std::ranges::sort(order);
  do {
    for (unsigned used = 1; used < 8; ++used) {
      std::vector<int> priorities;
      for (const int vc : {kMp, kPp, kDp}) {
        if ((used >> vc & 1U) != 0) priorities.push_back(vc);
      }
      const Plan plan = plan_of(priorities);
      std::vector<int> all;
      std::ranges::sort(priorities, {}, [&](int vc) { return priority_rank(order, vc); });
      for (const int vc : priorities) {
        const auto part = std::ranges::find(plan.parts, vc, &Part::vc) - plan.parts.begin();
        const std::vector<int> channels = channels_of(topology, plan, static_cast<int>(part));
        EXPECT_EQ(std::ranges::count(channels, vc), 1);
        all.insert(all.end(), channels.begin(), channels.end());
      }
      EXPECT_EQ(all.size(), 3U);
      EXPECT_TRUE(std::ranges::is_sorted(all, {}, [&](int vc) { return priority_rank(order, vc); }))
          << fmt::format("order {} priorities {}", order, priorities);
    }
  } while (std::ranges::next_permutation(order).found);
}

// VCs of an all-to-all's flits, by how far the receiver is behind the sender in the group.
std::vector<int> channels_by_offset(const Topology& topology, const std::vector<int>& priorities) {
  constexpr int kRanks = 4;
  std::vector<CollectiveSpec> work;
  for (const int vc : priorities) {
    CollectiveSpec& spec = work.emplace_back();
    spec.collective = Collective::kAllToAll;
    spec.group = test::first_ranks(kRanks);
    spec.bytes = 10'000;
    spec.vc = vc;
  }
  std::vector<int> channels(kRanks - 1, -1);
  const Plan plan = make_plan(topology, work);
  for (const Tree& tree : plan.trees) {
    if (tree.part != 0) continue;
    for (const TreeRank& rank : tree.ranks) {
      for (const Send& send : rank.reduce_to) {
        int& channel = channels[(send.rank - rank.rank + kRanks) % kRanks - 1];
        EXPECT_TRUE(channel == -1 || channel == send.vc);
        channel = send.vc;
      }
    }
  }
  EXPECT_EQ(plan.notes.size(), channels[0] == channels[1] ? 0U : 1U);
  return channels;
}

TEST(Channels, AnAllToAllOnAMeshTakesThemInTurn) {
  EXPECT_EQ(channels_by_offset(test::mesh(3, 2), {kDp}), (std::vector<int>{kPp, kDp, kMp}));
  EXPECT_EQ(channels_by_offset(test::mesh(3, 2), {kDp, kMp}), (std::vector<int>{kDp, kPp, kDp}));
  EXPECT_EQ(channels_by_offset(test::fred_tree(), {kDp}), (std::vector<int>{kDp, kDp, kDp}));
  EXPECT_EQ(channels_by_offset(test::fred_tree({}, false), {kPp}),
            (std::vector<int>{kPp, kPp, kPp}));
}

}  // namespace
}  // namespace fredsim
