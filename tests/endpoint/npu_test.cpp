// One NPU between a scripted NIC and a scripted rest of the machine: how far it sends ahead, and in which
// order. Plans are written by hand; what is expected follows from npu.h and plan.h.

#include "endpoint/npu.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "collective/acknowledgements.h"
#include "endpoint/collective_job.h"
#include "fabric/simulation.h"

namespace fredsim::test {
namespace {

constexpr int kPorts = 2;
constexpr int kRanks = 4;

struct Sent {
  int tree;
  std::uint32_t index;
  int port = 0;
  bool operator==(const Sent&) const = default;
  friend void PrintTo(const Sent& s, std::ostream* out) {
    *out << "tree " << s.tree << " packet " << s.index << " port " << s.port;
  }
};

// An acknowledgement of packets up to `packets` of a stream.
struct Acknowledged {
  int to;
  int stream;
  std::uint32_t packets;
  bool operator==(const Acknowledged&) const = default;
  friend void PrintTo(const Acknowledged& a, std::ostream* out) {
    *out << "to rank " << a.to << ", stream " << a.stream << " up to " << a.packets;
  }
};

// A TreeRank, for designated initialisers.
struct Role {
  int rank = 0;
  bool contributes = false, receives = false;
  std::vector<int> reduce_from{};
  std::vector<Send> reduce_to{}, broadcast_to{};
  int switch_port = -1;
  operator TreeRank() const {  // NOLINT(google-explicit-constructor): one for the other
    TreeRank tree_rank;
    tree_rank.rank = rank;
    tree_rank.contributes = contributes;
    tree_rank.receives = receives;
    tree_rank.reduce_from = reduce_from;
    tree_rank.reduce_to = reduce_to;
    tree_rank.broadcast_to = broadcast_to;
    tree_rank.switch_port = switch_port;
    return tree_rank;
  }
};

// Takes `room[port]` packets; the next one stays an open request until give_room().
struct ScriptedNic : sc_core::sc_module {
  tlm_utils::simple_target_socket<ScriptedNic, 32, PacketProtocol> tx{"tx"};
  tlm_utils::simple_initiator_socket<ScriptedNic, 32, PacketProtocol> rx{"rx"};
  explicit ScriptedNic(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    tx.register_nb_transport_fw(this, &ScriptedNic::send);
  }
  tlm::tlm_sync_enum send(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
    const PacketExtension& e = extension(packet);
    EXPECT_EQ(open[e.port], nullptr) << "a second open request";
    if (e.vc == kControl) {
      EXPECT_EQ(e.flits, 1);
      acknowledged.push_back({e.destination - 10, static_cast<int>(e.stream), e.index});
      taken.push_back(&packet);
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    sent.push_back({static_cast<int>(e.stream / 2), e.index, e.port});
    if (room[e.port] == 0) {
      open[e.port] = &packet;
      return tlm::TLM_ACCEPTED;
    }
    --room[e.port];
    taken.push_back(&packet);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void give_room(int port) {
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    tx->nb_transport_bw(*std::exchange(open[port], nullptr), phase, delay);
  }
  void deliver(Packet& packet) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(rx->nb_transport_fw(packet, phase, delay), tlm::TLM_COMPLETED);
  }
  std::array<int, kPorts> room{1000, 1000};
  std::array<Packet*, kPorts> open{};
  std::vector<Sent> sent;
  std::vector<Acknowledged> acknowledged;  // on the control VC, for which there is always room
  std::vector<Packet*> taken;              // at once
};

class NpuTest : public testing::Test {
 protected:
  NpuTest() {
    topology_.kind = FabricKind::kFredTree;  // every port leads to everyone
    npu_.tx.bind(nic_.tx);
    nic_.rx.bind(npu_.rx);
    for (int rank = 0; rank < kRanks; ++rank) {
      Node node{};
      node.kind = NodeKind::kNpu;
      node.ports = kPorts;
      node.address = static_cast<std::uint16_t>(10 + rank);
      topology_.nodes.push_back(node);
    }
  }
  // A tree of part 0 with `packets` packets, the last one of a flit.
  Tree& add_tree(int packets, const std::vector<Role>& ranks, std::vector<int> order) {
    Tree& tree = plan_.trees.emplace_back();
    tree.first_flit = 1000 * plan_.trees.size();
    tree.flits = static_cast<std::uint64_t>((packets - 1) * kPacketFlits + 1);
    tree.bytes = tree.flits * kFlitBytes;
    tree.ranks.assign(ranks.begin(), ranks.end());
    tree.order.postfix = std::move(order);
    return tree;
  }
  Tree& add_in_switch_tree(int packets, int step) {
    Tree& tree = add_tree(packets,
                          {{.rank = 0, .contributes = true, .receives = true, .switch_port = 1},
                           {.rank = 1, .contributes = true, .receives = true, .switch_port = 1}},
                          {0, 1, SumOrder::kAdd});
    tree.transport = Transport::kInSwitch;
    tree.step = step;
    return tree;
  }
  // The NPU is rank 0.
  void start(int window, int run = 1) {
    Part& part = plan_.parts.emplace_back();
    part.members = {0, 1, 2, 3};
    part.window = window;
    part.run = run;
    add_acknowledgements(topology_, plan_);
    job_ = std::make_unique<CollectiveJob>(plan_, topology_, 1, 1);
    std::vector<Npu::Share> shares;
    for (int t = 0; t < std::ssize(plan_.trees); ++t) {
      for (const TreeRank& rank : plan_.trees[t].ranks) {
        if (rank.rank == 0) shares.push_back({t, &rank});
      }
    }
    npu_.add(*job_, shares);
    EXPECT_TRUE(nic_.sent.empty());
    ASSERT_EQ(job_->release_due(0), std::vector<int>{0});
    npu_.release(*job_, 0);
  }
  // Packet `index` of a tree arrives, from rank `from`; with its right payload if it is a result.
  void arrive(int tree, std::uint32_t index, bool result, int from = 1) {
    PooledPacket& packet = pool_.allocate(job_->flits(tree, index));
    PacketExtension& e = packet.extension;
    e.source = static_cast<std::uint16_t>(10 + from);
    e.stream = static_cast<std::uint32_t>(2 * tree + (result ? 1 : 0));
    e.index = index;
    e.vc = kDp;
    for (int f = 0; f < e.flits; ++f) lanes_of(packet)[f] = result ? value(tree, index, f) : 0x3C00;
    nic_.deliver(packet);
    packet.release();
    EXPECT_FALSE(job_->failed()) << job_->failure();
  }
  // Another rank acknowledges packets up to `packets`.
  void acknowledge(int from, std::uint32_t stream, std::uint32_t packets) {
    PooledPacket& packet = pool_.allocate(1);
    PacketExtension& e = packet.extension;
    e.source = static_cast<std::uint16_t>(10 + from);
    e.stream = stream;
    e.index = packets & kIndexMask;
    e.vc = kControl;
    nic_.deliver(packet);
    packet.release();
  }
  std::uint16_t value(int tree, std::uint32_t index, int flit) const {
    const Tree& t = plan_.trees[tree];
    return expected(topology_.format, operand_seed(1, 0), t.order,
                    t.first_flit + index * kPacketFlits + static_cast<std::uint64_t>(flit), 0);
  }
  std::vector<Sent> take_sent() { return std::exchange(nic_.sent, {}); }

  Simulation simulation_;
  Topology topology_;
  Plan plan_;
  Npu npu_{"npu", kPorts, 1};
  ScriptedNic nic_{"nic"};
  PacketPool pool_{1};
  std::unique_ptr<CollectiveJob> job_;
};

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

// A leaf that gets the result: sent and not seen again are never more than the window, and never fewer
// while there is something to send.
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

// The head of a multicast sees no result: it goes by what all that it sends to have acknowledged, a batch of
// packets at a time, and may be as much more than its window ahead.
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

// So does the leaf of a reduction, by what the root says.
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

// In the middle of a chain a rank acknowledges what both it and those after it have; the last packets, for which
// no source waits, it does not.
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
    EXPECT_EQ(acknowledgements(plan_.parts[0], plan_.trees[0].ranks[0], kPackets), 3U);
    EXPECT_TRUE(npu_.complete());
    EXPECT_FALSE(job_->failed()) << job_->failure();
  });
}

// A root tells all that it has sums from, a rank before it passes that on.
TEST_F(NpuTest, SumsAreAcknowledgedBackToTheLeaves) {
  simulation_.run([&] {
    for (const bool root : {true, false}) {
      Role own{.rank = 0, .contributes = true, .receives = root, .reduce_from = {1, 2}};
      Role other{.rank = 3, .receives = !root};
      if (!root) {
        own.reduce_to = {{.rank = 3}};
        other.reduce_from = {0};
      }
      std::vector<Role> ranks{own,
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

// Who needs them: a leaf of a reduction, too; one that also passes results on sees them by itself.
TEST(Acknowledgements, AreForSourcesWithoutResults) {
  const Role leaf{.rank = 0, .contributes = true, .reduce_to = {{.rank = 1}}};
  Role receiving = leaf;
  receiving.receives = true;
  Role passing = leaf;
  passing.broadcast_to = {{.rank = 2}};
  Role combining = leaf;
  combining.reduce_from = {2};
  const Role head{.rank = 0, .contributes = true, .broadcast_to = {{.rank = 1}}};
  Role idle_head = head;
  idle_head.contributes = false;
  Tree tree;
  EXPECT_TRUE(waits_for_acknowledgements(tree, leaf));
  EXPECT_TRUE(waits_for_acknowledgements(tree, head));
  for (const Role& rank : {receiving, passing, combining, idle_head})
    EXPECT_FALSE(waits_for_acknowledgements(tree, rank));
  tree.transport = Transport::kInSwitch;
  EXPECT_FALSE(waits_for_acknowledgements(tree, leaf));
}

// A NIC that takes all at once never says that there is room again: copies that have left are enough for a head to go on.
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

// Where a multicast goes out by several ports, its head begins no packet while two wait for any of them.
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
      // Port 1: as many as were taken, an open request, and two that wait.
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

// Trees in the switches: all members send by (step, packet / run, tree, packet), or their flows would wait
// for each other.
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

// … without skipping: a tree whose window is used up holds up those after it, even where theirs is not.
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

// One request at a time: sums that are passed on go before new packets, and these take turns by tree.
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
