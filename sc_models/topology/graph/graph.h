// SPDX-License-Identifier: Apache-2.0
// Systems of arbitrary shape: NPUs, switches and links, as listed by the user.
//
//   Switches in which packets can go on are the listed ones. Where no NPUs are joined to each
//     other, and every two of them have links into one of the parts of the switches that nothing
//     but NPUs joins, each link of an NPU has a NIC port of its own, and nothing is on its die.
//   Else a switch is on the die of every NPU that is joined to another NPU or has several links;
//     it forwards packets of other NPUs, is one cycle away from its NPU, and has all of its links.
//   Planes: shares of the traffic between NPUs, which spread over all NIC ports with equal paths,
//     pair by pair (topology/graph/graph_paths.h). Parallel links of an NPU are one link of their
//     bandwidth together; between switches each is a link.
// One way: links between NPUs in one direction only, as many from each NPU as to it: a port's
//   output link may lead to a different NPU than its input link comes from, as with fibres at a
//   patch panel. Such a graph is run as flows alone, its paths have the fewest links
//   (topology/graph/one_way_paths.h), and none of its components can fail.
// Names: NPUs npu<i>, in the order listed; switches as listed, on dies npu<i>.router.
// Ports: of an NPU by part of the switches, then by the node that its link leads to, in the order
//   in which nodes are listed; of a switch on a die 0 to its NPU, then by node, then links one way
//   as they are listed; of other switches by node. The order of links both ways, and of their ends,
//   changes nothing.
// Adders: reduction engines of switches. Each has one two-way link to a switch, in a graph of one
//   plane. They belong to no NPU, and algorithms that use them perform additions there
//   (collective/algorithms/switch_reads.cpp). Names adder<k>, in the order listed.
// Addresses: NPU i has address i, adder k that of the NPUs' number plus k.
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
