// SPDX-License-Identifier: Apache-2.0
#include "topology/mesh2d/mesh2d_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fredsim {
namespace {

constexpr std::array kGridKeys = {
    FabricKey{"fabric.width", "columns of the mesh or torus", Holds::kInteger},
    FabricKey{"fabric.height", "rows of the mesh or torus", Holds::kInteger},
    FabricKey{"fabric.link_bandwidth", "bandwidth of a mesh link per direction"},
    FabricKey{"fabric.local_latency", "latency between an NPU and its router, a time",
              Holds::kValue, "0 ns"},
};

}  // namespace

std::span<const FabricKey> Mesh2dKind::keys() const { return kGridKeys; }

TopologyBuilder Mesh2dKind::builder(const FabricKeys& keys) const {
  Mesh2dSpec spec;
  spec.width = keys.integer("fabric.width", 1, kMaxMeshSide);
  spec.height = keys.integer("fabric.height", 1, kMaxMeshSide);
  spec.link_bandwidth = keys.bandwidth("fabric.link_bandwidth");
  spec.local_latency_ps = keys.time_ps("fabric.local_latency");
  return [this, spec](const MachineSpec& machine) { return build(machine, spec); };
}

Topology Mesh2dKind::build(const MachineSpec& machine, const Mesh2dSpec& spec) const {
  return build_mesh2d(machine, spec);
}

std::string Mesh2dKind::describe(const Topology& topology) const {
  return fmt::format("2D {} of {} x {} (width x height)", needs_moving_rings() ? "torus" : "mesh",
                     topology.grid.width, topology.grid.height);
}

std::uint64_t Mesh2dKind::bisection_bytes_per_second(const Topology& topology) const {
  const auto link = std::ranges::find_if(topology.links, [&](const Link& one) {
    return topology.nodes[one.from].is_switch() && topology.nodes[one.to].is_switch();
  });
  if (link == topology.links.end()) return 0;
  return link->bytes_per_second * static_cast<std::uint64_t>(mesh_bisection_links(topology.grid));
}

const TopologyKind& mesh2d_kind() {
  static const Mesh2dKind kKind;
  return kKind;
}

}  // namespace fredsim
