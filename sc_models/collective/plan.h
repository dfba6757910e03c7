// A collective as data: who sends, receives and adds what, in which phase, after what.
//
// The vector of a collective is `bytes` long and is cut into flits of 512 bytes (the last may be
// short). A plan splits the flits among trees. Every packet of a tree's range runs through the tree
// by itself, so that all levels of a hierarchical algorithm overlap packet by packet and the plan's
// size does not depend on `bytes`.
//   endpoint tree: each contributing rank holds a local operand; partial sums travel as unicast
//     packets from rank to rank towards the root (which adds, in the prescribed order), the result
//     travels from the root along `broadcast_to`.
//   in-switch tree: each contributing rank sends its operand into the fabric by one NIC port under
//     a phase; the switches add and distribute; the result arrives by the same NIC port.
// Ranks are positions in the group, 0 … N-1. The order of additions is part of the plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fp.h"
#include "routing/fred_routing.h"
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
};

struct Send {
  int rank = 0;  // receiver
  int port = 0;  // NIC port to use
};

// What one rank does for one tree. Endpoint tree: acc = local; then acc = acc + from(f) for each f
// of reduce_from in order; then the sum goes to reduce_to, or is the result where there is none.
struct TreeRank {
  bool contributes = false;        // holds a local operand
  bool receives = false;           // ends up with the result
  std::vector<int> reduce_from;    // ranks
  std::vector<Send> reduce_to;     // none (root, or not part) or one
  std::vector<Send> broadcast_to;  // where this rank passes the result on to
  int switch_port = -1;            // in-switch: NIC port
  int phase = 0;                   // in-switch: phase index this rank's packets carry
};

enum class Transport : std::uint8_t { kEndpoint, kInSwitch };

struct Tree {
  Transport transport = Transport::kEndpoint;
  std::uint64_t first_flit = 0;
  std::uint64_t flits = 0;
  std::vector<TreeRank> ranks;  // one per rank of the group
  SumOrder order;               // leaves are ranks: what the result must be, bit for bit
};

// A phase to load into a switch before the run (register writes of one phase-store row).
struct PhaseProgram {
  NodeId node = 0;
  int phase = 0;
  std::vector<std::uint32_t> row;
};

struct Plan {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;        // as printed: "hier_ring", "in_switch", …
  std::vector<NodeId> members;  // rank -> NPU
  std::uint64_t bytes = 0;      // size as the user gave it (NCCL meaning, DESIGN §5)
  std::uint64_t flits = 0;      // ceil(bytes / 512)
  int vc = kDp;
  int packet_flits = kPacketFlits;  // longest packet; a tree's last one, or only one, is shorter
  int window = 0;                   // packets a source may have under way per tree, > 0
  std::vector<Tree> trees;          // trees without flits are left out
  std::vector<PhaseProgram> programs;
  // Analytic lower bound on the time, from the busiest link: bytes / bandwidth. Not simulated.
  double bound_ns = 0;
};

std::string to_string(Collective collective);          // "all_reduce"
Collective parse_collective(const std::string& text);  // BadInput with the list of allowed names

// Algorithms: "auto", "ring", "hier_ring", "in_switch". BadInput where the fabric or group does not
// support the collective or algorithm, naming what is.
Plan make_plan(const Topology& topology, Collective collective, const std::vector<int>& group,
               std::uint64_t bytes, const std::string& algorithm);

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
