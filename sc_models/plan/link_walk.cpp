// SPDX-License-Identifier: Apache-2.0
#include "plan/link_walk.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "routing/mesh_routing.h"
#include "switch/node_shape.h"
#include "topology/mesh_address.h"
#include "topology/system.h"
#include "topology/unicast_paths.h"

namespace fredsim {

LinkWalk::LinkWalk(const Topology& topology, const Plan& plan, bool online)
    : topology_(topology), plan_(plan) {
  for (const PhaseProgram& program : plan.programs) {
    const SwitchShape shape = switch_shape(topology, topology.nodes[program.node]);
    programs_[{program.node, program.phase}] = shape.kind->phase_flows(shape, program.row);
  }
  if (online && topology.paths == nullptr)
    routes_ = online_routes(topology, std::numeric_limits<std::uint16_t>::max());
}

void LinkWalk::walk(const Tree& tree, const OnLink& on_link) const {
  const std::vector<NodeId>& members = plan_.parts[tree.part].members;
  walk_in_switch(tree, on_link);
  for_each_send(tree.ranks, [&](int rank, const Send& send) {
    walk_hop(members[rank], members[send.rank], send.port, on_link);
  });
}

void LinkWalk::walk_in_switch(const Tree& tree, const OnLink& on_link,
                              const OnFlow& on_flow) const {
  if (tree.transport != Transport::kInSwitch) return;
  const std::vector<NodeId>& members = plan_.parts[tree.part].members;
  Fired fired;
  for (const TreeRank& rank : tree.ranks) {
    if (rank.switch_port < 0 || !rank.contributes) continue;
    const Link& first = cross(members[rank.rank], rank.switch_port, on_link);
    follow_flows(rank.phase, first, fired, on_link, on_flow);
  }
}

const Link& LinkWalk::cross(NodeId node, int port, const OnLink& on_link) const {
  const int link = topology_.link_out(node, port);
  assert(link >= 0);
  on_link(link);
  return topology_.links[link];
}

void LinkWalk::follow_flows(int phase, const Link& arrival, Fired& fired, const OnLink& on_link,
                            const OnFlow& on_flow) const {
  const NodeId node = arrival.to;
  if (topology_.nodes[node].is_endpoint()) return;
  const std::vector<Flow>& flows = programs_.at({node, phase});
  const auto flow = std::ranges::find_if(
      flows, [&](const Flow& f) { return (f.inputs >> arrival.to_port & 1U) != 0; });
  assert(flow != flows.end());
  if (!fired.emplace(node, static_cast<int>(flow - flows.begin())).second) return;
  if (on_flow) on_flow(node, *flow);
  for (std::uint32_t ports = flow->outputs; ports != 0; ports &= ports - 1)
    follow_flows(phase, cross(node, std::countr_zero(ports), on_link), fired, on_link, on_flow);
}

void LinkWalk::walk_hop(NodeId from, NodeId to, int port, const OnLink& on_link) const {
  const int dimension = dimension_of_port(topology_, port);
  const std::uint16_t address = address_in(topology_, to, dimension);
  const Topology& block = dimension < 0 ? topology_ : *topology_.blocks[dimension].topology;
  const bool by_table = block.unicasts == UnicastRoutes::kByTable;
  const Link* link = &cross(from, port, on_link);
  while (link->to != to) link = &cross(link->to, next_port(*link, address, by_table), on_link);
}

int LinkWalk::last_of_two(int first, NodeId to) const {
  const Link& up = topology_.links[first];
  if (topology_.has_blocks() || topology_.nodes[up.to].is_endpoint()) return -1;
  const int port =
      next_port(up, topology_.nodes[to].address, topology_.unicasts == UnicastRoutes::kByTable);
  const int last = topology_.link_out(up.to, port);
  return topology_.links[last].to == to ? last : -1;
}

int LinkWalk::next_port(const Link& arrival, std::uint16_t destination, bool by_table) const {
  if (topology_.paths != nullptr) return topology_.paths->port(arrival.to, destination);
  if (by_table) return routes_[arrival.to][destination] - 1;
  const MeshPlace& router = topology_.nodes[arrival.to].mesh;
  const MeshPosition to = mesh_position(destination);
  const int direction = mesh_direction(router.x, router.y, to.x, to.y, topology_.grid.rings);
  if (direction >= 0) return direction;
  const int endpoint = mesh_endpoint(destination);  // 0: the NPU
  return endpoint == 0 ? mesh_npu_port(arrival.to_port, router.local_ports, router.no_link)
                       : kFirstLocal + router.local_ports + endpoint - 1;
}

}  // namespace fredsim
