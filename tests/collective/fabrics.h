// SPDX-License-Identifier: Apache-2.0
// Fabrics for the tests of plans: the paper's wafers at several sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/fred_routing.h"
#include "topology/topology.h"

namespace fredsim::test {

inline constexpr double kMeshLink = 750e9;     // bytes/s
inline constexpr double kNpuBandwidth = 3e12;  // bytes/s

Topology mesh(int width, int height);
Topology torus(int width, int height);
// A mesh of routers that add.
Topology reducing_mesh(int width, int height);

Topology torus3d(int x, int y, int z, int planes = 1);

// NPUs with one-way links of 50 GB/s to the NPUs at the given distances after them.
Topology circulant(int npus, const std::vector<int>& jumps);

struct TreeSize {
  int l1_switches = 5;
  int npus_per_l1 = 4;
  int slices = 5;
  int uplinks = 4;
  int l2_chiplets_per_slice = 2;
  int middle = 3;
  std::uint64_t uplink_bandwidth = 12'000'000'000'000;  // per L1 switch
};
Topology fred_tree(const TreeSize& size = {}, bool in_switch = true);
// 64 NPUs on a tree of 4 x 4 x 4, five slices whose links all carry 600 GB/s.
Topology three_level_tree(std::uint64_t link_latency_ps);

// The fabric with the ports of every Fred switch renumbered at random.
Topology with_shuffled_ports(const Topology& topology, std::uint64_t seed);

// 0 … n-1.
std::vector<int> first_ranks(int n);

// Shape of a chiplet, a Fred_m(P).
FredSwitchShape fred_shape(const Topology& topology, NodeId chiplet);

}  // namespace fredsim::test
