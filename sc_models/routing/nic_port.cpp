#include "routing/nic_port.h"

#include "routing/mesh_routing.h"

namespace fredsim {

int nic_port(const Topology& topology, NodeId from, NodeId to, int spread) {
  if (topology.is_grid()) return mesh_nic_port(topology, from, topology.nodes[to].address);
  return spread % topology.nodes[from].ports;
}

}  // namespace fredsim
