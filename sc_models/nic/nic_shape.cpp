// SPDX-License-Identifier: Apache-2.0
#include "nic/nic_shape.h"

#include <fmt/format.h>

#include <utility>

#include "switch/node_shape.h"
#include "topology/system.h"

namespace fredsim {
namespace {

constexpr int kMaxRanges = 8;  // maximum in a text

}  // namespace

EndpointAddresses::EndpointAddresses(const Topology& topology) {
  add(topology);
  for (const SystemBlock& block : topology.blocks) add(*block.topology);
}

void EndpointAddresses::add(const Topology& topology) {
  for (const Node& node : topology.nodes) {
    if (!node.is_endpoint()) continue;
    if (node.address >= known_.size()) known_.resize(node.address + std::size_t{1});
    known_[node.address] = true;
  }
}

std::string EndpointAddresses::text() const {
  std::string text;
  int ranges = 0;
  for (std::size_t first = 0; first < known_.size(); ++first) {
    if (!known_[first]) continue;
    std::size_t last = first;
    while (last + 1 < known_.size() && known_[last + 1]) ++last;
    if (!text.empty()) text += ", ";
    if (++ranges > kMaxRanges) return text + "…";
    text += first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
    first = last;
  }
  return text;
}

NicShape nic_shape(const Topology& topology, NodeId endpoint, int lanes,
                   std::shared_ptr<const EndpointAddresses> destinations) {
  const Node& node = topology.nodes[endpoint];
  NicShape shape{.ports = node.ports,
                 .lanes = lanes,
                 .address = node.address,
                 .port_addresses = port_addresses(topology, endpoint),
                 .receive_flits = topology.buffers.receive_flits,
                 .packet_flits = topology.packet_flits,
                 .vc_order = topology.vc_order,
                 .destinations = std::move(destinations)};
  for (int port = 0; port < node.ports; ++port) {
    const int link = topology.link_out(endpoint, port);
    const Node* to = link < 0 ? nullptr : &topology.nodes[topology.links[link].to];
    const bool has_switch = to != nullptr && to->is_switch();
    shape.phases.push_back(has_switch ? kind_of(*to).num_phases(switch_shape(topology, *to)) : 0);
  }
  return shape;
}

}  // namespace fredsim
