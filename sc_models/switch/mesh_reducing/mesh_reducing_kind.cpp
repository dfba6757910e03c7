// SPDX-License-Identifier: Apache-2.0
#include "switch/mesh_reducing/mesh_reducing_kind.h"

#include "routing/mesh_routing.h"
#include "rtl/mesh_pkg.h"
#include "switch/reducing_crossbar/adder_tree_kind.h"
#include "switch/register_map.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

// Twin of rtl/mesh_reducing/mesh_reducing_routes.sv.
class MeshReducingRoutes final : public PhasedRoutes {
 public:
  MeshReducingRoutes(int local_ports, int io_ports)
      : local_ports_(local_ports), io_ports_(io_ports) {}

  void reset() override {
    x_ = y_ = 0;
    no_link_ = 0;
  }
  int output(int input, std::uint16_t destination) const override {
    const int direction =
        mesh_direction(x_, y_, mesh_column(destination), mesh_row(destination), MeshRings{});
    if (direction >= 0) return direction == input ? -1 : direction;
    const int endpoint = mesh_endpoint(destination);
    if (endpoint == 0) return mesh_npu_port(input, local_ports_, no_link_);
    return endpoint <= io_ports_ ? kFirstLocal + local_ports_ + endpoint - 1 : -1;
  }
  bool has(std::uint16_t address) const override {
    return address == reg::kPosition || address == reg::kNoLink;
  }
  std::uint32_t read(std::uint16_t address) const override {
    return address == reg::kNoLink ? no_link_ : static_cast<std::uint32_t>(x_ | y_ << 8);
  }
  void write(std::uint16_t address, std::uint32_t value) override {
    if (address == reg::kNoLink) {
      no_link_ = value & ((1U << mesh_pkg::MASK_W) - 1);
      return;
    }
    x_ = static_cast<int>(value & (kMeshSide - 1U));
    y_ = static_cast<int>(value >> 8 & (kMeshSide - 1U));
  }

 private:
  int local_ports_, io_ports_;
  int x_ = 0, y_ = 0;
  std::uint32_t no_link_ = 0;  // local ports
};

class MeshReducingKind final : public AdderTreeKind {
 public:
  MeshReducingKind() : AdderTreeKind(switch_facts("mesh_reducing")) {}

  std::uint32_t identity() const override { return mesh_pkg::MESH_REDUCING_ID; }
  std::unique_ptr<PhasedRoutes> routes(const SwitchShape& shape) const override {
    return std::make_unique<MeshReducingRoutes>(shape.value("NUM_LOCAL"), shape.value("NUM_IO"));
  }
  std::vector<RegisterWrite> setup_writes(const Topology& /*topology*/,
                                          const Node& node) const override {
    std::vector<RegisterWrite> writes{
        {reg::kPosition, static_cast<std::uint32_t>(node.mesh.x | node.mesh.y << 8)}};
    if (node.mesh.no_link != 0) writes.push_back({reg::kNoLink, node.mesh.no_link});
    return writes;
  }
  UnicastRoutes unicast_routes() const override { return UnicastRoutes::kByCoordinates; }
  bool keeps_rings_moving() const override { return false; }

  std::string label(const SwitchShape& /*shape*/) const override { return "reducing mesh router"; }
  std::string_view parts_title() const override {
    return "adders of one router, for every lane: a tree at every output";
  }

 protected:
  std::uint32_t shape_register(const SwitchShape& shape) const override {
    return static_cast<std::uint32_t>(shape.value("NUM_LOCAL") | shape.value("NUM_IO") << 8);
  }
};

}  // namespace

const SwitchKind& mesh_reducing_kind() {
  static const MeshReducingKind kKind;
  return kKind;
}

}  // namespace fredsim
