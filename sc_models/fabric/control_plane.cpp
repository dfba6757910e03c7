// SPDX-License-Identifier: Apache-2.0
#include "fabric/control_plane.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "fabric/switch_setup.h"
#include "switch/node_shape.h"
#include "switch/register_map.h"
#include "switch/route_table.h"

namespace fredsim {

ControlPlane::ControlPlane(sc_core::sc_module_name name, Fabric& fabric)
    : sc_core::sc_module(name), fabric_(fabric) {
  const Topology& topology = fabric.topology();
  sockets_.resize(topology.nodes.size());
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    if (topology.nodes[id].is_endpoint()) continue;
    sockets_[id] = std::make_unique<tlm_utils::simple_initiator_socket<ControlPlane>>(
        sc_core::sc_gen_unique_name("registers"));
    sockets_[id]->bind(fabric.control(id).registers);
  }
}

std::uint32_t ControlPlane::transport(NodeId node, tlm::tlm_command command,
                                      std::uint32_t word_address, std::uint32_t data) {
  tlm::tlm_generic_payload request;
  request.set_command(command);
  request.set_address(sc_dt::uint64{word_address} * 4);
  request.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
  request.set_data_length(4);
  request.set_streaming_width(4);
  sc_core::sc_time delay;
  (*sockets_[node])->b_transport(request, delay);
  fabric_.rethrow_failure();
  if (!request.is_response_ok()) {
    throw RunFailed(fmt::format("{}: register access at word {:#06x} refused: {}",
                                fabric_.topology().nodes[node].name, word_address,
                                request.get_response_string()));
  }
  return data;
}

void ControlPlane::write(NodeId node, std::uint32_t word_address, std::uint32_t data) {
  transport(node, tlm::TLM_WRITE_COMMAND, word_address, data);
}

std::uint32_t ControlPlane::read(NodeId node, std::uint32_t word_address) {
  return transport(node, tlm::TLM_READ_COMMAND, word_address, 0);
}

std::uint64_t ControlPlane::read_counter(NodeId node, std::uint32_t word_address) {
  const std::uint64_t low = read(node, word_address);
  return low | std::uint64_t{read(node, word_address + 1)} << 32;
}

void ControlPlane::write_own(const std::function<void()>& writes) {
  fabric_.core().set_alone();
  writes();
  fabric_.core().set_together();
}

void ControlPlane::configure() {
  const Topology& topology = fabric_.topology();
  write_own([&] {
    for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
      if (sockets_[id] == nullptr || !fabric_.core().owns(id)) continue;
      const Node& node = topology.nodes[id];
      const std::uint32_t identity = read(id, reg::kId);
      if (identity != kind_of(node).identity()) {
        throw RunFailed(fmt::format("{}: identity register reads {:#010x}", node.name, identity));
      }
      for (const RegisterWrite& w : setup_writes(topology, fabric_.core(), id)) {
        if (is_stopped()) return;
        write(id, w.address, w.data);
      }
    }
  });
}

void ControlPlane::load(std::span<const PhaseProgram> programs) {
  write_own([&] {
    for (const PhaseProgram& program : programs) {
      if (!fabric_.core().owns(program.node)) continue;
      for (const RegisterWrite& w : phase_writes(program)) {
        if (is_stopped()) return;
        write(program.node, w.address, w.data);
      }
    }
  });
}

void ControlPlane::load_online_routes() {
  const Topology& topology = fabric_.topology();
  const std::vector<OnlineRoutes> routes = table_contents(topology);
  write_own([&] {
    for (NodeId id = 0; id < static_cast<NodeId>(routes.size()); ++id) {
      if (routes[id].empty() || !fabric_.core().owns(id)) continue;
      const RouteTable table = route_table(topology, topology.nodes[id]);
      for (std::size_t destination = 0; destination < routes[id].size(); ++destination) {
        if (is_stopped()) return;
        if (routes[id][destination] != 0)
          write(id, table.address(destination), routes[id][destination]);
      }
    }
  });
}

}  // namespace fredsim
