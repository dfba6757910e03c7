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
  std::vector<Packet*> taken;  // at once
};

class NpuTest : public testing::Test {
 protected:
  NpuTest() {
    npu_.tx.bind(nic_.tx);
    nic_.rx.bind(npu_.rx);
    for (int rank = 0; rank < kRanks; ++rank) {
      Node node{};
      node.kind = NodeKind::kNpu;
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
    for (int f = 0; f < e.flits; ++f) lanes_of(packet)[f] = result ? value(tree, index, f) : 0x3C00;
    nic_.deliver(packet);
    packet.release();
    EXPECT_FALSE(job_->failed()) << job_->failure();
  }
  // A result reaches another rank, of which the NPU learns after the edge.
  void reach(int rank, int tree, std::uint32_t index) {
    std::vector<std::uint16_t> lanes;
    lanes.reserve(kPacketFlits);
    for (int f = 0; f < job_->flits(tree, index); ++f) lanes.push_back(value(tree, index, f));
    job_->accept_result(rank, tree, index, lanes.data());
    EXPECT_FALSE(job_->failed()) << job_->failure();
  }
  void after_edge() {
    const std::vector<int> advanced = job_->advanced();
    job_->clear_advanced();
    for (const int tree : advanced) npu_.resume(*job_, tree);
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

// The head of a multicast sees no result: it goes by how many packets have reached both others, on average,
// and learns of it after the edge.
TEST_F(NpuTest, ASourceThatSeesNoResultsGoesByThoseOfOthers) {
  simulation_.run([&] {
    add_tree(6,
             {{.rank = 0, .contributes = true, .broadcast_to = {{.rank = 1}}},
              {.rank = 1, .receives = true, .broadcast_to = {{.rank = 2}}},
              {.rank = 2, .receives = true}},
             {0});
    start(2);
    EXPECT_EQ(nic_.sent.size(), 2U);
    reach(1, 0, 0);
    after_edge();
    EXPECT_EQ(nic_.sent.size(), 2U) << "half of a packet, on average";
    reach(2, 0, 0);
    EXPECT_EQ(nic_.sent.size(), 2U) << "not heard of yet";
    EXPECT_EQ(job_->reached(0), 0U);
    after_edge();
    EXPECT_EQ(job_->reached(0), 1U);
    EXPECT_EQ(nic_.sent.size(), 3U);
    after_edge();
    EXPECT_EQ(nic_.sent.size(), 3U);
    for (std::uint32_t index = 1; index < 4; ++index) {  // several between two edges
      reach(1, 0, index);
      reach(2, 0, index);
    }
    after_edge();
    EXPECT_EQ(nic_.sent.size(), 6U);
    EXPECT_EQ(job_->reached(0), 4U);
    EXPECT_TRUE(npu_.complete());
  });
}

// A leaf of a reduction, too; one that also passes results on sees them by itself.
TEST_F(NpuTest, OnlyASourceWithoutResultsWaitsForThoseOfOthers) {
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
  EXPECT_TRUE(CollectiveJob::waits_for_results(tree, leaf));
  EXPECT_TRUE(CollectiveJob::waits_for_results(tree, head));
  for (const Role& rank : {receiving, passing, combining, idle_head})
    EXPECT_FALSE(CollectiveJob::waits_for_results(tree, rank));
  tree.transport = Transport::kInSwitch;
  EXPECT_FALSE(CollectiveJob::waits_for_results(tree, leaf));
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
      // Port 1: as many as were taken, an open request, and two that wait; the head notices with the next
      // packet that the NIC takes that fewer do.
      EXPECT_EQ(by_port(1), taken + 1);
      EXPECT_LE(by_port(0), by_port(1) + 2);
      EXPECT_GE(by_port(0), by_port(1) + 1);
      if (taken == 0) {
        EXPECT_EQ(by_port(0), 3);
      }
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
