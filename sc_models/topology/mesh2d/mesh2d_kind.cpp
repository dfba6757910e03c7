// SPDX-License-Identifier: Apache-2.0
#include "topology/mesh2d/mesh2d_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fredsim {
namespace {

constexpr std::array kGridKeys = {
    FabricKey{.path = "fabric.width",
              .meaning = "columns of the mesh or torus",
              .holds = Holds::kInteger,
              .aliases = "columns cols x k size_x"},
    FabricKey{.path = "fabric.height",
              .meaning = "rows of the mesh or torus",
              .holds = Holds::kInteger,
              .aliases = "rows mesh_rows y size_y"},
    FabricKey{.path = "fabric.link_bandwidth",
              .meaning = "bandwidth of a mesh link, per direction",
              .aliases = "bandwidth bw channel_width link_width"},
    FabricKey{"fabric.local_latency", "latency between an NPU and its router, a time",
              Holds::kValue, "0 ns"},
};

constexpr std::array<std::string_view, 2> kGridSides = {"fabric.width", "fabric.height"};

}  // namespace

std::span<const FabricKey> Mesh2dKind::keys() const { return kGridKeys; }

std::span<const std::string_view> Mesh2dKind::npu_factors() const { return kGridSides; }

TopologyBuilder Mesh2dKind::builder(const FabricKeys& keys) const {
  Mesh2dSpec spec;
  spec.width = keys.integer("fabric.width", 1, kMaxMeshSide);
  spec.height = keys.integer("fabric.height", 1, kMaxMeshSide);
  spec.link_bandwidth = keys.bandwidth("fabric.link_bandwidth");
  spec.local_latency_ps = keys.time_ps("fabric.local_latency");
  return [this, spec](const MachineSpec& machine) { return build(machine, spec); };
}

// NPU, links and buffers of the paper's baseline wafer, configs/mesh.yaml.
std::optional<MachineExample> Mesh2dKind::example(const std::filesystem::path& /*configs*/) const {
  const auto keys = [](int npus) -> std::vector<Setting> {
    const auto [width, height] = nearest_sides(npus);
    if (width > kMaxMeshSide) return {};
    return {{"clock", "1.5 GHz"},
            {"npu.count", fmt::format("{}", npus)},
            {"npu.bandwidth", "3 TB/s"},
            {"fabric.width", fmt::format("{}", width)},
            {"fabric.height", fmt::format("{}", height)},
            {"fabric.link_bandwidth", "750 GB/s"},
            {"fabric.link_latency", "20 ns"},
            {"switch.input_buffer", "40 KiB"},
            {"switch.control_buffer", "2 KiB"}};
  };
  return MachineExample{.npus = 20,
                        .numbers = fmt::format("width x height, 1 to {} each", kMaxMeshSide),
                        .keys = keys};
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
