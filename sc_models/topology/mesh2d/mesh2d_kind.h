// SPDX-License-Identifier: Apache-2.0
// The kind mesh2d. A torus is one, too, with rings (topology/torus2d).
#pragma once

#include "topology/mesh2d/mesh2d.h"
#include "topology/topology_kind.h"

namespace fredsim {

class Mesh2dKind : public TopologyKind {
 public:
  std::string_view name() const override { return "mesh2d"; }
  std::string_view aliases() const override { return "mesh grid mesh_xy noc booksim garnet"; }
  std::span<const FabricKey> keys() const override;
  std::span<const std::string_view> npu_factors() const override;
  std::optional<MachineExample> example(const std::filesystem::path& configs) const override;
  TopologyBuilder builder(const FabricKeys& keys) const override;
  std::string_view default_switch_kind() const override { return "mesh"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByCoordinates; }
  std::string describe(const Topology& topology) const override;
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override;

 private:
  virtual Topology build(const MachineSpec& machine, const Mesh2dSpec& spec) const;
};

const TopologyKind& mesh2d_kind();

}  // namespace fredsim
