// SPDX-License-Identifier: Apache-2.0
// Gradients of a stage: in which buffers they are sent (workload/schedule.h says how), along which
// groups, and how many bytes of them.
//
// Buffers: gradients of a stage follow each other, last layer first, and are cut into buffers of
//   equal size, the last one smaller; or one per layer. A layer without parameters is in none.
// Node-local reductions: `every` K, gradients are reduced within a node in each iteration, and over
//   the whole group along DP in each K-th one, in place of that. A node is what the lowest
//   dimension of a system (topology/system.h) that groups along DP cover joins.
// Compression: collectives along a parallel dimension carry one of so many bytes, rounded up.
//   Values are not changed, and it takes no time.
// Units: bytes.
// Errors: node_groups(): BadInput for a machine without dimensions, and for groups in one dimension
//   alone.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/parallelism.h"
#include "topology/topology.h"

namespace fredsim {

struct GradientBuffer {
  std::uint64_t bytes = 0;
  int first_layer = 0;  // lowest of those with gradients in it
};

class GradientCut {
 public:
  // `bytes`: of a buffer; 0: one per layer.
  explicit GradientCut(std::uint64_t bytes) : bytes_(bytes) {}
  // Layers in the order of the backward pass.
  void add(int layer, std::uint64_t bytes);
  // Puts what is left of the last layers into a buffer.
  void finish();
  // Buffers complete since the last call.
  std::vector<GradientBuffer> take();

 private:
  const std::uint64_t bytes_;
  std::uint64_t held_ = 0;  // bytes of the buffer that is not complete
  int lowest_ = 0;          // last layer with any
  std::vector<GradientBuffer> complete_;
};

struct Compression {
  double mp = 1, dp = 1, pp = 1;  // uncompressed over compressed bytes, 1 or more
  bool any() const { return mp > 1 || dp > 1 || pp > 1; }
  std::uint64_t compressed(std::uint64_t bytes, Dimension dimension) const;
};

// Parts of `groups`, of workers on `npus`, within a node each; those of one worker are left out.
std::vector<std::vector<int>> node_groups(const std::vector<std::vector<int>>& groups, int node,
                                          const std::vector<int>& npus, const Topology& topology);
// Dimension that joins a node: the lowest one that any of the groups covers. `every`: named in
// errors.
int node_dimension(const std::vector<std::vector<int>>& groups, const std::vector<int>& npus,
                   const Topology& topology, int every);

}  // namespace fredsim
