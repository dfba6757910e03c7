// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "switch/node_shape.h"
#include "switch/register_map.h"

namespace fredsim {

std::vector<RegisterWrite> setup_writes(const Topology& topology, const FabricCore& core,
                                        NodeId id) {
  const Node& node = topology.nodes[id];
  std::vector<RegisterWrite> writes = kind_of(node).setup_writes(topology, node);
  for (int port = 0; port < node.ports; ++port) {
    const int link = topology.link_out(id, port);
    for (int vc = 0; vc < kNumVcs && link >= 0; ++vc) {
      writes.push_back({static_cast<std::uint16_t>(reg::kCredit + 4 * port + vc),
                        static_cast<std::uint32_t>(core.receiver_depth(link, vc))});
    }
  }
  return writes;
}

std::vector<RegisterWrite> route_writes(const OnlineRoutes& routes) {
  std::vector<RegisterWrite> writes;
  for (std::size_t destination = 0; destination < routes.size(); ++destination) {
    if (routes[destination] == 0) continue;
    writes.push_back({static_cast<std::uint16_t>(reg::kRoute + destination), routes[destination]});
  }
  return writes;
}

std::vector<RegisterWrite> phase_writes(const PhaseProgram& program) {
  int address = reg::kPhaseStore + program.phase * static_cast<int>(program.row.size());
  std::vector<RegisterWrite> writes;
  for (const std::uint32_t word : program.row) {
    writes.push_back({static_cast<std::uint16_t>(address++), word});
  }
  return writes;
}

SwitchSetup::SwitchSetup(const Topology& topology, const FabricCore& core)
    : topology_(topology), accesses_(topology.nodes.size()) {
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  if (routes_by_table(topology)) routes = online_routes(topology, reg::kMaxRoutes);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (topology.nodes[id].is_endpoint()) continue;
    accesses_[id].push_back({.valid = true, .address = reg::kId});
    append(id, setup_writes(topology, core, id));
    append(id, route_writes(routes[id]));
  }
}

void SwitchSetup::append(NodeId node, const std::vector<RegisterWrite>& writes) {
  for (const RegisterWrite& w : writes) {
    accesses_[node].push_back(
        {.valid = true, .write = true, .address = w.address, .wdata = w.data});
  }
  longest_ = std::max(longest_, accesses_[node].size());
}

void SwitchSetup::add(std::span<const PhaseProgram> programs) {
  for (const PhaseProgram& program : programs) {
    append(program.node, phase_writes(program));
  }
}

void SwitchSetup::issue(FabricCore& core) {
  for (NodeId id = 0; id < std::ssize(accesses_); ++id) {
    if (next_ < accesses_[id].size()) core.access(id, accesses_[id][next_]);
  }
  ++next_;
}

void SwitchSetup::check(const FabricCore& core) const {
  if (next_ != 1) return;
  for (NodeId id = 0; id < std::ssize(accesses_); ++id) {
    const Node& node = topology_.nodes[id];
    if (accesses_[id].empty() || core.read_data(id) == kind_of(node).identity()) continue;
    throw RunFailed(
        fmt::format("{}: identity register reads {:#010x}", node.name, core.read_data(id)));
  }
}

}  // namespace fredsim
