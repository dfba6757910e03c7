// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic patterns: destinations of each node's packets.
//
// Nodes are the machine's N NPUs by rank; I/O controllers take no part. A grid of W x H is the
//   mesh's columns and rows, and on a FRED tree the NPUs of an L1 switch by the L1 switches: rank i
//   is column i mod W of row i / W on both.
//   uniform         every other node, equally likely
//   transpose       rank y*W + x sends to x*H + y: the matrix transposed, (x, y) -> (y, x) if W = H
//   bit_complement  rank i sends to N - 1 - i
//   neighbor        mesh: one column further east in its row, the last one to the first; FRED tree:
//                   rank i sends to i + 1, the last one to rank 0
//   hotspot         a packet goes to the hot node with the probability of the fraction, else as
//                   with uniform, which may be the hot node too; the hot node itself sends as with
//                   uniform
// A node never sends to itself: one that is its own partner (a diagonal of transpose, say) sends
//   nothing.
// Errors: BadInput with the option, the value found and the allowed ones: an unknown name, a hot
//   node that does not exist, a pattern in which no node of this machine sends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "topology/topology.h"

namespace fredsim {

enum class PatternKind : std::uint8_t { kUniform, kTranspose, kBitComplement, kNeighbor, kHotspot };

PatternKind parse_pattern(const std::string& name);
std::string_view to_string(PatternKind kind);

struct PatternSpec {
  PatternKind kind = PatternKind::kUniform;
  int hotspot_node = 0;           // its rank
  double hotspot_fraction = 0.2;  // 0 … 1
};

class TrafficPattern {
 public:
  TrafficPattern(const PatternSpec& spec, const Topology& topology);

  int nodes() const { return nodes_; }
  int sending_nodes() const;
  bool sends(int node) const { return partner_[node] != node; }
  // Destination of the next packet of a node that sends: a rank other than its own. Draws from
  // `random` in random patterns.
  int destination(int node, Random& random) const;

 private:
  static constexpr int kAny = -1;

  int nodes_;
  std::vector<int> partner_;  // index: node; kAny: drawn
  int hot_node_ = kAny;
  std::uint64_t hot_share_ = 0;  // units of 2^-53
};

}  // namespace fredsim
