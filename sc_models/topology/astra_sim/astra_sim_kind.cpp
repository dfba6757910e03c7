// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "topology/astra_sim/network_file.h"
#include "topology/dimensions/dimensions.h"
#include "topology/graph/graph.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

constexpr std::array kAstraSimKeys = {
    FabricKey{"fabric.file", "file that describes the network", Holds::kText},
};

// Reads a file; the topology built is of the kind dimensions, or a graph.
class AstraSimKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "astra_sim"; }
  std::string_view aliases() const override { return "astra analytical network.yml"; }
  std::span<const FabricKey> keys() const override { return kAstraSimKeys; }
  bool counts_npus() const override { return true; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    NetworkFile network = read_network_file(keys.file("fabric.file"));
    return [network = std::move(network)](const MachineSpec& machine) {
      return network.graph ? build_graph(machine, *network.graph)
                           : build_dimensions(machine, network.dimensions);
    };
  }

  std::optional<MachineExample> example(const std::filesystem::path& configs) const override {
    const std::string file = (configs / "systems/files/astra_sim_network.yaml").string();
    int npus = 1;
    for (const DimensionSpec& dimension : read_network_file(file).dimensions)
      npus *= dimension.block.size;
    return example_of_file(file, npus);
  }

  std::string_view default_switch_kind() const override {
    return dimensions_kind().default_switch_kind();
  }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }
  std::string describe(const Topology& topology) const override {
    return built_as(topology).describe(topology);
  }
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    return built_as(topology).bisection_bytes_per_second(topology);
  }

 private:
  static const TopologyKind& built_as(const Topology& topology) {
    return topology.has_blocks() ? dimensions_kind() : graph_kind();
  }
};

}  // namespace

const TopologyKind& astra_sim_kind() {
  static const AstraSimKind kKind;
  return kKind;
}

}  // namespace fredsim
