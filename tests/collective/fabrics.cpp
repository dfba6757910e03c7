// SPDX-License-Identifier: Apache-2.0
#include "fabrics.h"

#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "switch/node_shape.h"
#include "topology/fred_tree/fred_tree.h"
#include "topology/graph/graph.h"
#include "topology/torus2d/torus2d.h"
#include "topology/torus3d/torus3d.h"

namespace fredsim::test {
namespace {

MachineSpec plain_machine(std::string name, int npus) {
  MachineSpec spec;
  spec.name = std::move(name);
  spec.clock_hz = 1'500'000'000;
  spec.npus = npus;
  spec.npu_bandwidth = static_cast<std::uint64_t>(kNpuBandwidth);
  spec.link_latency_ps = 20'000;
  return spec;
}

Topology grid_of(int width, int height, const char* switch_kind, bool torus = false) {
  Mesh2dSpec spec;
  spec.width = width;
  spec.height = height;
  spec.link_bandwidth = static_cast<std::uint64_t>(kMeshLink);
  MachineSpec routers = plain_machine("mesh", width * height);
  routers.switch_kind = switch_kind;
  return torus ? build_torus2d(routers, spec) : build_mesh2d(routers, spec);
}

}  // namespace

Topology mesh(int width, int height) { return grid_of(width, height, "mesh"); }

Topology torus(int width, int height) { return grid_of(width, height, "mesh", true); }

Topology reducing_mesh(int width, int height) { return grid_of(width, height, "mesh_reducing"); }

Topology torus3d(int x, int y, int z, int planes) {
  MachineSpec spec = plain_machine("torus3d", x * y * z);
  spec.npu_bandwidth = 600'000'000'000;
  return build_torus3d(spec,
                       {.sides = {x, y, z}, .planes = planes, .ring_bandwidth = 200'000'000'000});
}

Topology circulant(int npus, const std::vector<int>& jumps) {
  GraphSpec spec;
  spec.label = "circulant";
  for (int i = 0; i < npus; ++i) spec.nodes.push_back({"n" + std::to_string(i), false, "node"});
  for (const int jump : jumps) {
    for (int i = 0; i < npus; ++i) {
      spec.links.push_back({i, (i + jump) % npus, 50'000'000'000, 20'000, 1, "link"});
      spec.links.back().one_way = true;
    }
  }
  MachineSpec machine = plain_machine("circulant", 0);
  machine.npu_bandwidth = 0;
  check_graph(spec);
  return build_graph(machine, spec);
}

Topology fred_tree(const TreeSize& size, bool in_switch) {
  FredTreeSpec spec;
  spec.tree.levels = levels_of({.l1_switches = size.l1_switches,
                                .npus_per_l1 = size.npus_per_l1,
                                .uplinks = size.uplinks,
                                .l2_chiplets_per_slice = size.l2_chiplets_per_slice,
                                .uplink_bandwidth = size.uplink_bandwidth});
  spec.slices = size.slices;
  spec.middle = size.middle;
  spec.in_switch = in_switch;
  return build_fred_tree(plain_machine("fred", size.l1_switches * size.npus_per_l1), spec);
}

Topology three_level_tree(std::uint64_t link_latency_ps) {
  MachineSpec machine = plain_machine("fred", 64);
  machine.link_latency_ps = link_latency_ps;
  FredTreeSpec spec;
  spec.tree.levels = {
      {.below = 4, .uplinks = 4, .uplink_bandwidth = 12'000'000'000'000},
      {.below = 4, .chiplets_per_slice = 2, .uplinks = 4, .uplink_bandwidth = 24'000'000'000'000},
      {.below = 4, .chiplets_per_slice = 4}};
  spec.slices = 5;
  spec.middle = 3;
  spec.in_switch = true;
  return build_fred_tree(machine, spec);
}

Topology with_shuffled_ports(const Topology& topology, std::uint64_t seed) {
  Topology shuffled = topology;
  Random random(seed);
  for (std::size_t n = 0; n < shuffled.nodes.size(); ++n) {
    if (shuffled.nodes[n].is_endpoint()) continue;
    std::vector<int> to = first_ranks(shuffled.nodes[n].ports);
    for (std::size_t p = to.size() - 1; p > 0; --p) std::swap(to[p], to[random.below(p + 1)]);
    for (Link& link : shuffled.links) {
      if (link.from == static_cast<NodeId>(n)) link.from_port = to[link.from_port];
      if (link.to == static_cast<NodeId>(n)) link.to_port = to[link.to_port];
    }
  }
  shuffled.index_ports();
  return shuffled;
}

std::vector<int> first_ranks(int n) {
  std::vector<int> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

FredSwitchShape fred_shape(const Topology& topology, NodeId chiplet) {
  const SwitchShape shape = switch_shape(topology, topology.nodes[chiplet]);
  return {shape.value("P"), shape.value("M")};
}

}  // namespace fredsim::test
