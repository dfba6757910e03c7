// SPDX-License-Identifier: Apache-2.0
// Buffers, groups and bytes of the gradients of a stage (workload/schedule.h has the collectives).
//
// Buffers: gradients of a stage follow each other, last layer first, and are cut into buffers of
//   equal size, the last one smaller; or one per layer. A layer without parameters is in none.
// Node-local reductions: with `every` K, gradients are reduced within a node in each iteration,
//   except in each K-th one, which reduces them over the whole group along DP. A node is the set of
//   NPUs joined by the lowest dimension of a system (topology/system.h) that groups along DP cover.
// Compression: collectives along a parallel dimension carry the bytes divided by a ratio, rounded
//   up. Values do not change, and compression takes no time.
// Units: bytes.
// Errors: node_groups(): BadInput for a machine without dimensions, and for groups in a single
//   dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/parallelism.h"
#include "topology/topology.h"

namespace fredsim {

struct GradientBuffer {
  std::uint64_t bytes = 0;
  int first_layer = 0;  // lowest layer with gradients in the buffer
};

class GradientCut {
 public:
  // `bytes`: of a buffer; 0: one per layer.
  explicit GradientCut(std::uint64_t bytes) : bytes_(bytes) {}
  // Adds a layer, in the order of the backward pass.
  void add(int layer, std::uint64_t bytes);
  // Closes the last buffer, with the remaining layers.
  void finish();
  // Takes the buffers completed since the last call.
  std::vector<GradientBuffer> take();

 private:
  const std::uint64_t bytes_;
  std::uint64_t held_ = 0;  // bytes of the buffer that is not complete
  int lowest_ = 0;          // last layer with gradients
  std::vector<GradientBuffer> complete_;
};

struct Compression {
  double mp = 1, dp = 1, pp = 1;  // uncompressed over compressed bytes, 1 or more
  bool any() const { return mp > 1 || dp > 1 || pp > 1; }
  std::uint64_t compressed(std::uint64_t bytes, Dimension dimension) const;
};

// Parts of `groups`, of workers on `npus`, within a node each; parts of one worker are left out.
std::vector<std::vector<int>> node_groups(const std::vector<std::vector<int>>& groups, int node,
                                          const std::vector<int>& npus, const Topology& topology);
// Dimension that joins a node: the lowest one that any of the groups covers. `every`: name for
// errors.
int node_dimension(const std::vector<std::vector<int>>& groups, const std::vector<int>& npus,
                   const Topology& topology, int every);

}  // namespace fredsim
