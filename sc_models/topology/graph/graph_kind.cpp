// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/graph_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.h"
#include "topology/facts.h"
#include "topology/graph/graph.h"
#include "topology/graph/graph_bisection.h"
#include "topology/graph/graph_file.h"

namespace fredsim {
namespace {

constexpr std::array kGraphKeys = {
    FabricKey{"fabric.graph", "file with the lists nodes and links, in place of these",
              Holds::kText},
    FabricKey{"fabric.nodes", "NPUs and switches, a list", Holds::kList},
    FabricKey{"fabric.nodes.name", "name", Holds::kText},
    FabricKey{.path = "fabric.nodes.kind",
              .meaning = "npu, switch, or adder: a reduction engine of the switch it is joined to",
              .holds = Holds::kWord,
              .words = "npu switch adder"},
    FabricKey{"fabric.nodes.count", "number of such nodes, NAME0 and so on", Holds::kInteger, "1"},
    FabricKey{"fabric.links", "links between nodes, both directions unless one_way, a list",
              Holds::kList},
    FabricKey{"fabric.links.from", "a name: of one node, or of a number of them, then each",
              Holds::kText},
    FabricKey{"fabric.links.to", "likewise; each of them is joined to each of `from`",
              Holds::kText},
    FabricKey{"fabric.links.bandwidth", "bandwidth of a link per direction"},
    FabricKey{"fabric.links.latency", "latency of a link, in place of fabric.link_latency"},
    FabricKey{"fabric.links.efficiency",
              "share of a link's rate that carries payload; the rest is protocol", Holds::kText,
              "1"},
    FabricKey{"fabric.links.count", "number of links in parallel", Holds::kInteger, "1"},
    FabricKey{"fabric.links.one_way", "from `from` to `to` alone; runs with --engine flow",
              Holds::kBoolean, "false"},
};

class GraphKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "graph"; }
  std::span<const FabricKey> keys() const override { return kGraphKeys; }
  bool counts_npus() const override { return true; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    const bool has_lists = keys.has("fabric.nodes") || keys.has("fabric.links");
    if (keys.has("fabric.graph") && has_lists) {
      const char* const other = keys.has("fabric.nodes") ? "fabric.nodes" : "fabric.links";
      throw BadInput(
          fmt::format("{}: found beside fabric.graph; allowed: one of them", keys.label(other)));
    }
    auto spec = std::make_shared<const GraphSpec>(
        keys.has("fabric.graph") ? read_graph_file(keys.file("fabric.graph"), default_latency(keys))
                                 : read_graph(keys));
    return [spec = std::move(spec)](const MachineSpec& machine) {
      return build_graph(machine, *spec);
    };
  }

  std::string_view default_switch_kind() const override { return "voq_crossbar"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }

  std::string describe(const Topology& topology) const override {
    const auto switches = std::ranges::count_if(topology.nodes, &Node::is_switch);
    const std::string adders =
        topology.adders.empty() ? "" : fmt::format(" with {} adders", topology.adders.size());
    return fmt::format("graph of {} NPUs and {} switch{}{}, {} plane{}", topology.npus.size(),
                       switches, switches == 1 ? "" : "es", adders, topology.slices,
                       topology.slices == 1 ? "" : "s");
  }

  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    return graph_bisection(topology);
  }
  std::string bisection_method(const Topology& topology) const override {
    return topology.npus.size() > kMaxSearchedNpus
               ? "least cut between the halves by number, by maximum flow"
               : "least of the cuts between halves of NPUs near each other, by maximum flow";
  }
  int diameter(const Topology& topology) const override { return diameter_links(topology); }
};

}  // namespace

const TopologyKind& graph_kind() {
  static const GraphKind kKind;
  return kKind;
}

}  // namespace fredsim
