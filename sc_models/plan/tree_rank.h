// SPDX-License-Identifier: Apache-2.0
// Role of a rank in a tree of a plan (plan/plan.h): its hops and its additions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flit.h"

namespace fredsim {

// Roles: ranks that hold operands, ranks that receive the result.
enum class Roles : std::uint8_t {
  kAllToAll,  // all ranks, all ranks
  kToRoot,    // all ranks, the root
  kFromRoot,  // the root, all ranks
  kToOthers,  // the root, all ranks but the root
};
inline bool reduces(Roles roles) { return roles == Roles::kAllToAll || roles == Roles::kToRoot; }
inline bool broadcasts(Roles roles) { return roles != Roles::kToRoot; }

struct Send {
  int rank = 0;  // receiver
  int port = 0;  // NIC port to use
  int vc = kDp;
  std::uint32_t due = 0;  // due time of the first packet, for ordered packets (Tree::interval)
};

// Role of one rank in one tree. Endpoint tree: acc = local; then acc = acc + from(f) for each f of
// reduce_from in order; then the sum goes to reduce_to, or is the result where there is none.
struct TreeRank {
  int rank = 0;
  bool contributes = false;        // holds a local operand
  bool receives = false;           // ends up with the result
  std::vector<int> reduce_from;    // ranks
  std::vector<Send> reduce_to;     // empty (root, or no part in the sum) or one
  std::vector<Send> broadcast_to;  // receivers of the result from this rank
  int switch_port = -1;  // in-switch: NIC port; -1: the tree's slice does not join this rank
  int phase = 0;         // in-switch: phase index in the packets of this rank
  // Acknowledgements of endpoint trees whose sources count them (plan/acknowledgements.h). Lists:
  // hops to the ranks of reduce_from, and to the rank that sends results (or none). Flags:
  // reduce_to, and all of broadcast_to, send acknowledgements to this rank.
  std::vector<Send> acknowledge_sums, acknowledge_results;
  bool sums_acknowledged = false, results_acknowledged = false;
};

}  // namespace fredsim
