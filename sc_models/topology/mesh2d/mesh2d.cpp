// SPDX-License-Identifier: Apache-2.0
#include "topology/mesh2d/mesh2d.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "topology/assembly.h"
#include "topology/mesh2d/mesh2d_kind.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

constexpr int kNicPorts = 4;  // one per mesh direction, so that an NPU can feed all its links
constexpr int kIoPorts = 2;   // a corner has two outward faces

// Outward faces of the router at (x, y).
int outward_faces(int width, int height, int x, int y) {
  return (y == 0) + (x == width - 1) + (y == height - 1) + (x == 0);
}

void check(const MachineSpec& machine, const Mesh2dSpec& spec) {
  check_range("fabric.width", spec.width, 1, kMaxMeshSide);
  check_range("fabric.height", spec.height, 1, kMaxMeshSide);
  if (machine.npus != spec.width * spec.height) {
    throw BadInput(
        fmt::format("npu.count: found {}, but fabric.width x fabric.height = {} x {} = {}",
                    machine.npus, spec.width, spec.height, spec.width * spec.height));
  }
  const int places = mesh_io_controllers(spec.width, spec.height);
  if (machine.io_controllers != 0 && machine.io_controllers != places) {
    throw BadInput(fmt::format(
        "io.count: found {}; a fabric of {} x {} has {} places for I/O controllers (one "
        "on each outward "
        "face, two per router at most): allowed: {} or 0",
        machine.io_controllers, spec.width, spec.height, places, places));
  }
}

int ring_side(bool rings, int side) { return rings && side > 2 ? side : 0; }

}  // namespace

Topology build_mesh2d(const MachineSpec& machine, const Mesh2dSpec& spec) {
  return build_grid(machine, spec, mesh2d_kind());
}

int mesh_io_controllers(int width, int height) {
  int count = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      count += std::min(kIoPorts, outward_faces(width, height, x, y));
    }
  }
  return count;
}

int mesh_bisection_links(const SwitchGrid& mesh) {
  if (mesh.width == 1 && mesh.height == 1) return 0;
  // Cuts straight across a side, at one place, or at two on a ring; if the side is odd, one cut has
  // a step in the middle, across the other side.
  const auto across = [](int side, int ring, int other, int other_ring) {
    const int step = other == 1 ? 0 : other_ring != 0 ? 2 : 1;
    return (ring != 0 ? 2 : 1) * other + (side % 2 != 0 ? step : 0);
  };
  const MeshRings& rings = mesh.rings;
  const int columns = across(mesh.width, rings.columns, mesh.height, rings.rows);
  const int rows = across(mesh.height, rings.rows, mesh.width, rings.columns);
  if (mesh.width == 1) return rows;
  if (mesh.height == 1) return columns;
  return std::min(columns, rows);
}

Topology build_grid(const MachineSpec& machine, const Mesh2dSpec& spec, const TopologyKind& kind) {
  check(machine, spec);
  Assembly assembly(machine, kind);
  Topology& topology = assembly.topology();
  const int width = spec.width;
  const int height = spec.height;
  const bool has_rings = kind.needs_moving_rings();
  const MeshRings rings{ring_side(has_rings, width), ring_side(has_rings, height)};
  topology.grid = {width, height, rings};
  const Joined joined = has_rings ? Joined::kRing : Joined::kLine;
  topology.dimensions = {{width, joined}, {height, joined}};

  const int latency =
      assembly.latency("fabric.link_latency", "link latency", machine.link_latency_ps);
  const int local_latency = assembly.latency(
      "fabric.local_latency", "latency between an NPU and its router", spec.local_latency_ps);
  const std::uint64_t nic_bandwidth =
      divide_bandwidth(machine.npu_bandwidth, kNicPorts, "npu.bandwidth", "NIC ports");
  const std::uint64_t port_bandwidth = machine.clock_hz * kFlitBytes;
  if (nic_bandwidth > port_bandwidth) {
    topology.notes.push_back(
        fmt::format("npu.bandwidth {} is cut to {}: one flit per cycle on each of the {} NIC ports",
                    format_bandwidth(static_cast<double>(machine.npu_bandwidth)),
                    format_bandwidth(static_cast<double>(port_bandwidth) * kNicPorts), kNicPorts));
  }
  const LinkClass local{"npu.bandwidth", std::min(nic_bandwidth, port_bandwidth), local_latency,
                        true};
  const LinkClass mesh{"fabric.link_bandwidth", spec.link_bandwidth, latency};
  const LinkClass io{"io.bandwidth", machine.io_bandwidth, latency};

  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) assembly.add_npu(kNicPorts, mesh_address(x, y, 0));
  }
  const auto npu_at = [&](int x, int y) { return topology.npus[y * width + x]; };
  const auto router_at = [&](int x, int y) { return machine.npus + y * width + x; };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Node router{};
      router.kind = NodeKind::kSwitch;
      router.switch_kind = switch_kind_of(machine, kind);
      router.values = {{"NUM_LOCAL", kNicPorts}, {"NUM_IO", kIoPorts}};
      router.name = fmt::format("r{}_{}", x, y);
      router.mesh = {.local_ports = kNicPorts, .io_ports = kIoPorts, .x = x, .y = y};
      router.ports = kFirstLocal + kNicPorts + kIoPorts;
      router.level = 1;
      assembly.add_switch(router);
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const NodeId router = router_at(x, y);
      for (int i = 0; i < kNicPorts; ++i) {
        assembly.connect({npu_at(x, y), i}, {router, kFirstLocal + i}, local);
      }
      if (x + 1 < width || rings.columns != 0) {
        assembly.connect({router, kEast}, {router_at((x + 1) % width, y), kWest}, mesh);
      }
      if (y + 1 < height || rings.rows != 0) {
        assembly.connect({router, kSouth}, {router_at(x, (y + 1) % height), kNorth}, mesh);
      }
      if (machine.io_controllers == 0) continue;
      const int count = std::min(kIoPorts, outward_faces(width, height, x, y));
      for (int k = 0; k < count; ++k) {
        const NodeId controller = assembly.add_io(1, mesh_address(x, y, 1 + k));
        assembly.connect({controller, 0}, {router, kFirstLocal + kNicPorts + k}, io);
      }
    }
  }
  const int faces = 2 * (width + height);
  if (machine.io_controllers != 0 && machine.io_controllers < faces) {
    topology.notes.push_back(
        fmt::format("{} of {} outward faces have an I/O controller: a router has {} I/O ports",
                    machine.io_controllers, faces, kIoPorts));
  }
  return assembly.finish();
}

}  // namespace fredsim
