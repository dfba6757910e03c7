#include "topology/facts.h"

#include <fmt/format.h>

#include "topology/topology_kind.h"

namespace fredsim {

std::uint64_t bisection_bytes_per_second(const Topology& topology) {
  return topology_kind(topology.kind).bisection_bytes_per_second(topology);
}

std::string place_name(const Topology& topology, const Node& node) {
  if (node.is_endpoint()) return node.kind == NodeKind::kNpu ? "NPU" : "I/O";
  return topology.has_levels() ? fmt::format("L{}", node.level) : "router";
}

}  // namespace fredsim
