// SPDX-License-Identifier: Apache-2.0
#include "topology/astra_sim/astra_sim_kind.h"

#include <array>
#include <utility>

#include "topology/astra_sim/network_file.h"
#include "topology/dimensions/dimensions_kind.h"

namespace fredsim {
namespace {

constexpr std::array kAstraSimKeys = {
    FabricKey{"fabric.file", "file that describes the network", Holds::kText},
};

// Reads a file; all it builds is of the kind dimensions.
class AstraSimKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "astra_sim"; }
  std::span<const FabricKey> keys() const override { return kAstraSimKeys; }
  bool counts_npus() const override { return true; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    std::vector<DimensionSpec> dimensions = read_network_file(keys.file("fabric.file"));
    return [dimensions = std::move(dimensions)](const MachineSpec& machine) {
      return build_dimensions(machine, dimensions);
    };
  }

  std::string_view default_switch_kind() const override {
    return dimensions_kind().default_switch_kind();
  }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }
  std::string describe(const Topology& topology) const override {
    return dimensions_kind().describe(topology);
  }
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    return dimensions_kind().bisection_bytes_per_second(topology);
  }
};

}  // namespace

const TopologyKind& astra_sim_kind() {
  static const AstraSimKind kKind;
  return kKind;
}

}  // namespace fredsim
