// SPDX-License-Identifier: Apache-2.0
// Collectives as data: who sends, receives and adds what, in which phase, after what.
//
// A plan is one work: several parts, each one collective on one group, that run at the same time.
// The data of a part lies in flits of 512 bytes, numbered per rank: its vector, or its blocks one
// after the other, each padded to whole flits. A plan cuts them into trees, each a range of flits
// whose last one may be short. Every packet of a tree's range runs through the tree by itself, so
// that all levels of a hierarchical algorithm overlap packet by packet and the plan's size does not
// depend on the bytes.
//   endpoint tree: each contributing rank holds a local operand; partial sums travel as unicast
//     packets from rank to rank towards the root (which adds, in the prescribed order), the result
//     travels from the root along `broadcast_to`. On a FRED tree the switches route them online.
//   in-switch tree: each contributing rank sends its operand into the fabric by one NIC port under
//     a phase; the switches add and distribute; the result arrives by the same NIC port. With
//     failed components, a rank that the tree's slice does not join (switch_port < 0) sends its
//     operand to one that it joins, as in an endpoint tree; this one adds it to its own before it
//     sends, and passes the result on.
//   sum at every rank: trees that follow each other bring the operands of all ranks to all, an
//     endpoint tree each; the tree after them, without hops, is the sum of their results, which
//     every rank adds by itself, in the order of the trees.
// Ranks are positions in a part's group, 0 … N-1, NPUs and I/O controllers alike: what has a rank
//   contributes and receives what its collective says, the root of a reduce its own operand, too.
//   The order of additions is part of the plan.
// Blocks of reduce-scatter, all-gather, gather, scatter and all-to-all: rank k has the bytes
//   [share_begin(bytes, N, k), share_begin(bytes, N, k + 1)) (plan/split.h).
// Order on a NIC port and VC: all members send the packets of a part's in-switch trees by (step,
//   packet / run, tree, packet); otherwise flows that join in the switches would wait for each
//   other for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/collective.h"
#include "plan/tree_ranks.h"
#include "routing/fred_routing.h"
#include "switch/phase_program.h"
#include "topology/topology.h"

namespace fredsim {

// An acknowledgement stands for so many packets, where nothing else is said
// (plan/acknowledgements.h).
inline constexpr std::uint64_t kAcknowledgePackets = 16;

enum class Transport : std::uint8_t { kEndpoint, kInSwitch };

struct Tree {
  Transport transport = Transport::kEndpoint;
  int part = 0;
  int step = 0;  // serial steps of a compound collective
  std::uint64_t first_flit = 0;
  std::uint64_t flits = 0;
  std::uint64_t bytes = 0;  // payload; more than (flits - 1) * 512
  bool is_acknowledged = false;
  std::uint64_t interval =
      0;  // interval of packets on a channel (collective/detail/packet_order.h); 0:
          // no order
  std::uint64_t acknowledge_packets = kAcknowledgePackets;  // packets per acknowledgement
  std::uint64_t in_frame = 1;                               // packets of a source in Part::frame
  // Sums at every rank: of a sum the number of operands, which are the results of so many trees
  // before it, all of its flits; of these trees the number of places to the sum. 0: neither.
  int operands = 0, to_sum = 0;
  TreeRanks ranks;  // those that do something, ascending
  TreeOrder order;  // leaves are ranks: what the result must be, bit for bit

  // Ranks that end up with a result of the collective; operands of a sum are none.
  std::uint64_t receivers() const { return to_sum > 0 ? 0 : ranks.receivers(); }
};

// One collective on one group.
struct Part {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;        // as printed: "hier_ring", "in_switch", …
  std::vector<NodeId> members;  // rank -> NPU or I/O controller; then relays
  // The last so many members are none of the group: NPUs outside of it, or adders of switches
  // (NodeKind::kAdder). They have no operand and no result, add what meets there and send it on.
  int relays = 0;
  std::uint64_t bytes = 0;  // size as the user gave it (NCCL meaning)
  int vc = kDp;             // its priority; single hops of endpoint trees may use another (Send)
  int root = 0;             // rank; of collectives that have one
  // Streams, multicast and reduce: not 0, the first so many ranks are roots, and the vector is cut
  // into a block for each. A block goes from its root to all members that are no roots, or their
  // sum goes to it; roots add nothing and get nothing from each other. All blocks are under way at
  // once.
  int roots = 0;
  std::uint64_t start_cycle = 0;  // sends nothing before
  std::vector<int> after;         // parts that must be complete before it starts
  // Packets a source may have under way per tree, > 0: sent, and the result not seen there. Sources
  // that see no result of an endpoint tree go by acknowledgements (plan/acknowledgements.h).
  int window = 0;
  PacketOrder order = PacketOrder::kAuto;  // as asked for
  bool is_ordered = false;  // its packets have an order (collective/detail/packet_order.h)
  // Cycles in which sources start Tree::in_frame packets, evenly (collective/detail/packet_pace.h);
  // 0: they start them as fast as they may.
  std::uint64_t frame = 0;
  int packet_flits = kPacketFlits;  // longest packet; a tree's last one, or only one, is shorter
  int run = 1;  // packets of an in-switch tree that follow each other before the next tree's
  // Packets by which what a rank sends into one slice may be ahead of what it sends into others and
  // to helpers, in proportion to what it has to send there; 0: any number.
  int lead = 0;
  double bound_ns = 0;  // analytic: as Plan::bound_ns, of this part alone
  int ranks() const { return static_cast<int>(members.size()) - relays; }
  // Members of the group.
  std::span<const NodeId> group() const {
    return std::span(members).first(static_cast<std::size_t>(ranks()));
  }
  bool is_paced() const { return order == PacketOrder::kPaced; }
  // On a tree with failed components: what each slice carries, relative to the others
  // (collective/detail/slice_shares.h). Empty where endpoint trees go hop by hop
  // (collective/detail/port_balance.h).
  std::vector<std::uint64_t> slice_weights{};
  std::string algorithms{};  // Plan::collectives: by dimension, as CollectiveSpec::algorithm
  // On systems (systems/system_plan.h): the dimension that it stays in, -1: none; and the
  // Plan::collectives that it is a step of.
  int dimension = -1;
  std::vector<int> collective_of{};
  // Members that receive something. Not set: those by the trees, which have all their ranks
  // (operations/own_ranks.h).
  std::optional<int> receivers{};
};

// Additions of two flits that the results of a tree take, in switches and at endpoints; a sum at
// every rank is one for each.
std::uint64_t additions_of(const Tree& tree);

struct RankOfPart {
  int part = 0, rank = 0;
};

struct Plan {
  std::vector<Part> parts;
  std::vector<Tree> trees;  // trees without flits are left out
  std::vector<PhaseProgram> programs;
  std::vector<std::string> notes;   // decisions that deviate from the request, each once
  std::vector<Part> collectives{};  // asked for, where parts are steps of them; without trees
  // Analytic lower bound on the time, from the busiest link: bytes / bandwidth. Not simulated.
  double bound_ns = 0;

  void note(const std::string& text);
};

}  // namespace fredsim
