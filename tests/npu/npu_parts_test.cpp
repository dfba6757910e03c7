// SPDX-License-Identifier: Apache-2.0
// Scheduler and reducer of an NPU alone, without sockets: choice of the next packet, and handling
// of received packets.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "npu/npu_acknowledgements.h"
#include "npu/npu_reducer.h"
#include "npu/npu_scheduler.h"
#include "plan/acknowledgements.h"

namespace fredsim::test {
namespace {

constexpr int kPorts = 2;

// Rank 0 of a part with four.
class NpuParts : public testing::Test {
 protected:
  NpuParts() {
    topology_.slices = kPorts;
    for (int rank = 0; rank < 4; ++rank) {
      Node node{};
      node.kind = NodeKind::kNpu;
      node.ports = kPorts;
      node.address = static_cast<std::uint16_t>(10 + rank);
      topology_.nodes.push_back(node);
    }
    Part& part = plan_.parts.emplace_back();
    part.members = {0, 1, 2, 3};
    part.window = 3;
  }
  Tree& add_tree(std::uint64_t packets, std::vector<TreeRank> ranks, std::vector<int> order) {
    Tree& tree = plan_.trees.emplace_back();
    tree.flits = packets * kPacketFlits;
    tree.bytes = tree.flits * kFlitBytes;
    tree.ranks = std::move(ranks);
    tree.order = SumOrder{std::move(order)};
    return tree;
  }
  static TreeRank rank(int number, bool contributes, bool receives, std::vector<int> reduce_from,
                       std::vector<Send> reduce_to, std::vector<Send> broadcast_to) {
    TreeRank r;
    r.rank = number;
    r.contributes = contributes;
    r.receives = receives;
    r.reduce_from = std::move(reduce_from);
    r.reduce_to = std::move(reduce_to);
    r.broadcast_to = std::move(broadcast_to);
    return r;
  }
  Work& start() {
    add_acknowledgements(topology_, plan_);
    job_ = std::make_unique<CollectiveJob>(plan_, topology_, 1, 1);
    std::vector<Share> shares;
    for (int t = 0; t < std::ssize(plan_.trees); ++t) {
      for (const TreeRank& r : plan_.trees[t].ranks) {
        if (r.rank == 0) shares.push_back({t, &r});
      }
    }
    work_ = std::make_unique<Work>(*job_, shares, kPorts);
    scheduler_.add(*work_);
    work_->allowed[0] = true;
    return *work_;
  }
  Packet& partial(int tree, std::uint32_t index, int from, std::uint16_t value) {
    PooledPacket& packet = pool_.allocate(kPacketFlits);
    PacketExtension& e = packet.extension;
    e.source = static_cast<std::uint16_t>(10 + from);
    e.stream = static_cast<std::uint32_t>(2 * tree);
    e.index = index;
    e.vc = kDp;
    e.flits = kPacketFlits;
    for (int f = 0; f < kPacketFlits; ++f) lanes_of(packet)[f] = value;
    return packet;
  }

  Topology topology_;
  Plan plan_;
  PacketPool pool_{1};
  NpuPackets packets_{kPorts, 1};
  NpuScheduler scheduler_{kPorts};
  NpuAcknowledgements acknowledgements_{packets_, scheduler_};
  NpuReducer reducer_{packets_, scheduler_, acknowledgements_};
  std::unique_ptr<CollectiveJob> job_;
  std::unique_ptr<Work> work_;
};

TEST_F(NpuParts, RolesSayWhatARankIs) {
  const std::vector<Send> to{{.rank = 1}};
  EXPECT_EQ(role_of(rank(0, true, true, {}, to, {})), Role::kLeaf);
  EXPECT_EQ(role_of(rank(0, true, false, {}, {}, to)), Role::kHead);
  EXPECT_EQ(role_of(rank(0, true, false, {2}, to, {})), Role::kCombiner);
  EXPECT_EQ(role_of(rank(0, false, false, {2}, to, {})), Role::kCombiner);
  EXPECT_EQ(role_of(rank(0, true, true, {2}, {}, to)), Role::kRoot);
  EXPECT_EQ(role_of(rank(0, false, true, {}, {}, to)), Role::kReceiver);
  EXPECT_EQ(role_of(rank(0, true, true, {}, {}, {})), Role::kAlone);
  const auto in_switch = [&](bool contributes, const std::vector<int>& from) {
    TreeRank joined = rank(0, contributes, true, from, {}, {});
    joined.switch_port = 1;
    return joined;
  };
  EXPECT_EQ(role_of(in_switch(true, {})), Role::kSwitchLeaf);
  EXPECT_EQ(role_of(in_switch(false, {})), Role::kReceiver);
  EXPECT_EQ(role_of(in_switch(true, {2})), Role::kSwitchLeaf) << "it sends for one more";
}

// Leaves of two trees take turns; relayed packets and copies have precedence, copies first.
TEST_F(NpuParts, TheSchedulerTakesTurnsBehindWhatWaits) {
  for (int tree = 0; tree < 2; ++tree) {
    add_tree(
        3,
        {rank(0, true, true, {}, {{.rank = 1}}, {}), rank(1, true, true, {0}, {}, {{.rank = 0}})},
        {1, 0, SumOrder::kAdd});
  }
  Work& w = start();
  const int channel = channel_of(kPorts, 0, kDp);
  Packet& copy = pool_.allocate(1);
  Packet& passed_on = pool_.allocate(1);
  scheduler_.push(passed_on, channel, NpuScheduler::Queue::kPassedOn);
  scheduler_.push(copy, channel, NpuScheduler::Queue::kCopies);
  EXPECT_EQ(scheduler_.awake(kDp), 1U);
  EXPECT_FALSE(scheduler_.empty());
  EXPECT_EQ(scheduler_.next(channel).queued, &copy);
  EXPECT_EQ(scheduler_.next(channel).queued, &passed_on);
  EXPECT_TRUE(scheduler_.empty());
  for (int turn = 0; turn < 6; ++turn) {
    const NpuScheduler::Next next = scheduler_.next(channel);
    EXPECT_EQ(next.work, &w);
    EXPECT_EQ(next.local, turn % 2) << turn;
    ++w.trees[next.local].started;
  }
  EXPECT_EQ(scheduler_.next(channel).work, nullptr) << "all are started";
  scheduler_.remove(w);
  EXPECT_EQ(scheduler_.next(channel).work, nullptr);
}

TEST_F(NpuParts, TheSchedulerKeepsToTheWindow) {
  add_tree(
      9, {rank(0, true, true, {}, {{.rank = 1}}, {}), rank(1, true, true, {0}, {}, {{.rank = 0}})},
      {1, 0, SumOrder::kAdd});
  Work& w = start();
  const int channel = channel_of(kPorts, 0, kDp);
  for (int results = 0; results < 6; ++results) {
    int started = 0;
    for (; scheduler_.next(channel).work != nullptr; ++started) ++w.trees[0].started;
    EXPECT_EQ(started, results == 0 ? 3 : 1) << results;
    ++w.trees[0].results;
  }
}

// Own packets of tree 0, and results of tree 1 on another virtual channel: at most two intervals
// ahead of these results.
TEST_F(NpuParts, PacketsOfOrderedTreesKeepPaceWithOtherVirtualChannels) {
  add_tree(
      9, {rank(0, true, true, {}, {{.rank = 1}}, {}), rank(1, true, true, {0}, {}, {{.rank = 0}})},
      {1, 0, SumOrder::kAdd})
      .interval = 10;
  add_tree(9,
           {rank(0, true, true, {1}, {}, {{.rank = 1, .vc = kMp, .due = 5}}),
            rank(1, true, true, {}, {{.rank = 0}}, {})},
           {0, 1, SumOrder::kAdd})
      .interval = 10;
  plan_.parts[0].window = 9;
  Work& w = start();
  const int own = channel_of(kPorts, 0, kDp);
  const int results = channel_of(kPorts, 0, kMp);
  const auto start_all = [&] {
    int started = 0;
    for (; scheduler_.next(own).work != nullptr; ++started) ++w.trees[0].started;
    return started;
  };
  EXPECT_EQ(start_all(), 3) << "due at 0, 10 and 20";
  for (int result = 0; result < 2; ++result) {
    scheduler_.sleep(own);
    scheduler_.push_in_turn(w, 1, true, {.rank = 1, .vc = kMp}, pool_.allocate(1));
    EXPECT_NE(scheduler_.next(results).queued, nullptr);
    EXPECT_EQ(scheduler_.awake(kDp), 1U) << "more is allowed";
    EXPECT_EQ(start_all(), 1);
  }
}

// State of ordered packets that must recur: current turn, lead, and waiting packets; not the time
// since when.
TEST_F(NpuParts, TheStateOfTurnsSaysAllThatDecides) {
  for (int tree = 0; tree < 2; ++tree) {
    add_tree(
        9,
        {rank(0, true, true, {1}, {}, {{.rank = 1}}), rank(1, true, true, {}, {{.rank = 0}}, {})},
        {0, 1, SumOrder::kAdd});
  }
  Work& w = start();
  const auto state = [&](std::uint64_t first, std::uint64_t second, int ready, bool is_over) {
    PacketTurns turns;
    turns.add({.local = 0, .is_result = true, .to_rank = 1, .interval = 10, .due = first});
    turns.add({.local = 1,
               .is_result = true,
               .to_rank = 1,
               .interval = 10,
               .due = second,
               .sent = is_over ? w.trees[1].packets : 0});
    for (int packet = 0; packet < ready; ++packet) turns.push(1, true, 1, pool_.allocate(1));
    StateDigest digest(kIndexMask);
    turns.add_state(w, digest);
    return digest;
  };
  const StateDigest one = state(5, 8, 1, false);
  EXPECT_EQ(one, state(105, 108, 1, false));
  EXPECT_FALSE(one == state(5, 9, 1, false));
  EXPECT_FALSE(one == state(8, 5, 1, false));
  EXPECT_FALSE(one == state(5, 8, 0, false));
  EXPECT_FALSE(one == state(5, 8, 1, true));
}

// Likewise for channels that keep pace with each other.
TEST_F(NpuParts, TheStateSaysHowFarVirtualChannelsAreApart) {
  for (const int vc : {int{kDp}, int{kMp}}) {
    add_tree(9,
             {rank(0, true, true, {1}, {}, {{.rank = 1, .vc = vc}}),
              rank(1, true, true, {}, {{.rank = 0}}, {})},
             {0, 1, SumOrder::kAdd})
        .interval = 10;
  }
  Work& w = start();
  const auto state = [&] {
    StateDigest digest(kIndexMask);
    scheduler_.add_state(digest);
    return digest;
  };
  const auto send = [&](int tree, int vc) {
    scheduler_.push_in_turn(w, tree, true, {.rank = 1, .vc = vc}, pool_.allocate(1));
    EXPECT_NE(scheduler_.next(channel_of(kPorts, 0, vc)).queued, nullptr);
    scheduler_.sleep(channel_of(kPorts, 0, kDp));
    scheduler_.sleep(channel_of(kPorts, 0, kMp));
  };
  const StateDigest together = state();
  send(0, kDp);
  EXPECT_FALSE(state() == together);
  send(1, kMp);
  EXPECT_EQ(state(), together);
}

// Sums of tree 0 and the own packets of tree 1, two of the latter per sum, and the results of tree
// 0 to two ranks.
TEST_F(NpuParts, PacketsOfOrderedTreesWaitForTheirTurn) {
  Tree& passed_on = add_tree(
      2,
      {rank(0, true, true, {1}, {{.rank = 2}}, {{.rank = 1}, {.rank = 3}}),
       rank(1, true, true, {}, {{.rank = 0}}, {}), rank(2, true, true, {0}, {}, {{.rank = 0}})},
      {2, 0, 1, SumOrder::kAdd, SumOrder::kAdd});
  passed_on.interval = 20;
  passed_on.ranks[0].reduce_to[0].due = 5;
  for (Send& to : passed_on.ranks[0].broadcast_to) to.due = 7;
  Tree& own = add_tree(
      4, {rank(0, true, true, {}, {{.rank = 1}}, {}), rank(1, true, true, {0}, {}, {{.rank = 0}})},
      {1, 0, SumOrder::kAdd});
  own.interval = 10;
  plan_.parts[0].window = 4;
  Work& w = start();
  const int channel = channel_of(kPorts, 0, kDp);
  const auto own_is_next = [&] {
    const NpuScheduler::Next next = scheduler_.next(channel);
    if (next.work == nullptr || next.local != 1) return false;
    ++w.trees[1].started;
    return true;
  };
  const auto push = [&](bool is_result, int to) -> Packet& {
    Packet& packet = pool_.allocate(1);
    scheduler_.push_in_turn(w, 0, is_result, {.rank = to}, packet);
    return packet;
  };
  EXPECT_TRUE(own_is_next());
  EXPECT_FALSE(own_is_next()) << "a sum is due";
  const Packet& to_last = push(true, 3);
  EXPECT_FALSE(own_is_next());
  EXPECT_FALSE(scheduler_.empty());
  const Packet& sum = push(false, 2);
  EXPECT_EQ(scheduler_.next(channel).queued, &sum);
  EXPECT_EQ(scheduler_.next(channel).queued, nullptr) << "a result is due, to rank 1";
  const Packet& to_first = push(true, 1);
  EXPECT_EQ(scheduler_.next(channel).queued, &to_first);
  EXPECT_EQ(scheduler_.next(channel).queued, &to_last);
  EXPECT_TRUE(scheduler_.empty());
  EXPECT_TRUE(own_is_next());
  EXPECT_TRUE(own_is_next());
  EXPECT_FALSE(own_is_next());
  // No more packets of tree 0 arrive: the rest does not wait for them.
  w.trees[0].packets = 1;
  EXPECT_TRUE(own_is_next());
  EXPECT_FALSE(own_is_next()) << "all are started";
}

// Packets come in any order among sources; sums leave in order, each when its last one has come.
TEST_F(NpuParts, TheReducerHoldsWhatHasNotItsOthers) {
  add_tree(2,
           {rank(0, false, false, {1, 2}, {{.rank = 3, .port = 1}}, {}),
            rank(1, true, false, {}, {{.rank = 0}}, {}),
            rank(2, true, false, {}, {{.rank = 0}}, {}), rank(3, false, true, {0}, {}, {})},
           {1, 2, SumOrder::kAdd});
  Work& w = start();
  const int channel = channel_of(kPorts, 1, kDp);
  constexpr std::uint16_t kOne = 0x3C00, kTwo = 0x4000, kThree = 0x4200;
  const auto receive = [&](std::uint32_t index, int from, std::uint16_t value) {
    Packet& packet = partial(0, index, from, value);
    reducer_.receive(w, 0, packet);
    packet.release();
  };
  receive(0, 2, kTwo);
  receive(1, 2, kOne);
  EXPECT_TRUE(scheduler_.empty());
  receive(0, 1, kOne);
  const NpuScheduler::Next sum = scheduler_.next(channel);
  ASSERT_NE(sum.queued, nullptr);
  EXPECT_EQ(extension(*sum.queued).index, 0U);
  EXPECT_EQ(extension(*sum.queued).destination, 13);
  for (int f = 0; f < kPacketFlits; ++f) EXPECT_EQ(lanes_of(*sum.queued)[f], kThree);
  receive(1, 1, kOne);
  const NpuScheduler::Next second = scheduler_.next(channel);
  ASSERT_NE(second.queued, nullptr);
  EXPECT_EQ(lanes_of(*second.queued)[0], kTwo);
  EXPECT_FALSE(job_->failed()) << job_->failure();
}

TEST_F(NpuParts, TheReducerRefusesWhatIsNotDue) {
  add_tree(2, {rank(0, true, true, {1}, {}, {}), rank(1, true, false, {}, {{.rank = 0}}, {})},
           {0, 1, SumOrder::kAdd});
  Work& w = start();
  Packet& packet = partial(0, 1, 1, 0x3C00);
  reducer_.receive(w, 0, packet);
  packet.release();
  EXPECT_NE(job_->failure().find("partial sum packet 1 of 8 flits arrived where packet 0 of 2"),
            std::string::npos)
      << job_->failure();
}

// The expected packet, but a flit short or with another tree's length.
TEST_F(NpuParts, TheReducerRefusesAPacketOfAnotherLength) {
  add_tree(2, {rank(0, true, true, {1}, {}, {}), rank(1, true, false, {}, {{.rank = 0}}, {})},
           {0, 1, SumOrder::kAdd});
  for (const int flits : {1, kPacketFlits - 1, kPacketFlits}) {
    Work& w = start();
    Packet& packet = partial(0, 0, 1, 0x3C00);
    extension(packet).flits = static_cast<std::uint8_t>(flits);
    reducer_.receive(w, 0, packet);
    packet.release();
    scheduler_.remove(w);
    if (flits == kPacketFlits) {
      // Nobody has fault to find with it before the sum, of which 1.0 is not an operand.
      EXPECT_EQ(job_->failure().find("arrived where"), std::string::npos) << job_->failure();
      continue;
    }
    EXPECT_NE(job_->failure().find(fmt::format(
                  "partial sum packet 0 of {} flits arrived where packet 0 of 2", flits)),
              std::string::npos)
        << job_->failure();
  }
}

// Additions of whole packets, for a partial sum: one fewer than operands, its own among them or
// not; none where nothing is added.
TEST_F(NpuParts, TheReducerTellsItsAdditions) {
  struct Additions final : NpuObserver {
    void queued(int, const Packet&) override {}
    void sent(int, Packet&) override {}
    void received(int, Packet&) override {}
    void added(int npu, int tree, int additions) override {
      reported.emplace_back(npu, tree, additions);
    }
    std::vector<std::tuple<int, int, int>> reported;
  };
  for (const bool contributes : {false, true}) {
    const std::vector<int> others = {1, 2, 3};
    for (std::size_t number = 1; number <= others.size(); ++number) {
      std::vector<int> from(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(number));
      std::vector<TreeRank> ranks{rank(0, contributes, false, from, {{.rank = 3, .port = 1}}, {})};
      std::vector<int> order = from;
      for (const int other : from)
        ranks.push_back(rank(other, true, other == 3, {}, {{.rank = 0}}, {}));
      if (number < 3) ranks.push_back(rank(3, false, true, {0}, {}, {}));
      if (contributes) order.insert(order.begin(), 0);
      order.insert(order.end(), order.size() - 1, SumOrder::kAdd);
      plan_.trees.clear();
      add_tree(1, ranks, order);
      Work& w = start();
      Additions additions;
      reducer_.observe(additions, 7);
      for (const int other : from) {
        Packet& packet = partial(0, 0, other, 0x3C00);
        reducer_.receive(w, 0, packet);
        packet.release();
      }
      const int expected = static_cast<int>(number) - (contributes ? 0 : 1);
      const std::vector<std::tuple<int, int, int>> reported =
          expected == 0 ? std::vector<std::tuple<int, int, int>>{}
                        : std::vector<std::tuple<int, int, int>>{{7, 0, expected}};
      EXPECT_EQ(additions.reported, reported) << number << (contributes ? " and its own" : "");
      EXPECT_FALSE(job_->failed()) << job_->failure();
      EXPECT_NE(scheduler_.next(channel_of(kPorts, 1, kDp)).queued, nullptr);
      scheduler_.remove(w);
    }
  }
}

// With two jobs whose trees are in the switches the later one waits until the earlier one has
// started all its packets, also while that one's window is used up; one at the endpoints does not.
TEST_F(NpuParts, ALaterJobInTheSwitchesDoesNotOvertake) {
  for (const bool in_switch : {true, false}) {
    const auto plan_of = [&](std::uint64_t packets) {
      Plan plan = plan_;
      plan.parts[0].window = 2;
      Tree& tree = plan.trees.emplace_back();
      tree.flits = packets * kPacketFlits;
      tree.bytes = tree.flits * kFlitBytes;
      tree.ranks.all() = {rank(0, true, true, {}, {}, {}), rank(1, true, true, {}, {}, {})};
      if (in_switch) {
        tree.transport = Transport::kInSwitch;
        for (TreeRank& r : tree.ranks) r.switch_port = 1;
      } else {
        tree.ranks[0].reduce_to = {{.rank = 1, .port = 1}};
        tree.ranks[1].reduce_from = {0};
        tree.ranks[1].broadcast_to = {{.rank = 0, .port = 1}};
      }
      tree.order = SumOrder{{0, 1, SumOrder::kAdd}};
      add_acknowledgements(topology_, plan);
      return plan;
    };
    const Plan first_plan = plan_of(3), second_plan = plan_of(1);
    CollectiveJob first_job(first_plan, topology_, 1, 1), second_job(second_plan, topology_, 1, 1);
    const auto shares = [](const Plan& plan) {
      return std::vector<Share>{{0, &plan.trees[0].ranks[0]}};
    };
    Work first(first_job, shares(first_plan), kPorts),
        second(second_job, shares(second_plan), kPorts);
    NpuScheduler scheduler(kPorts);
    scheduler.add(first);
    scheduler.add(second);
    first.allowed[0] = second.allowed[0] = true;
    const auto next = [&] {
      const NpuScheduler::Next found = scheduler.next(channel_of(kPorts, 1, kDp));
      if (found.work != nullptr) ++found.work->trees[found.local].started;
      return found.work;
    };
    if (!in_switch) {
      EXPECT_EQ(next(), &first);
      EXPECT_EQ(next(), &second) << "they take turns";
      continue;
    }
    EXPECT_EQ(next(), &first);
    EXPECT_EQ(next(), &first);
    EXPECT_EQ(next(), nullptr) << "the window of the first is used up";
    EXPECT_EQ(next(), nullptr);
    first.trees[0].results = 1;
    EXPECT_EQ(next(), &first);
    EXPECT_EQ(next(), &second) << "all packets of the first are started";
    EXPECT_EQ(next(), nullptr);
  }
}

}  // namespace
}  // namespace fredsim::test
