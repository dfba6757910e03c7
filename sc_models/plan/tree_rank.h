// SPDX-License-Identifier: Apache-2.0
// Role of a rank in a tree of a plan (plan/plan.h): what it sends, receives and adds.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flit.h"

namespace fredsim {

// Ranks that hold operands, ranks that get the result.
enum class Roles : std::uint8_t {
  kAllToAll,  // all, all
  kToRoot,    // all, the root
  kFromRoot,  // the root, all
  kToOthers,  // the root, all others
};
inline bool reduces(Roles roles) { return roles == Roles::kAllToAll || roles == Roles::kToRoot; }
inline bool broadcasts(Roles roles) { return roles != Roles::kToRoot; }

struct Send {
  int rank = 0;  // receiver
  int port = 0;  // NIC port to use
  int vc = kDp;
  std::uint32_t due = 0;  // the first packet, where packets have an order (Tree::interval)
};

// Role of one rank in one tree. Endpoint tree: acc = local; then acc = acc + from(f) for each f of
// reduce_from in order; then the sum goes to reduce_to, or is the result where there is none.
struct TreeRank {
  int rank = 0;
  bool contributes = false;        // holds a local operand
  bool receives = false;           // ends up with the result
  std::vector<int> reduce_from;    // ranks
  std::vector<Send> reduce_to;     // none (root, or not part) or one
  std::vector<Send> broadcast_to;  // receivers of the result from this rank
  int switch_port = -1;            // in-switch: NIC port; -1: its slice does not join this rank
  int phase = 0;                   // in-switch: phase index this rank's packets carry
  // Endpoint trees whose sources go by acknowledgements (plan/acknowledgements.h): those of
  // reduce_from that this rank tells, the one that it has results from (or none), and whether
  // reduce_to tells it, and all of broadcast_to.
  std::vector<Send> acknowledge_sums, acknowledge_results;
  bool sums_acknowledged = false, results_acknowledged = false;
};

}  // namespace fredsim
