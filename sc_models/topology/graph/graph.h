// SPDX-License-Identifier: Apache-2.0
// Systems of arbitrary shape: NPUs, switches and links, as listed by the user.
//
//   The listed switches are the only ones that forward packets if two conditions hold: no NPUs are
//     joined to each other, and every two NPUs have links into a common part of the switches (parts
//     are joined by NPUs only). Each link of an NPU then has a NIC port of its own, and nothing is
//     on its die.
//   Otherwise every NPU that is joined to another NPU, or has several links, has a switch on its
//     die. It forwards packets of other NPUs, is one cycle away from its NPU, and has all of its
//     links.
//   Planes: the traffic between NPUs is spread, pair by pair, over all NIC ports with equal paths
//     (topology/graph/graph_paths.h). Parallel links of an NPU are one link with the sum of their
//     bandwidths; between switches each is a link.
// One way: links between NPUs in one direction only, as many from each NPU as to it: a port's
//   output link may lead to a different NPU than its input link comes from, as with fibres at a
//   patch panel. Such a graph is run as flows alone, its paths have the fewest links
//   (topology/graph/one_way_paths.h), and none of its components can fail.
// Names: NPUs npu<i>, in the order listed; switches as listed, on dies npu<i>.router.
// Ports. Of an NPU: by part of the switches, then by the node that the link leads to, in the order
//   in which nodes are listed. Of a switch on a die: 0 to its NPU, then by node, then one-way links
//   in the listed order. Of other switches: by node. The order of two-way links, and of their ends,
//   has no effect.
// Adders: reduction engines of switches. Each has one two-way link to a switch, in a graph of one
//   plane. They belong to no NPU, and algorithms that use them perform additions there
//   (collective/algorithms/switch_reads.cpp). Names adder<k>, in the order listed.
// Addresses: NPU i has address i, adder k the number of NPUs plus k.
// Paths: topology/graph/graph_paths.h.
// Errors: BadInput with the label of the node or link (file and line, or key): check_graph(); or
//   the key of a machine whose clock does not carry a link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

inline constexpr int kMaxGraphNpus = 65'536;
inline constexpr int kMaxGraphSwitches = 16'384;

struct GraphNode {
  std::string name{};
  bool is_switch = false;
  std::string label{};    // location in the input: "graph.yaml:7: nodes.2"
  bool is_adder = false;  // NodeKind::kAdder

  bool is_npu() const { return !is_switch && !is_adder; }
};

// Link in both directions, unless it is one way.
struct GraphLink {
  int from = 0, to = 0;         // indices of nodes
  std::uint64_t bandwidth = 0;  // bytes/s per direction, of one parallel link
  std::uint64_t latency_ps = 0;
  int count = 1;  // in parallel
  std::string label{};
  bool one_way = false;
  Rational efficiency{1, 1};  // share of the rate that carries flits
};

struct GraphSpec {
  std::vector<GraphNode> nodes{};
  std::vector<GraphLink> links{};
  std::string label{};  // label of the whole graph
};

// Checks a graph. BadInput: duplicate names, fewer than two NPUs or too many nodes, a link from a
// node to itself, a disconnected graph, one-way links that end at a switch, or an NPU with unequal
// numbers of one-way links out and in.
void check_graph(const GraphSpec& spec);

// Builds the topology of a valid spec.
Topology build_graph(const MachineSpec& machine, const GraphSpec& spec);

const TopologyKind& graph_kind();

}  // namespace fredsim
