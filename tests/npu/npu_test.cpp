// SPDX-License-Identifier: Apache-2.0
// Look-ahead of an NPU's sends, and their order; expectations follow from npu.h and plan.h.

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "npu/npu_bench.h"

namespace fredsim::test {
namespace {

TEST_F(NpuTest, RanksAreFoundByTheirAddresses) {
  Part& part = plan_.parts.emplace_back();
  part.members = {3, 0, 2};  // addresses 13, 10 and 12
  part.window = 1;
  const CollectiveJob job(plan_, topology_, 1, 1);
  std::vector<int> ranks;
  for (std::uint16_t address = 9; address <= 14; ++address)
    ranks.push_back(job.rank_of(0, address));
  EXPECT_EQ(ranks, (std::vector<int>{-1, 1, -1, 2, 0, -1}));
}

// A packet is the pool's again when its last flit has left.
TEST_F(NpuTest, PacketsThatHaveLeftAreReleased) {
  simulation_.run([&] {
    add_tree(3,
             {{.rank = 0, .contributes = true, .reduce_to = {{.rank = 1}}},
              {.rank = 1, .contributes = true, .receives = true, .reduce_from = {0}}},
             {1, 0, SumOrder::kAdd});
    start(1000);
    ASSERT_EQ(nic_.taken.size(), 3U);
    for (Packet* packet : nic_.taken) {
      EXPECT_EQ(packet->get_ref_count(), 1);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      EXPECT_EQ(nic_.tx->nb_transport_bw(*packet, phase, delay), tlm::TLM_COMPLETED);
      EXPECT_EQ(packet->get_ref_count(), 0);
    }
  });
}

// A leaf that gets the result: sent and not seen again are never more than the window, and never
// fewer while there is something to send.
TEST_F(NpuTest, ASourceThatSeesResultsKeepsItsWindowFull) {
  simulation_.run([&] {
    constexpr int kPackets = 9;
    add_tree(kPackets,
             {{.rank = 0, .contributes = true, .receives = true, .reduce_to = {{.rank = 1}}},
              {.rank = 1,
               .contributes = true,
               .receives = true,
               .reduce_from = {0},
               .broadcast_to = {{.rank = 0}}}},
             {1, 0, SumOrder::kAdd});
    constexpr int kWindow = 3;
    start(kWindow);
    for (int results = 0; results <= kPackets; ++results) {
      EXPECT_EQ(std::ssize(nic_.sent), std::min(kPackets, results + kWindow)) << results;
      EXPECT_EQ(npu_.complete(), results == kPackets);
      if (results < kPackets) arrive(0, static_cast<std::uint32_t>(results), true);
    }
    for (std::uint32_t i = 0; i < kPackets; ++i) EXPECT_EQ(nic_.sent[i], (Sent{0, i})) << i;
  });
}

// A NIC that takes all at once never says that there is room again: copies that have left are
// enough for a root to go on.
TEST_F(NpuTest, AHeadGoesOnWhereTheNicAlwaysHasRoom) {
  simulation_.run([&] {
    add_tree(10,
             {{.rank = 0,
               .contributes = true,
               .broadcast_to = {{.rank = 1, .port = 1, .vc = kMp},
                                {.rank = 2, .port = 0, .vc = kDp},
                                {.rank = 3, .port = 1, .vc = kDp}}},
              {.rank = 1, .receives = true},
              {.rank = 2, .receives = true},
              {.rank = 3, .receives = true}},
             {0});
    start(1000);
    EXPECT_EQ(nic_.sent.size(), 3U * 10);
    EXPECT_TRUE(npu_.complete());
  });
}

// A multicast that goes out by several ports begins no packet while two wait for any of them.
TEST_F(NpuTest, AMulticastHeadWaitsForItsSlowestPort) {
  simulation_.run([&] {
    add_tree(10,
             {{.rank = 0,
               .contributes = true,
               .broadcast_to = {{.rank = 1, .port = 0}, {.rank = 2, .port = 1}}},
              {.rank = 1, .receives = true},
              {.rank = 2, .receives = true}},
             {0});
    nic_.room = {};
    start(1000);
    const auto by_port = [&](int port) { return std::ranges::count(nic_.sent, port, &Sent::port); };
    for (int taken = 0; taken < 6; ++taken) {
      while (nic_.open[0] != nullptr) nic_.give_room(0);
      // Port 1: the packets taken, an open request, and two that wait.
      EXPECT_EQ(by_port(1), taken + 1);
      EXPECT_EQ(by_port(0), by_port(1) + 2);
      nic_.give_room(1);
    }
    while (nic_.open[0] != nullptr || nic_.open[1] != nullptr) {
      for (const int port : {0, 1}) {
        if (nic_.open[port] != nullptr) nic_.give_room(port);
      }
    }
    EXPECT_EQ(by_port(0), 10);
    EXPECT_EQ(by_port(1), 10);
    EXPECT_TRUE(npu_.complete());
  });
}

class NpuRuns : public NpuTest, public testing::WithParamInterface<int> {};

// In-switch trees: all members send by (step, packet / run, tree, packet); otherwise their flows
// would deadlock.
TEST_P(NpuRuns, InSwitchTreesGoInRunsAndSteps) {
  const int run = GetParam();
  // (packets, step), the steps not in order.
  const std::vector<std::pair<int, int>> trees{{3, 1}, {5, 0}, {1, 0}, {4, 0}, {2, 2}, {6, 1}};
  std::vector<std::tuple<int, int, int, int>> in_order;
  for (int t = 0; t < std::ssize(trees); ++t) {
    const auto [packets, step] = trees[t];
    add_in_switch_tree(packets, step);
    for (int k = 0; k < packets; ++k) in_order.emplace_back(step, k / run, t, k);
  }
  std::ranges::sort(in_order);
  std::vector<Sent> due;
  due.reserve(in_order.size());
  for (const auto& [step, round, tree, packet] : in_order)
    due.push_back({tree, static_cast<std::uint32_t>(packet), 1});
  simulation_.run([&] {
    start(1000, run);
    EXPECT_EQ(nic_.sent, due);
  });
}
INSTANTIATE_TEST_SUITE_P(Runs, NpuRuns, testing::Values(1, 2, 3, 5));

// … without skipping: a tree whose window is exhausted blocks the trees after it, even if their
// windows are not.
TEST_F(NpuTest, InSwitchTreesWaitForTheOneWhoseTurnItIs) {
  simulation_.run([&] {
    add_in_switch_tree(4, 0);
    add_in_switch_tree(4, 0);
    add_in_switch_tree(1, 1);
    start(2, 2);
    EXPECT_EQ(take_sent(), (std::vector<Sent>{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}}));
    arrive(1, 0, true);
    arrive(1, 1, true);
    EXPECT_EQ(take_sent(), std::vector<Sent>{}) << "it is tree 0's turn";
    arrive(0, 0, true);
    EXPECT_EQ(take_sent(), (std::vector<Sent>{{0, 2, 1}}));
    arrive(0, 1, true);
    EXPECT_EQ(take_sent(), (std::vector<Sent>{{0, 3, 1}, {1, 2, 1}, {1, 3, 1}, {2, 0, 1}}));
  });
}

// One request at a time: sums that are passed on go before new packets, and these take turns by
// tree.
TEST_F(NpuTest, PassedOnGoesFirstAndNewPacketsTakeTurns) {
  simulation_.run([&] {
    for (int tree = 0; tree < 2; ++tree) {
      add_tree(3,
               {{.rank = 0, .contributes = true, .reduce_to = {{.rank = 1}}},
                {.rank = 1, .contributes = true, .receives = true, .reduce_from = {0}}},
               {1, 0, SumOrder::kAdd});
    }
    add_tree(2,
             {{.rank = 0, .contributes = true, .reduce_from = {2}, .reduce_to = {{.rank = 1}}},
              {.rank = 1, .contributes = true, .receives = true, .reduce_from = {0}},
              {.rank = 2, .contributes = true, .reduce_to = {{.rank = 0}}}},
             {1, 0, 2, SumOrder::kAdd, SumOrder::kAdd});
    nic_.room = {};
    start(1000);
    EXPECT_EQ(take_sent(), (std::vector<Sent>{{0, 0}}));
    arrive(2, 0, false, 2);
    arrive(2, 1, false, 2);
    EXPECT_EQ(take_sent(), std::vector<Sent>{}) << "one open request per port and VC";
    std::vector<Sent> order;
    while (nic_.open[0] != nullptr) {
      nic_.give_room(0);
      for (const Sent& sent : take_sent()) order.push_back(sent);
    }
    EXPECT_EQ(order, (std::vector<Sent>{{2, 0}, {2, 1}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}));
    EXPECT_TRUE(npu_.complete());
  });
}

}  // namespace
}  // namespace fredsim::test
