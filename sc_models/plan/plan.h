// SPDX-License-Identifier: Apache-2.0
// Plan of collectives as data: the ranks that send, receive and add, the data, the phase, and the
// dependencies of each step.
//
// A plan is one work: several parts, each one collective on one group, that run at the same time.
// The data of a part lies in flits of 512 bytes, numbered per rank: the rank's vector, or its
// blocks one after the other, each padded to whole flits. A plan cuts them into trees, each a range
// of flits whose last one may be short. Every packet of a tree's range runs through the tree by
// itself, so that all levels of a hierarchical algorithm overlap packet by packet and the plan's
// size does not depend on the bytes.
//   endpoint tree: each contributing rank holds a local operand; partial sums travel as unicast
//     packets from rank to rank towards the root (which adds, in the prescribed order), the result
//     travels from the root along `broadcast_to`. On a FRED tree the switches route them online.
//   in-switch tree: each contributing rank sends its operand into the fabric by one NIC port under
//     a phase; the switches add and distribute; the result arrives by the same NIC port. With
//     failed components, a rank that the tree's slice does not join (switch_port < 0) sends its
//     operand to a rank that the slice joins, as in an endpoint tree. The joined rank adds the
//     operand to its own before it sends, and forwards the result.
//   sum at every rank: trees that follow each other bring the operands of all ranks to all ranks,
//     an endpoint tree each; the tree after them, without hops, is the sum of their results, which
//     every rank adds by itself, in the order of the trees.
// Ranks are positions in a part's group, 0 … N-1, NPUs and I/O controllers alike: every member with
//   a rank contributes and receives data as its collective defines; the root of a reduce also
//   contributes its operand. The order of additions is part of the plan.
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

// Default number of packets per acknowledgement (plan/acknowledgements.h).
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
  // Sums at every rank. `operands`, of a sum: number of operands, which are the results of as many
  // preceding trees in all flits of the sum. `to_sum`, of the tree of an operand: number of places
  // from it to the sum. 0: the tree is not of this kind.
  int operands = 0, to_sum = 0;
  TreeRanks ranks;  // ranks that take part, ascending
  TreeOrder order;  // leaves are ranks; fixes the result bit for bit

  // Number of ranks that receive a result of the collective; operands of a sum do not count.
  std::uint64_t receivers() const { return to_sum > 0 ? 0 : ranks.receivers(); }
};

// One collective on one group.
struct Part {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;        // as printed: "hier_ring", "in_switch", …
  std::vector<NodeId> members;  // rank -> NPU or I/O controller; then relays
  // Number of last members that are outside the group: relay NPUs or adders of switches
  // (NodeKind::kAdder). They have no operand and no result; they add incoming sums and forward
  // them.
  int relays = 0;
  std::uint64_t bytes = 0;  // size as the user gave it (NCCL meaning)
  int vc = kDp;             // its priority; single hops of endpoint trees may use another (Send)
  int root = 0;             // rank; for collectives that have a root
  // Number of roots of streams, multicasts and reduces; if not 0, the first `roots` ranks are
  // roots, and the vector is cut into a block for each. A block goes from its root to all members
  // that are not roots, or their sum goes to the root. Roots exchange no data with each other. All
  // blocks are in flight at once.
  int roots = 0;
  std::uint64_t start_cycle = 0;  // sends nothing before
  std::vector<int> after;         // parts that must be complete before it starts
  // Maximum of packets in flight per source and tree, > 0: packets sent whose result the source has
  // not seen. Sources that see no result of an endpoint tree count acknowledgements
  // (plan/acknowledgements.h).
  int window = 0;
  PacketOrder order = PacketOrder::kAuto;  // collective as requested
  bool is_ordered = false;  // its packets have an order (collective/detail/packet_order.h)
  // Period in cycles in which sources start Tree::in_frame packets, evenly spaced
  // (collective/detail/packet_pace.h); 0: sources are not paced.
  std::uint64_t frame = 0;
  int packet_flits = kPacketFlits;  // longest packet; only the last packet of a tree may be shorter
  int run = 1;  // consecutive packets of an in-switch tree before the next tree's
  // Maximum lead, in packets, of a rank's traffic into one slice over its traffic into other slices
  // and to helpers, in proportion to the traffic of each; 0: unlimited.
  int lead = 0;
  double bound_ns = 0;  // analytic: as Plan::bound_ns, for this part alone
  int ranks() const { return static_cast<int>(members.size()) - relays; }
  // Members of the group, without relays.
  std::span<const NodeId> group() const {
    return std::span(members).first(static_cast<std::size_t>(ranks()));
  }
  bool is_paced() const { return order == PacketOrder::kPaced; }
  // Relative load of each slice on a tree with failed components
  // (collective/detail/slice_shares.h). Empty where endpoint trees choose ports hop by hop
  // (collective/detail/port_balance.h).
  std::vector<std::uint64_t> slice_weights{};
  std::string algorithms{};  // Plan::collectives: by dimension, as CollectiveSpec::algorithm
  // On systems (systems/system_plan.h): the dimension of the part, -1: none; and the index in
  // Plan::collectives of the collective that it is a step of.
  int dimension = -1;
  std::vector<int> collective_of{};
  // Number of members that receive data. Not set: counted from the trees, which then have all their
  // ranks (operations/own_ranks.h).
  std::optional<int> receivers{};
};

// Additions of two flits that produce the results of a tree, in switches and at endpoints; a sum at
// every rank counts once per rank.
std::uint64_t additions_of(const Tree& tree);

struct RankOfPart {
  int part = 0, rank = 0;
};

struct Plan {
  std::vector<Part> parts;
  std::vector<Tree> trees;  // trees without flits are left out
  std::vector<PhaseProgram> programs;
  std::vector<std::string> notes;   // decisions that deviate from the request, each once
  std::vector<Part> collectives{};  // as requested, if parts are their steps; without trees
  // Analytic lower bound on the time, from the busiest link: bytes / bandwidth. Not simulated.
  double bound_ns = 0;

  void note(const std::string& text);
};

}  // namespace fredsim
