// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/units.h"
#include "topology/graph/graph.h"
#include "topology/graph/graph_file.h"
#include "topology/infragraph/infragraph_file.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

constexpr std::array kInfragraphKeys = {
    FabricKey{"fabric.file", "file that describes the network", Holds::kText},
    FabricKey{.path = "fabric.links",
              .meaning = "bandwidth, per direction, of links that have none in the file, by the "
                         "name of the link",
              .holds = Holds::kValues,
              .is_optional = true},
    FabricKey{.path = "fabric.link_bandwidth",
              .meaning = "bandwidth, per direction, of all other links",
              .is_optional = true},
};

// Reads a file; the topology built is of the kind graph.
class InfragraphKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "infragraph"; }
  std::string_view aliases() const override { return "infra_graph keysight"; }
  std::span<const FabricKey> keys() const override { return kInfragraphKeys; }
  bool counts_npus() const override { return true; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    LinkDefaults defaults;
    defaults.latency_ps = default_latency(keys);
    defaults.bandwidth = [&keys]() -> std::optional<std::uint64_t> {
      constexpr std::string_view kKey = "fabric.link_bandwidth";
      if (!keys.has(kKey)) return std::nullopt;
      return keys.bandwidth(kKey);
    };
    for (const std::string& name : keys.names("fabric.links")) {
      const std::string key = fmt::format("fabric.links.{}", name);
      defaults.rates.emplace(name, LinkDefaults::Rate{keys.bandwidth(key), keys.label(key)});
    }
    auto spec =
        std::make_shared<const GraphSpec>(read_infragraph(keys.file("fabric.file"), defaults));
    return [spec = std::move(spec)](const MachineSpec& machine) {
      return build_graph(machine, *spec);
    };
  }

  std::optional<MachineExample> example(const std::filesystem::path& configs) const override {
    const std::string file = (configs / "systems/files/infragraph_clos.yaml").string();
    constexpr std::uint64_t kLatencyPs = 100'000;
    LinkDefaults defaults;
    defaults.latency_ps = [] { return kLatencyPs; };
    const GraphSpec network = read_infragraph(file, defaults);
    const auto npus = std::ranges::count_if(network.nodes, &GraphNode::is_npu);
    return example_of_file(file, static_cast<int>(npus),
                           {{"fabric.link_latency", format_time_ps(kLatencyPs)}});
  }

  std::string_view default_switch_kind() const override {
    return graph_kind().default_switch_kind();
  }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }
  std::string describe(const Topology& topology) const override {
    return graph_kind().describe(topology);
  }
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    return graph_kind().bisection_bytes_per_second(topology);
  }
};

}  // namespace

const TopologyKind& infragraph_kind() {
  static const InfragraphKind kKind;
  return kKind;
}

}  // namespace fredsim
