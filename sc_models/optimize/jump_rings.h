// SPDX-License-Identifier: Apache-2.0
// Rings of a group of n nodes by their jump j: node i is followed by node (i + j) mod n
// (TotientPerms of TopoOpt, NSDI 2023, §4.2).
//
// A ring is Hamiltonian if j and n are coprime. There are phi(n) such jumps below n, fewer if only
//   1 and primes are allowed.
// Choice of d jumps: jump i, 0 <= i < d, is the smallest unused jump of at least (n - 1)^(i/d),
//   else the largest unused jump. So jumps approximate a geometric sequence, and every node is a
//   few jumps away.
// Both ways: each link has a reverse link, so that only jumps up to n / 2 are distinct.
// Errors: BadInput if a group has fewer jumps than requested.
#pragma once

#include <vector>

namespace fredsim {

struct JumpKind {
  bool primes = false;     // 1 and primes alone
  bool both_ways = false;  // links lead both ways
};

// Ascending, of a group of 2 or more.
std::vector<int> possible_jumps(int nodes, JumpKind kind = {});
// Jumps in ascending order; at least one.
std::vector<int> choose_jumps(int nodes, int count, JumpKind kind = {});
// Positions in the order of the ring, from 0.
std::vector<int> ring_order(int nodes, int jump);

// Routes with the fewest links between nodes of such a group: a coin-change problem, with the
// distance modulo n as the amount and the jumps as coins. Ties: the route whose last jump comes
// first in the list.
class JumpRoutes {
 public:
  // `both_ways`: each jump j is followed by its reverse, n - j, in jumps().
  JumpRoutes(int nodes, const std::vector<int>& jumps, bool both_ways = false);

  const std::vector<int>& jumps() const { return jumps_; }
  // Hops to the node `ahead` places after, 0 <= ahead < n; -1: unreachable.
  int links(int ahead) const { return links_[ahead]; }
  // Uses of each jump on the route, for a reachable node.
  std::vector<int> counts(int ahead) const;
  int diameter() const;

 private:
  int nodes_;
  std::vector<int> jumps_;
  std::vector<int> links_;  // by places ahead
  std::vector<int> last_;   // index of the last jump
};

}  // namespace fredsim
