// SPDX-License-Identifier: Apache-2.0
#include "topology/graphviz.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/units.h"

namespace fredsim {
namespace {

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text)
    all += c == '"' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
  return all + "\"";
}

std::string_view shape_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::kNpu:
      return "box";
    case NodeKind::kSwitch:
      return "ellipse";
    case NodeKind::kIo:
      return "diamond";
    case NodeKind::kAdder:
      break;
  }
  return "triangle";
}

// Nodes and edges; `prefix` tells nodes of blocks apart.
std::string nodes_and_edges(const Topology& topology, const std::string& prefix) {
  std::string text;
  const auto name = [&](NodeId node) { return quoted(prefix + topology.nodes[node].name); };
  for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes.size()); ++node) {
    const Node& one = topology.nodes[node];
    text += fmt::format("  {} [label={}, shape={}{}];\n", name(node), quoted(one.name),
                        shape_of(one.kind), one.failed ? ", style=dashed" : "");
  }
  struct Count {
    int forward = 0, backward = 0;
  };
  std::map<std::tuple<NodeId, NodeId, std::uint64_t, bool>, Count> edges;
  for (const Link& link : topology.links) {
    const auto [a, b] = std::minmax(link.from, link.to);
    Count& count = edges[{a, b, link.bytes_per_second, link.on_die}];
    ++(link.from == a ? count.forward : count.backward);
  }
  for (const auto& [edge, count] : edges) {
    const auto& [a, b, bandwidth, on_die] = edge;
    const int both = std::min(count.forward, count.backward);
    const std::string rate = format_bandwidth(static_cast<double>(bandwidth));
    const char* const style = on_die ? ", style=dotted" : "";
    const auto add = [&](NodeId from, NodeId to, int number, const char* direction) {
      if (number == 0) return;
      text += fmt::format("  {} -> {} [dir={}, label={}{}];\n", name(from), name(to), direction,
                          quoted(number == 1 ? rate : fmt::format("{} x {}", number, rate)), style);
    };
    add(a, b, both, "none");
    add(a, b, count.forward - both, "forward");
    add(b, a, count.backward - both, "forward");
  }
  return text;
}

}  // namespace

std::string graphviz(const Topology& topology) {
  std::string text = fmt::format("digraph {} {{\n", quoted(topology.name));
  if (!topology.has_blocks()) return text + nodes_and_edges(topology, "") + "}\n";
  for (std::size_t b = 0; b < topology.blocks.size(); ++b) {
    const SystemBlock& block = topology.blocks[b];
    text += fmt::format("  subgraph cluster_{} {{\n  label={};\n{}  }}\n", b,
                        quoted(fmt::format("{}: {}", block.name, block.word)),
                        nodes_and_edges(*block.topology, fmt::format("{}:", b)));
  }
  return text + "}\n";
}

}  // namespace fredsim
