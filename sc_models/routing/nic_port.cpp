// SPDX-License-Identifier: Apache-2.0
#include "routing/nic_port.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "routing/mesh_routing.h"
#include "topology/faults.h"
#include "topology/unicast_paths.h"

namespace fredsim {

int nic_port(const Topology& topology, NodeId from, NodeId to, int spread) {
  if (topology.unicasts == UnicastRoutes::kByCoordinates)
    return mesh_nic_port(topology, from, topology.nodes[to].address);
  const std::vector<int> chosen = chosen_nic_ports(topology, from, to);
  if (!chosen.empty()) return chosen[static_cast<std::size_t>(spread) % chosen.size()];
  const int ports = topology.nodes[from].ports;
  if (!topology.failed.any() || topology.failed.leave_path(from, to, spread % ports))
    return spread % ports;
  std::vector<int> left;
  for (int port = 0; port < ports; ++port)
    if (topology.failed.leave_path(from, to, port)) left.push_back(port);
  if (left.empty()) {
    throw BadInput(fmt::format("{}: {} does not reach {} any more{}", topology.name,
                               topology.nodes[from].name, topology.nodes[to].name,
                               faults_text(topology)));
  }
  return left[static_cast<std::size_t>(spread) % left.size()];
}

std::vector<int> chosen_nic_ports(const Topology& topology, NodeId from, NodeId to) {
  if (topology.paths == nullptr) return {};
  return topology.paths->nic_ports(from, topology.nodes[to].address);
}

bool has_nic_port(const Topology& topology, NodeId from, NodeId to) {
  if (!topology.failed.cut_slices()) return true;
  for (int port = 0; port < topology.failed.reach.slices; ++port)
    if (topology.failed.leave_path(from, to, port)) return true;
  return false;
}

}  // namespace fredsim
