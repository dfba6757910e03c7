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
//   tornado         in each dimension of size k, ceil(k/2) - 1 places further, cyclically; FRED tree
//                   and other networks of switches: one dimension of N
//   shuffle         N = 2^b: rank i sends to its b bits rotated left by one
//   bit_rotation    N = 2^b: rank i sends to its b bits rotated right by one
//   bit_reverse     N = 2^b: rank i sends to its b bits in reverse order
//   random_permutation  any permutation, equally likely, drawn by the seed
//   asymmetric      rank i sends to i mod N/2 or N/2 further, equally likely, without itself: if N is
//                   even, to the other of the two
//   background      every other node that is not excluded, equally likely
//   matrix          rates from a file (rate_matrix.h), relative to the injection rate
// Sources: BookSim2's traffic.cpp; bit_rotation: Garnet's synthetic traffic.
// A node never sends to itself: one that is its own partner (a diagonal of transpose, say) sends
//   nothing.
// Errors: BadInput with the option, the value found and the allowed ones: an unknown name, a node
//   that does not exist, a number of nodes that the pattern is not defined for, a pattern in which
//   no node of this machine sends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "topology/topology.h"
#include "traffic/alternatives.h"
#include "traffic/rate_matrix.h"

namespace fredsim {

enum class PatternKind : std::uint8_t {
  kUniform,
  kTranspose,
  kBitComplement,
  kNeighbor,
  kHotspot,
  kTornado,
  kShuffle,
  kBitReverse,
  kBitRotation,
  kRandomPermutation,
  kAsymmetric,
  kBackground,
  kMatrix
};

PatternKind parse_pattern(const std::string& name);
std::string_view to_string(PatternKind kind);
std::string pattern_list();  // "uniform, transpose … or background"

struct PatternSpec {
  PatternKind kind = PatternKind::kUniform;
  int hotspot_node = 0;                        // its rank
  double hotspot_fraction = 0.2;               // 0 … 1
  std::vector<int> excluded{};                 // ranks that background sends nothing to
  std::shared_ptr<const RateMatrix> matrix{};  // rates of pattern matrix
};

class TrafficPattern {
 public:
  // `seed`: of a random permutation.
  TrafficPattern(const PatternSpec& spec, const Topology& topology, std::uint64_t seed = 1);

  int nodes() const { return nodes_; }
  int sending_nodes() const;
  bool sends(int node) const { return partner_[node] != node; }
  // Rate of a node's packets, relative to the injection rate: 1 except in a matrix.
  double load(int node) const { return loads_.empty() ? 1 : loads_[node]; }
  double max_load() const;
  bool has_loads() const { return !loads_.empty(); }
  // Destination of the next packet of a node that sends: a rank other than its own. Draws from
  // `random` in random patterns.
  int destination(int node, Random& random) const {
    return is_uniform_ ? any_other(node, random) : destination_by_kind(node, random);
  }

 private:
  static constexpr int kAny = -1;

  int any_other(int node, Random& random) const {
    const int other = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes_ - 1)));
    return other < node ? other : other + 1;
  }
  int destination_by_kind(int node, Random& random) const;

  void exclude(const std::vector<int>& nodes, const Topology& topology);
  void read_matrix(const RateMatrix& matrix, const Topology& topology);
  // Lets a node draw among others; without any, it sends nothing.
  void choose(int node, const std::vector<std::pair<int, double>>& weights);

  int nodes_;
  bool is_uniform_ = false;
  std::vector<int> partner_;  // index: node; kAny: drawn
  int hot_node_ = kAny;
  std::uint64_t hot_share_ = 0;        // units of 2^-53
  std::vector<Alternatives> choices_;  // index: node; empty: every other one, or `allowed_`
  std::vector<int> allowed_;           // destinations, ascending; empty: all
  std::vector<double> loads_;          // index: node; empty: all 1
};

}  // namespace fredsim
