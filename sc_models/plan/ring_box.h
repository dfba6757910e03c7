// SPDX-License-Identifier: Apache-2.0
// Box of ranks in several dimensions, whose lines have trees of one shape: the data of
// collective/endpoint_trees.h.
#pragma once

#include <cstdint>
#include <vector>

namespace fredsim {

// Shape of the trees on a line of a box.
enum class LineShape : std::uint8_t {
  kChain,
  kBinaryTree,  // place k, counted from the owner's, is below place (k - 1) / 2
  kStar,        // all places are below the owner's
  kHalving,     // parent of p: p with its highest bit unlike the owner's flipped; 2^k places
};

// ranks[p]: rank at position p, dimension 0 fastest. VCs of the hops by dimension, towards the
// owner and back; empty: all hops on the part's VC.
struct RingBox {
  std::vector<int> sides{};
  std::vector<int> ranks{};
  std::vector<int> reduce_vcs{}, broadcast_vcs{};
  LineShape shape = LineShape::kChain;
};

}  // namespace fredsim
