// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

std::vector<RegisterWrite> phase_writes(const PhaseProgram& program) {
  int address = reg::kPhaseStore + program.phase * static_cast<int>(program.row.size());
  std::vector<RegisterWrite> writes;
  for (const std::uint32_t word : program.row) {
    writes.push_back({static_cast<std::uint16_t>(address++), word});
  }
  return writes;
}

SwitchSetup::SwitchSetup(const Topology& topology, const FabricCore& core)
    : topology_(topology), index_(topology.nodes.size(), -1), accesses_(topology.nodes.size()) {
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  if (routes_by_table(topology)) routes = table_contents(topology);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.is_endpoint()) continue;
    Writes writes;
    writes.setup = setup_writes(topology, core, id);
    writes.routes = std::move(routes[id]);
    if (!writes.routes.empty()) writes.table = route_table(topology, node);
    accesses_[id] = 1 + writes.count();
    longest_ = std::max(longest_, accesses_[id]);
    if (!core.owns(id)) continue;
    index_[id] = static_cast<int>(switches_.size());
    switches_.push_back(id);
    writes_.push_back(std::move(writes));
  }
}

std::size_t SwitchSetup::Writes::count() const {
  return setup.size() + routes.size() -
         static_cast<std::size_t>(std::ranges::count(routes, OnlineRoute{0})) + rows.size();
}

std::optional<RegisterWrite> SwitchSetup::Writes::next() {
  if (next_setup < setup.size()) return setup[next_setup++];
  while (next_destination < routes.size() && routes[next_destination] == 0) ++next_destination;
  if (next_destination < routes.size()) {
    const std::size_t destination = next_destination++;
    return RegisterWrite{table.address(destination), routes[destination]};
  }
  if (next_row < rows.size()) return rows[next_row++];
  return std::nullopt;
}

void SwitchSetup::add(std::span<const PhaseProgram> programs) {
  for (const PhaseProgram& program : programs) {
    const std::vector<RegisterWrite> row = phase_writes(program);
    accesses_[program.node] += row.size();
    longest_ = std::max(longest_, accesses_[program.node]);
    if (index_[program.node] < 0) continue;
    Writes& writes = writes_[static_cast<std::size_t>(index_[program.node])];
    writes.rows.insert(writes.rows.end(), row.begin(), row.end());
  }
}

void SwitchSetup::begin() {
  next_ = 0;
  for (Writes& writes : writes_) writes.next_setup = writes.next_destination = writes.next_row = 0;
}

void SwitchSetup::issue(FabricCore& core) {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (next_ == 0) {
      core.access(switches_[i], {.valid = true, .address = reg::kId});
    } else if (const std::optional<RegisterWrite> write = writes_[i].next()) {
      core.access(switches_[i],
                  {.valid = true, .write = true, .address = write->address, .wdata = write->data});
    }
  }
  ++next_;
}

void SwitchSetup::check(const FabricCore& core) const {
  if (next_ != 1) return;
  for (const NodeId id : switches_) {
    const Node& node = topology_.nodes[id];
    if (core.own_read_data(id) == kind_of(node).identity()) continue;
    throw RunFailed(
        fmt::format("{}: identity register reads {:#010x}", node.name, core.own_read_data(id)));
  }
}

}  // namespace fredsim
