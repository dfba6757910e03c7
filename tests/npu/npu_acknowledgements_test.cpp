// SPDX-License-Identifier: Apache-2.0
// Acknowledgements of an NPU, and its progress by acknowledgements from other ranks; expectations
// follow from plan/acknowledgements.h.

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "npu/npu_bench.h"
#include "plan/acknowledgements.h"

namespace fredsim::test {
namespace {

// The root of a multicast sees no result: it proceeds by the acknowledgements of all receivers, a
// batch of packets at a time, and may be one batch further ahead than its window.
TEST_F(NpuTest, AHeadGoesByTheSlowestThatAcknowledges) {
  simulation_.run([&] {
    constexpr int kPackets = 60;
    add_tree(kPackets,
             {{.rank = 0, .contributes = true, .broadcast_to = {{.rank = 1}, {.rank = 2}}},
              {.rank = 1, .receives = true},
              {.rank = 2, .receives = true}},
             {0});
    const int window = 3;
    const int batch = kAcknowledgePackets;
    start(window);
    const auto sent = [&] { return std::ssize(nic_.sent) / 2; };  // to each
    EXPECT_EQ(sent(), window + batch - 1);
    acknowledge(2, 1, 16);
    acknowledge(2, 1, 32);
    EXPECT_EQ(sent(), window + batch - 1);
    acknowledge(1, 1, 16);
    EXPECT_EQ(sent(), window + 2 * batch - 1);
    acknowledge(1, 1, 32);
    EXPECT_EQ(sent(), window + 3 * batch - 1);
    acknowledge(1, 1, 48);
    acknowledge(2, 1, 48);
    EXPECT_EQ(sent(), kPackets);
    EXPECT_TRUE(npu_.complete());
    EXPECT_EQ(npu_.acknowledgements(), 0U);
    EXPECT_FALSE(job_->failed()) << job_->failure();
  });
}

// The leaf of a reduction likewise proceeds by the acknowledgements of the root.
TEST_F(NpuTest, ALeafGoesByTheAcknowledgementsOfSums) {
  simulation_.run([&] {
    add_tree(40,
             {{.rank = 0, .contributes = true, .reduce_to = {{.rank = 1}}},
              {.rank = 1, .contributes = true, .receives = true, .reduce_from = {0}}},
             {1, 0, SumOrder::kAdd});
    start(1);
    EXPECT_EQ(nic_.sent.size(), 16U);
    acknowledge(1, 0, 16);
    EXPECT_EQ(nic_.sent.size(), 32U);
    acknowledge(1, 0, 32);
    EXPECT_EQ(nic_.sent.size(), 40U);
    EXPECT_FALSE(job_->failed()) << job_->failure();
  });
}

// A rank in the middle of a chain acknowledges packets that both it and its successors have; it
// does not acknowledge the last packets, for which no source waits.
TEST_F(NpuTest, ARankAcknowledgesWhatAllFromItOnHave) {
  simulation_.run([&] {
    constexpr int kPackets = 64;
    add_tree(kPackets,
             {{.rank = 0, .receives = true, .broadcast_to = {{.rank = 2, .port = 1}}},
              {.rank = 1, .contributes = true, .broadcast_to = {{.rank = 0}}},
              {.rank = 2, .receives = true}},
             {1});
    start(1);
    for (std::uint32_t index = 0; index < 20; ++index) arrive(0, index, true);
    EXPECT_EQ(nic_.acknowledged, std::vector<Acknowledged>{});
    acknowledge(2, 1, 16);
    EXPECT_EQ(nic_.acknowledged, (std::vector<Acknowledged>{{1, 1, 16}}));
    acknowledge(2, 1, 32);
    for (std::uint32_t index = 20; index < 31; ++index) arrive(0, index, true);
    EXPECT_EQ(nic_.acknowledged.size(), 1U);
    arrive(0, 31, true);
    EXPECT_EQ(nic_.acknowledged.back(), (Acknowledged{1, 1, 32}));
    acknowledge(2, 1, 48);
    for (std::uint32_t index = 32; index < kPackets; ++index) arrive(0, index, true);
    acknowledge(2, 1, 64);
    EXPECT_EQ(nic_.acknowledged.size(), 3U);
    EXPECT_EQ(npu_.acknowledgements(), 3U);
    EXPECT_EQ(acknowledgements(plan_.parts[0], plan_.trees[0], plan_.trees[0].ranks[0], kPackets),
              3U);
    EXPECT_TRUE(npu_.complete());
    EXPECT_FALSE(job_->failed()) << job_->failure();
  });
}

// A root acknowledges to all ranks from which it has sums, a rank before it passes that on.
TEST_F(NpuTest, SumsAreAcknowledgedBackToTheLeaves) {
  simulation_.run([&] {
    for (const bool root : {true, false}) {
      RankPart own{.rank = 0, .contributes = true, .receives = root, .reduce_from = {1, 2}};
      RankPart other{.rank = 3, .receives = !root};
      if (!root) {
        own.reduce_to = {{.rank = 3}};
        other.reduce_from = {0};
      }
      std::vector<RankPart> ranks{own,
                                  {.rank = 1, .contributes = true, .reduce_to = {{.rank = 0}}},
                                  {.rank = 2, .contributes = true, .reduce_to = {{.rank = 0}}}};
      if (!root) ranks.push_back(other);
      add_tree(40, ranks, {0, 1, SumOrder::kAdd, 2, SumOrder::kAdd});
    }
    start(1);
    acknowledge(3, 2, 16);
    EXPECT_EQ(nic_.acknowledged, (std::vector<Acknowledged>{{1, 2, 16}, {2, 2, 16}}));
    EXPECT_FALSE(job_->failed()) << job_->failure();
  });
}

class NpuNotDue : public NpuTest,
                  public testing::WithParamInterface<std::pair<int, std::uint32_t>> {};

// From another rank, or not the next one.
TEST_P(NpuNotDue, AnAcknowledgementFailsTheJob) {
  simulation_.run([&] {
    add_tree(60,
             {{.rank = 0, .contributes = true, .broadcast_to = {{.rank = 1}}},
              {.rank = 1, .receives = true, .broadcast_to = {{.rank = 2}}},
              {.rank = 2, .receives = true}},
             {0});
    start(1);
    acknowledge(GetParam().first, 1, GetParam().second);
    EXPECT_NE(job_->failure().find("an acknowledgement"), std::string::npos) << job_->failure();
  });
}
INSTANTIATE_TEST_SUITE_P(Wrong, NpuNotDue,
                         testing::Values(std::pair{2, 16U}, std::pair{1, 32U}, std::pair{1, 0U}));

// Ranks that need them: a leaf of a reduction, too; one that also passes results on sees them by
// itself.
TEST(Acknowledgements, AreForSourcesWithoutResults) {
  const RankPart leaf{.rank = 0, .contributes = true, .reduce_to = {{.rank = 1}}};
  RankPart receiving = leaf;
  receiving.receives = true;
  RankPart passing = leaf;
  passing.broadcast_to = {{.rank = 2}};
  RankPart combining = leaf;
  combining.reduce_from = {2};
  const RankPart head{.rank = 0, .contributes = true, .broadcast_to = {{.rank = 1}}};
  RankPart idle_head = head;
  idle_head.contributes = false;
  Tree tree;
  EXPECT_TRUE(waits_for_acknowledgements(tree, leaf));
  EXPECT_TRUE(waits_for_acknowledgements(tree, head));
  for (const RankPart& rank : {receiving, passing, combining, idle_head})
    EXPECT_FALSE(waits_for_acknowledgements(tree, rank));
  tree.transport = Transport::kInSwitch;
  EXPECT_FALSE(waits_for_acknowledgements(tree, leaf));
}

}  // namespace
}  // namespace fredsim::test
