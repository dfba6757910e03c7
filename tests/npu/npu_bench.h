// SPDX-License-Identifier: Apache-2.0
// One NPU between a scripted NIC and a scripted rest of the machine. Plans are written by hand.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "npu/collective_job.h"
#include "npu/npu.h"
#include "plan/acknowledgements.h"
#include "plan/operand.h"
#include "support/simulation.h"

namespace fredsim::test {

inline constexpr int kPorts = 2;
inline constexpr int kRanks = 4;

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
struct RankPart {
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
    topology_.slices = kPorts;  // every port leads to everyone
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
  Tree& add_tree(int packets, const std::vector<RankPart>& ranks, std::vector<int> order) {
    Tree& tree = plan_.trees.emplace_back();
    tree.first_flit = 1000 * plan_.trees.size();
    tree.flits = static_cast<std::uint64_t>((packets - 1) * kPacketFlits + 1);
    tree.bytes = tree.flits * kFlitBytes;
    tree.ranks.all().assign(ranks.begin(), ranks.end());
    tree.order = SumOrder{std::move(order)};
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
    job_->release(0, 0);
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
    return expected(topology_.format, operand_seed(1, 0), t.order.sum(),
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

}  // namespace fredsim::test
