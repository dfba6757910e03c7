// SPDX-License-Identifier: Apache-2.0
#include "plan/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/int128.h"
#include "base/member.h"
#include "topology/faults.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

NodeId node_of(const Topology& topology, int member) {
  const bool is_io = is_io_member(member);
  const std::vector<NodeId>& nodes = is_io ? topology.io_controllers : topology.npus;
  const int number = is_io ? io_of_member(member) : member;
  if (number < std::ssize(nodes)) return nodes[number];
  if (!is_io) {
    throw BadInput(fmt::format("group: NPU {} found, {} has NPUs 0 to {}", member, topology.name,
                               nodes.size() - 1));
  }
  throw BadInput(
      fmt::format("group: I/O controller io{} found, {} has {}", number, topology.name,
                  nodes.empty() ? "none" : fmt::format("io0 to io{}", nodes.size() - 1)));
}

}  // namespace

std::vector<NodeId> members_of(const Topology& topology, const std::vector<int>& group) {
  if (group.empty())
    throw BadInput("group: found none; allowed: one NPU or I/O controller or more");
  std::set<int> seen;
  std::vector<NodeId> members;
  for (const int member : group) {
    members.push_back(node_of(topology, member));
    if (topology.nodes[members.back()].failed) {
      throw BadInput(
          fmt::format("group: {} found, which has failed in {}{}",
                      is_io_member(member) ? member_name(member) : fmt::format("NPU {}", member),
                      topology.name, faults_text(topology)));
    }
    if (!seen.insert(member).second) {
      throw BadInput(fmt::format("group: {} found twice", is_io_member(member)
                                                              ? member_name(member)
                                                              : fmt::format("NPU {}", member)));
    }
  }
  return members;
}

int member_number(const Topology& topology, NodeId endpoint) {
  const bool is_io = topology.nodes[endpoint].kind == NodeKind::kIo;
  const std::vector<NodeId>& nodes = is_io ? topology.io_controllers : topology.npus;
  // On most machines the NPUs are the first nodes.
  if (endpoint < std::ssize(nodes) && nodes[endpoint] == endpoint)
    return is_io ? io_member(endpoint) : endpoint;
  const auto at = static_cast<int>(std::ranges::find(nodes, endpoint) - nodes.begin());
  return is_io ? io_member(at) : at;
}

bool has_io(const Topology& topology, const std::vector<NodeId>& members) {
  return std::ranges::any_of(
      members, [&](NodeId member) { return topology.nodes[member].kind == NodeKind::kIo; });
}

bool are_on_grid(const Topology& topology, const std::vector<NodeId>& members) {
  return topology.has_places() && !has_io(topology, members);
}

bool is_whole_grid(const Topology& topology, const std::vector<NodeId>& members) {
  return members.size() == topology.npus.size() && are_on_grid(topology, members);
}

Rational slowest_port(const Topology& topology, std::span<const NodeId> members, int port) {
  Rational slowest{1, 1};
  for (const NodeId member : members) {
    const int link = topology.link_out(member, port);
    if (link < 0) continue;
    const Rational rate = topology.links[link].rate;
    if (static_cast<Uint128>(rate.num) * slowest.den < static_cast<Uint128>(slowest.num) * rate.den)
      slowest = rate;
  }
  return slowest;
}

int face_of(const Topology& topology, NodeId controller) {
  const std::uint16_t address = topology.nodes[controller].address;
  const int x = mesh_column(address);
  const int y = mesh_row(address);
  const std::array<bool, 4> outward{y == 0, x == topology.grid.width - 1,
                                    y == topology.grid.height - 1, x == 0};  // N, E, S, W
  int left = mesh_endpoint(address);  // 1: on the first of the router's faces
  int face = 0;
  while (left > 0) {
    if (outward[face]) --left;
    ++face;
  }
  return face - 1;
}

}  // namespace fredsim
