// SPDX-License-Identifier: Apache-2.0

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
    FabricKey{"fabric.graph", "file with the lists nodes and links; replaces both keys",
              Holds::kText},
    FabricKey{"fabric.nodes", "NPUs and switches, a list", Holds::kList},
    FabricKey{"fabric.nodes.name", "name of the node, or NAME of several nodes with `count`",
              Holds::kText},
    FabricKey{.path = "fabric.nodes.kind",
              .meaning = "npu, switch or adder; an adder is a reduction engine of the switch that "
                         "it connects to",
              .holds = Holds::kWord,
              .words = "npu switch adder"},
    FabricKey{"fabric.nodes.count", "number of nodes, named NAME0, NAME1 and so on",
              Holds::kInteger, "1"},
    FabricKey{"fabric.links", "links between nodes, in both directions unless one_way, a list",
              Holds::kList},
    FabricKey{"fabric.links.from", "name of a node, or of several: a link from each of them",
              Holds::kText},
    FabricKey{"fabric.links.to",
              "name of a node, or of several: each connects to each node of `from`", Holds::kText},
    FabricKey{"fabric.links.bandwidth", "bandwidth of a link, per direction"},
    FabricKey{"fabric.links.latency", "latency of a link; replaces fabric.link_latency"},
    FabricKey{"fabric.links.efficiency",
              "share of the link rate that carries payload; the rest is protocol overhead",
              Holds::kText, "1"},
    FabricKey{"fabric.links.count", "number of parallel links", Holds::kInteger, "1"},
    FabricKey{"fabric.links.one_way", "true: links only from `from` to `to`; needs --engine flow",
              Holds::kBoolean, "false"},
};

// Nodes and links of an example, in the order in which they are added.
class ExampleLists {
 public:
  void add_node(const std::string& name, std::string_view kind, int count) {
    add(fmt::format("fabric.nodes.{}", ++nodes_),
        {{"name", name}, {"kind", std::string(kind)}, {"count", fmt::format("{}", count)}});
  }
  void add_link(const std::string& from, const std::string& to, std::string_view latency) {
    add(fmt::format("fabric.links.{}", ++links_),
        {{"from", from}, {"to", to}, {"bandwidth", "450 GB/s"}, {"latency", std::string(latency)}});
  }
  const std::vector<Setting>& keys() const { return keys_; }

 private:
  void add(const std::string& prefix, const std::vector<Setting>& entry) {
    for (const auto& [key, value] : entry)
      keys_.push_back({fmt::format("{}.{}", prefix, key), value});
  }

  int nodes_ = 0, links_ = 0;
  std::vector<Setting> keys_{
      {"clock", "auto"}, {"npu.receive_buffer", "auto"}, {"switch.input_buffer", "auto"}};
};

// Single switch for all NPUs; for more NPUs than its ports, boxes with a switch each, and as many
// spine switches as a box has NPUs.
std::vector<Setting> graph_example_keys(int npus) {
  constexpr std::string_view kNear = "500 ns", kFar = "1 us";
  ExampleLists lists;
  if (npus <= kMaxPorts) {
    lists.add_node("gpu", "npu", npus);
    lists.add_node("sw", "switch", 1);
    lists.add_link("gpu", "sw", kNear);
    return lists.keys();
  }
  const int in_box = largest_divisor(npus, kMaxPorts / 2);
  const int boxes = npus / in_box;
  if (boxes > kMaxPorts) return {};
  for (int box = 0; box < boxes; ++box)
    lists.add_node(fmt::format("box{}_gpu", box), "npu", in_box);
  lists.add_node("leaf", "switch", boxes);
  lists.add_node("spine", "switch", in_box);
  for (int box = 0; box < boxes; ++box)
    lists.add_link(fmt::format("box{}_gpu", box), fmt::format("leaf{}", box), kNear);
  lists.add_link("leaf", "spine", kFar);
  return lists.keys();
}

class GraphKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "graph"; }
  std::string_view aliases() const override { return "custom anynet any links"; }
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

  std::optional<MachineExample> example(const std::filesystem::path& /*configs*/) const override {
    return MachineExample{
        .npus = 8,
        .numbers = fmt::format("2 to {0}, or boxes x NPUs per box, up to {0} x {1}", kMaxPorts,
                               kMaxPorts / 2),
        .keys = graph_example_keys};
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
