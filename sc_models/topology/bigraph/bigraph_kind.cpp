// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "topology/bigraph/bigraph.h"

namespace fredsim {
namespace {

constexpr std::array kBigraphKeys = {
    FabricKey{"fabric.upper", "number of upper switches, each connected to every lower switch",
              Holds::kInteger},
    FabricKey{"fabric.lower", "number of lower switches", Holds::kInteger},
    FabricKey{"fabric.npus_per_switch", "NPUs per switch", Holds::kInteger, "1"},
    FabricKey{"fabric.pair_links", "links between an upper and a lower switch", Holds::kInteger,
              "1"},
    FabricKey{"fabric.port_bandwidth", "bandwidth of every link, links of NPUs included"},
};

// Example with four NPUs per switch, or the nearest number that fits its ports; links as in
// configs/systems/bigraph.yaml.
std::vector<Setting> bigraph_example_keys(int npus) {
  constexpr int kUsual = 4;
  const auto fits = [&](int on_switch) {
    const int switches = npus / on_switch;
    return npus % on_switch == 0 && switches >= 2 && on_switch + (switches + 1) / 2 <= kMaxPorts;
  };
  int on_switch = kUsual;
  while (on_switch > 0 && !fits(on_switch)) --on_switch;
  if (on_switch == 0) on_switch = kUsual + 1;
  while (on_switch < kMaxPorts && !fits(on_switch)) ++on_switch;
  if (on_switch == kMaxPorts) return {};
  const int switches = npus / on_switch;
  return {{"clock", "auto"},
          {"npu.receive_buffer", "auto"},
          {"fabric.upper", fmt::format("{}", switches / 2)},
          {"fabric.lower", fmt::format("{}", (switches + 1) / 2)},
          {"fabric.npus_per_switch", fmt::format("{}", on_switch)},
          {"fabric.port_bandwidth", "12.5 GB/s"},
          {"fabric.link_latency", "500 ns"},
          {"switch.input_buffer", "auto"}};
}

class BigraphKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "bigraph"; }
  std::string_view aliases() const override { return "bi_graph eflops"; }
  std::span<const FabricKey> keys() const override { return kBigraphKeys; }
  bool counts_npus() const override { return true; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    BigraphSpec spec;
    spec.upper = keys.integer("fabric.upper", 1, kMaxBigraphNpus);
    spec.lower = keys.integer("fabric.lower", 1, kMaxBigraphNpus);
    spec.npus_per_switch = keys.integer("fabric.npus_per_switch", 1, kMaxBigraphNpus);
    spec.pair_links = keys.integer("fabric.pair_links", 1, kMaxBigraphNpus);
    spec.port_bandwidth = keys.bandwidth("fabric.port_bandwidth");
    keys.time_ps("fabric.link_latency");
    return [spec](const MachineSpec& machine) { return build_bigraph(machine, spec); };
  }

  std::optional<MachineExample> example(const std::filesystem::path& /*configs*/) const override {
    return MachineExample{.npus = 32,
                          .numbers = fmt::format("switches x NPUs per switch, where half of the "
                                                 "switches plus NPUs per switch are at most {}",
                                                 kMaxPorts),
                          .keys = bigraph_example_keys};
  }

  std::string_view default_switch_kind() const override { return "voq_crossbar"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }

  std::string describe(const Topology& topology) const override {
    const SwitchLayers& layers = topology.layers;
    return fmt::format("BiGraph of {} upper and {} lower switches with {} NPU{} each", layers.upper,
                       layers.lower, topology.dimensions[0].size,
                       topology.dimensions[0].size == 1 ? "" : "s");
  }

  // Minimum over all halves of x upper and y lower switches: x*(n - y) + y*(m - x) pairs cross the
  // cut.
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    const SwitchLayers& layers = topology.layers;
    const int half = (layers.upper + layers.lower) / 2;
    std::int64_t pairs = std::numeric_limits<std::int64_t>::max();
    for (int x = std::max(0, half - layers.lower); x <= std::min(half, layers.upper); ++x) {
      const std::int64_t y = half - x;
      pairs = std::min(pairs, x * (layers.lower - y) + y * (layers.upper - x));
    }
    std::uint64_t across = 0;  // links of a pair
    for (const Link& link : topology.links)
      if (topology.nodes[link.from].name == "lower0" && topology.nodes[link.to].name == "upper0")
        across += link.bytes_per_second;
    return static_cast<std::uint64_t>(pairs) * across;
  }
  std::string bisection_method(const Topology& /*topology*/) const override {
    return "least number of pairs between halves of the switches";
  }
  // From a switch to another of its layer, and the NPUs' links.
  int diameter(const Topology& topology) const override {
    const SwitchLayers& layers = topology.layers;
    return layers.lower > 1 || layers.upper > 1 ? 4 : 3;
  }
};

}  // namespace

const TopologyKind& bigraph_kind() {
  static const BigraphKind kKind;
  return kKind;
}

}  // namespace fredsim
