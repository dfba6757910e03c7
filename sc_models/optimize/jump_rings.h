// SPDX-License-Identifier: Apache-2.0
// Rings of a group of n nodes by their jump j: node i is followed by node (i + j) mod n
// (TotientPerms of TopoOpt, NSDI 2023, §4.2).
//
// A ring is Hamiltonian where j and n have no common divisor; there are phi(n) such jumps below n,
//   and fewer where only 1 and primes are taken.
// Choice of d of them: jump i, 0 <= i < d, is the least one that is free and not below (n -
//   1)^(i/d); where none is, the greatest one that is free. So jumps are about a geometric
//   sequence, and a node is reached by few of them.
// Both ways: links of a jump lead back, too, so that jumps up to n / 2 are all there are.
// Errors: BadInput where a group has fewer jumps than are asked for.
#pragma once

#include <vector>

namespace fredsim {

struct JumpKind {
  bool primes = false;     // 1 and primes alone
  bool both_ways = false;  // links lead both ways
};

// Ascending, of a group of 2 or more.
std::vector<int> possible_jumps(int nodes, JumpKind kind = {});
// Ascending; at least one.
std::vector<int> choose_jumps(int nodes, int count, JumpKind kind = {});
// Positions in the order of the ring, from 0.
std::vector<int> ring_order(int nodes, int jump);

// Routes between nodes of such a group by the fewest links: how often each jump is taken, which is
// the change of an amount, modulo n, in the fewest coins. Where several are as short, the one whose
// last jump is the earliest of the list.
class JumpRoutes {
 public:
  // Both ways: each jump is followed by the one back, n - j, in jumps().
  JumpRoutes(int nodes, const std::vector<int>& jumps, bool both_ways = false);

  const std::vector<int>& jumps() const { return jumps_; }
  // To the node that is `ahead` places after, 0 <= ahead < n; -1: there is none.
  int links(int ahead) const { return links_[ahead]; }
  // By jump. Of nodes that there is a route to.
  std::vector<int> counts(int ahead) const;
  int diameter() const;

 private:
  int nodes_;
  std::vector<int> jumps_;
  std::vector<int> links_;  // by places ahead
  std::vector<int> last_;   // index of the last jump
};

}  // namespace fredsim
