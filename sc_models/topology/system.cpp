// SPDX-License-Identifier: Apache-2.0
#include "topology/system.h"

namespace fredsim {

SystemPlaces::SystemPlaces(const std::vector<SystemBlock>& blocks) {
  for (const SystemBlock& block : blocks) {
    Side& side = sides_.emplace_back();
    side.size = static_cast<int>(block.topology->npus.size());
    side.stride = npus_;
    npus_ *= side.size;
    side.controllers = static_cast<int>(block.topology->io_controllers.size());
    side.switches = static_cast<int>(block.topology->nodes.size()) - side.size - side.controllers;
    side.links = static_cast<int>(block.topology->links.size());
  }
  int node = npus_;
  int link = 0;
  for (int d = 0; d < dimensions(); ++d) {
    sides_[d].first_switch = node;
    node += groups(d) * sides_[d].switches;
    sides_[d].first_link = link;
    link += groups(d) * sides_[d].links;
  }
  for (int d = 0; d < dimensions(); ++d) {
    sides_[d].first_controller = node;
    node += groups(d) * sides_[d].controllers;
  }
}

int SystemPlaces::group(int npu, int dimension) const {
  const Side& side = sides_[dimension];
  return npu % side.stride + npu / (side.stride * side.size) * side.stride;
}

int SystemPlaces::npu(int dimension, int group, int place) const {
  const Side& side = sides_[dimension];
  return group % side.stride + side.stride * (place + side.size * (group / side.stride));
}

NodeId SystemPlaces::node(int dimension, int group, NodeId of_block) const {
  const Side& side = sides_[dimension];
  if (of_block < side.size) return npu(dimension, group, of_block);
  const int beyond = of_block - side.size;
  return beyond < side.switches
             ? side.first_switch + group * side.switches + beyond
             : side.first_controller + group * side.controllers + beyond - side.switches;
}

std::uint16_t address_in(const Topology& topology, NodeId endpoint, int dimension) {
  const Node& node = topology.nodes[endpoint];
  if (dimension < 0 || node.kind != NodeKind::kNpu) return node.address;
  const Topology& block = *topology.blocks[dimension].topology;
  return block.nodes[SystemPlaces(topology).place(endpoint, dimension)].address;
}

int dimension_of_port(const Topology& topology, int port) {
  int dimension = static_cast<int>(topology.blocks.size()) - 1;
  while (dimension > 0 && topology.blocks[dimension].first_port > port) --dimension;
  return dimension;
}

std::vector<std::uint16_t> port_addresses(const Topology& topology, NodeId endpoint) {
  std::vector<std::uint16_t> addresses;
  if (topology.nodes[endpoint].kind != NodeKind::kNpu) return addresses;
  for (int d = 0; d < std::ssize(topology.blocks); ++d) {
    const int ports = topology.blocks[d].topology->nodes.front().ports;
    addresses.insert(addresses.end(), ports, address_in(topology, endpoint, d));
  }
  return addresses;
}

}  // namespace fredsim
