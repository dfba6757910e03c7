// SPDX-License-Identifier: Apache-2.0
#include "switch/mesh/mesh_kind.h"

#include <algorithm>

#include "rtl/mesh_pkg.h"
#include "switch/mesh/mesh_shape.h"
#include "switch/mesh/mesh_twin.h"
#include "switch/mesh/mesh_waves.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

class MeshKind final : public SwitchKind {
 public:
  MeshKind() : SwitchKind(switch_facts("mesh")) {}
  std::string_view aliases() const override { return "mesh_router router xy dor garnet"; }

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& /*name*/) const override {
    return std::make_unique<MeshTwin>(MeshShape(shape));
  }

  std::uint32_t identity() const override { return mesh_pkg::MESH_ID; }
  std::vector<RegisterWrite> setup_writes(const Topology& topology,
                                          const Node& node) const override {
    const auto pair = [](int low, int high) { return static_cast<std::uint32_t>(low | high << 8); };
    std::vector<RegisterWrite> writes{{reg::kPosition, pair(node.mesh.x, node.mesh.y)}};
    if (topology.has_rings()) {
      const MeshRings& rings = topology.grid.rings;
      writes.push_back({reg::kTorus, pair(rings.columns, rings.rows)});
    }
    if (node.mesh.no_link != 0) writes.push_back({reg::kNoLink, node.mesh.no_link});
    return writes;
  }
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByCoordinates; }

  // Pin register, buffer; crossbar, output register.
  std::optional<SwitchTiming> timing(const SwitchShape& /*shape*/) const override {
    return SwitchTiming{.to_leave = 2, .to_pins = 2, .credit_edges = 1};
  }
  // A packet start needs room for the whole packet; into a ring, for one flit more; along a ring,
  // for one flit (rtl/mesh/mesh_allocator.sv).
  int head_credits(const Topology& topology, const Node& /*node*/, int input, int output,
                   int max) const override {
    const int packet = std::min(topology.packet_flits, max);
    const MeshRings& rings = topology.grid.rings;
    const bool along_row = output == kEast || output == kWest;
    const bool along_column = output == kNorth || output == kSouth;
    const bool is_ring = (along_row && rings.columns != 0) || (along_column && rings.rows != 0);
    if (!is_ring) return packet;
    return input == (output ^ 2) ? 1 : packet + 1;
  }

  bool has(const CounterInfo& counter) const override {
    return counter.value == &SwitchCounters::stall_credit ||
           counter.value == &SwitchCounters::stall_arbiter ||
           counter.value == &SwitchCounters::stall_link;
  }

  void show_control(GtkwaveSave& save, const WaveScope& top, int /*ports*/) const override {
    if (const auto router = top.around("i_allocator")) {
      show_mesh_control(save, *router);
    }
  }
  void show_port(GtkwaveSave& save, const WaveScope& top, int port, int ports) const override {
    if (const auto router = top.around("i_allocator")) {
      show_mesh_port(save, *router, port, ports);
    }
  }

  std::string label(const SwitchShape& /*shape*/) const override { return "mesh router"; }

 protected:
  void check_together(const SwitchShape& shape, const std::string& name) const override {
    check_vc_order(shape, name);
  }
};

}  // namespace

const SwitchKind& mesh_kind() {
  static const MeshKind kKind;
  return kKind;
}

MeshShape::MeshShape(const SwitchShape& shape)
    : local_ports(shape.value("NUM_LOCAL")),
      io_ports(shape.value("NUM_IO")),
      lanes(shape.lanes()),
      buffers{.data_flits = shape.value("VC_DEPTH"), .control_flits = shape.value("CTRL_DEPTH")},
      packet_flits(shape.value("PACKET_FLITS")),
      vc_order(vc_order_of(shape.value("VC_ORDER"))),
      rtl_top(shape.rtl_top) {}

MeshShape::operator SwitchShape() const {
  SwitchShape shape =
      mesh_kind().shape(std::vector<NamedValue>{{"NUM_LOCAL", local_ports},
                                                {"NUM_IO", io_ports},
                                                {"LANES", lanes},
                                                {"VC_DEPTH", buffers.data_flits},
                                                {"CTRL_DEPTH", buffers.control_flits},
                                                {"PACKET_FLITS", packet_flits},
                                                {"VC_ORDER", number_of(vc_order)}});
  shape.rtl_top = rtl_top;
  return shape;
}

}  // namespace fredsim
