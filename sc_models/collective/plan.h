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
//     a phase; the switches add and distribute; the result arrives by the same NIC port. Where parts are lost, a rank that
//     the tree's slice does not join (switch_port < 0) sends its operand to one that it joins, as in an endpoint tree; this one
//     adds it to its own before it sends, and passes the result on.
// Ranks are positions in a part's group, 0 … N-1, NPUs and I/O controllers alike: what has a rank contributes and
//   receives what its collective says, the root of a reduce its own operand, too. The order of additions is part of the plan.
// Blocks of reduce-scatter, all-gather, gather, scatter and all-to-all: rank k has the bytes
//   [share_begin(bytes, N, k), share_begin(bytes, N, k + 1)) (collective/split.h).
// Order on a NIC port and VC: all members send the packets of a part's in-switch trees by (step,
//   packet / run, tree, packet); otherwise flows that join in the switches would wait for each
//   other for ever.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fp.h"
#include "routing/fred_routing.h"
#include "switch/phase_program.h"
#include "topology/topology.h"

namespace fredsim {

enum class Collective : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kReduce,
  kBroadcast,
  kGather,
  kScatter,
  kAllToAll,
  kMulticast,
  kUnicast,
  kAllToAllV,
};

// Which of the packets that wait for a channel goes first.
enum class PacketOrder : std::uint8_t {
  kAuto,  // what came first, or all-reduces in an order, where that costs nothing (collective/packet_order.h)
  kPaced,  // all in an order, and sources at a pace: slightly slower, and much less of a run is simulated
};

struct Send {
  int rank = 0;  // receiver
  int port = 0;  // NIC port to use
  int vc = kDp;
  std::uint32_t due = 0;  // the first packet, where packets have an order (Tree::interval)
};

// What one rank does for one tree. Endpoint tree: acc = local; then acc = acc + from(f) for each f
// of reduce_from in order; then the sum goes to reduce_to, or is the result where there is none.
struct TreeRank {
  int rank = 0;
  bool contributes = false;        // holds a local operand
  bool receives = false;           // ends up with the result
  std::vector<int> reduce_from;    // ranks
  std::vector<Send> reduce_to;     // none (root, or not part) or one
  std::vector<Send> broadcast_to;  // where this rank passes the result on to
  int switch_port = -1;            // in-switch: NIC port; -1: its slice does not join this rank
  int phase = 0;                   // in-switch: phase index this rank's packets carry
  // Endpoint trees whose sources go by acknowledgements (collective/acknowledgements.h): those of
  // reduce_from that this rank tells, the one that it has results from (or none), and whether
  // reduce_to tells it, and all of broadcast_to.
  std::vector<Send> acknowledge_sums, acknowledge_results;
  bool sums_acknowledged = false, results_acknowledged = false;
};

// An acknowledgement stands for so many packets, where nothing else is said (collective/acknowledgements.h).
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
  std::uint64_t interval = 0;  // of packets on a channel (collective/packet_order.h); 0: no order
  std::uint64_t acknowledge_packets = kAcknowledgePackets;  // that an acknowledgement stands for
  std::uint64_t in_frame = 1;                               // packets of a source in Part::frame
  std::vector<TreeRank> ranks;                              // those that do something, ascending
  SumOrder order;  // leaves are ranks: what the result must be, bit for bit
};

// One collective on one group.
struct Part {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;        // as printed: "hier_ring", "in_switch", …
  std::vector<NodeId> members;  // rank -> NPU or I/O controller
  std::uint64_t bytes = 0;      // size as the user gave it (NCCL meaning)
  int vc = kDp;  // its priority; single hops of endpoint trees may use another (Send)
  int root = 0;  // rank; of collectives that have one
  // Streams, multicast and reduce: not 0, the first so many ranks are roots, and the vector is cut into a block for each. A
  // block goes from its root to all members that are no roots, or their sum goes to it; roots add nothing and get nothing
  // from each other. All blocks are under way at once.
  int roots = 0;
  std::uint64_t start_cycle = 0;  // sends nothing before
  std::vector<int> after;         // parts that must be complete before it starts
  // Packets a source may have under way per tree, > 0: sent, and the result not seen there. Sources that
  // see no result of an endpoint tree go by acknowledgements (collective/acknowledgements.h).
  int window = 0;
  PacketOrder order = PacketOrder::kAuto;
  // Cycles in which sources start Tree::in_frame packets, evenly (collective/packet_pace.h); 0: they start them as fast as they may.
  std::uint64_t frame = 0;
  int packet_flits = kPacketFlits;  // longest packet; a tree's last one, or only one, is shorter
  int run = 1;  // packets of an in-switch tree that follow each other before the next tree's
  // Packets by which what a rank sends into one slice may be ahead of what it sends into others and to helpers, in proportion to
  // what it has to send there; 0: any number.
  int lead = 0;
  double bound_ns = 0;  // analytic: as Plan::bound_ns, of this part alone
  bool is_paced() const { return order == PacketOrder::kPaced; }
  // On a tree that has lost parts: what each slice carries, relative to the others (collective/slice_shares.h). Empty where endpoint
  // trees go hop by hop (collective/port_balance.h).
  std::vector<std::uint64_t> slice_weights{};
};

struct Plan {
  std::vector<Part> parts;
  std::vector<Tree> trees;  // trees without flits are left out
  std::vector<PhaseProgram> programs;
  std::vector<std::string> notes;  // what was decided otherwise than asked for, each once
  // Analytic lower bound on the time, from the busiest link: bytes / bandwidth. Not simulated.
  double bound_ns = 0;

  void note(const std::string& text);
};

// What is asked for: one collective on one group.
struct CollectiveSpec {
  Collective collective = Collective::kAllReduce;
  std::vector<int> group;   // in rank order (base/member.h): NPUs and I/O controllers
  std::uint64_t bytes = 0;  // all_to_all_v: what each rank sends on average
  std::string algorithm = "auto";
  int vc = kDp;
  int root = 0;   // rank
  int roots = 0;  // Part::roots
  std::uint64_t start_cycle = 0;
  PacketOrder order = PacketOrder::kAuto;
  std::vector<std::uint64_t> matrix;  // all_to_all_v: bytes from rank i to rank j at i * N + j
};

// What becomes of a part whose flows cannot be routed together with those of the parts before it.
enum class OnConflict : std::uint8_t {
  kRefuse,   // GroupConflict
  kLater,    // it starts when those are complete
  kUnicast,  // it becomes unicasts between the endpoints
};

// What keeps groups from being in the switches together.
struct Obstacle {
  enum class Kind : std::uint8_t {
    kSharedNpu,  // two of them send, or receive, at one NPU on one virtual channel
    kUplinks,    // no choice of uplinks gives every group its own
    kLinks,   // on a grid: no choice of rows and columns does; chiplet: a router where trees meet
    kFlows,   // whatever the choice, flows of a chiplet have no routing
    kGaveUp,  // the search was too long
  };
  Kind kind = Kind::kFlows;
  std::string why{};
  // kFlows: with the last choice tried, a chiplet and a minimal set of flows that it cannot route, and
  // the outermost level at which no colouring works (routing/fred_routing.h).
  struct PartFlow {
    int part = 0;
    Flow flow;
  };
  std::string chiplet{};
  int level = 0;
  std::vector<PartFlow> flows{};
};

class GroupConflict : public RoutingConflict {
 public:
  GroupConflict(const std::string& what, std::vector<int> parts, Obstacle obstacle)
      : RoutingConflict(what), parts_(std::move(parts)), obstacle_(std::move(obstacle)) {}
  // Without any one of them the others fit, or meet another kind of obstacle; kGaveUp: all.
  const std::vector<int>& parts() const { return parts_; }
  const Obstacle& obstacle() const { return obstacle_; }

 private:
  std::vector<int> parts_;
  Obstacle obstacle_;
};

std::string to_string(Collective collective);          // "all_reduce"
Collective parse_collective(const std::string& text);  // BadInput with the list of allowed names
std::string priority_name(int vc);                     // "mp", "pp", "dp"
int parse_priority(const std::string& text);           // the VC; BadInput likewise

// Algorithms: "auto", "paper", "ring", "hier_ring", "chain", "tree", "direct", "hier_direct", "multi_tree",
// "edge_tree", "in_switch" (README). BadInput where the fabric or group does not support the algorithm, naming what does;
// GroupConflict.
Plan make_plan(const Topology& topology, std::span<const CollectiveSpec> work,
               OnConflict on_conflict = OnConflict::kRefuse);
Plan make_plan(const Topology& topology, Collective collective, const std::vector<int>& group,
               std::uint64_t bytes, const std::string& algorithm);

// Sizes of an all_to_all_v where none are given: every block uniform in 0 … 2 bytes / N, so that a
// rank sends about `bytes`.
std::vector<std::uint64_t> random_matrix(int ranks, std::uint64_t bytes, std::uint64_t seed);

// Seed of the operands of a part; that of the run for part 0.
std::uint64_t operand_seed(std::uint64_t seed, int part);
// Operand of `rank` at (flit, lane): random, finite, both signs, magnitudes 2^-2 … 2^2, such that
// sums over a wafer stay finite and do round.
std::uint16_t operand(FpFormat format, std::uint64_t seed, int rank, std::uint64_t flit, int lane);
// The same for all lanes of `flits` flits from `first_flit`, flit-major.
void fill_operands(FpFormat format, std::uint64_t seed, int rank, std::uint64_t first_flit,
                   int flits, int lanes, std::uint16_t* out);
// The result prescribed by `order` at (flit, lane).
std::uint16_t expected(FpFormat format, std::uint64_t seed, const SumOrder& order,
                       std::uint64_t flit, int lane);

// NCCL-tests bus bandwidth factor: busbw = algbw * factor; all-reduce 2(N-1)/N.
double bus_factor(Collective collective, int ranks);

}  // namespace fredsim
