// SPDX-License-Identifier: Apache-2.0

#include "topology/mesh2d/mesh2d_kind.h"
#include "topology/torus2d/torus2d.h"

namespace fredsim {
namespace {

class Torus2dKind final : public Mesh2dKind {
 public:
  std::string_view name() const override { return "torus2d"; }
  bool needs_moving_rings() const override { return true; }

 private:
  Topology build(const MachineSpec& machine, const Mesh2dSpec& spec) const override {
    return build_torus2d(machine, spec);
  }
};

}  // namespace

const TopologyKind& torus2d_kind() {
  static const Torus2dKind kKind;
  return kKind;
}

}  // namespace fredsim
