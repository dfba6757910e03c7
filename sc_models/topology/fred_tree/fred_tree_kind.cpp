// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "topology/fred_tree/fred_tree.h"

namespace fredsim {
namespace {

constexpr std::string_view kLevels = "fabric.levels";
// Keys of a two-level tree. Keys that fabric.levels may replace have it as `instead`.
constexpr std::array kTreeKeys = {
    FabricKey{"fabric.l1_switches",
              "number of L1 switches; the list fabric.levels may replace it",
              Holds::kInteger,
              {},
              kLevels},
    FabricKey{"fabric.npus_per_l1", "NPUs per L1 switch", Holds::kInteger, {}, kLevels},
    FabricKey{"fabric.slices", "parallel chiplets of one L1 switch", Holds::kInteger},
    FabricKey{"fabric.uplinks", "uplinks per L1 chiplet", Holds::kInteger, {}, kLevels},
    FabricKey{
        "fabric.l2_chiplets_per_slice", "L2 chiplets per slice", Holds::kInteger, {}, kLevels},
    FabricKey{"fabric.middle", "middle sub-networks m of Fred_m(P)", Holds::kInteger},
    FabricKey{.path = "fabric.chiplet_ports",
              .meaning = "ports of every chiplet, so that one design fits all; ports without a "
                         "link stay unconnected; 0: one port per link",
              .holds = Holds::kInteger,
              .default_value = "0",
              .from_zero = true},
    FabricKey{"fabric.uplink_bandwidth",
              "bandwidth of one L1 switch towards L2, over all its uplinks",
              Holds::kValue,
              {},
              kLevels},
    FabricKey{.path = "fabric.uplink_latency",
              .meaning = "latency of a link between L1 and L2; replaces fabric.link_latency",
              .is_optional = true},
    FabricKey{kLevels, "levels of the tree, a list, lowest first", Holds::kList},
    FabricKey{"fabric.levels.below", "NPUs, or switches of the level below, per switch",
              Holds::kInteger},
    FabricKey{"fabric.levels.chiplets_per_slice", "chiplets per slice of a switch", Holds::kInteger,
              "1"},
    FabricKey{"fabric.levels.uplinks", "uplinks per chiplet", Holds::kInteger},
    FabricKey{"fabric.levels.uplink_bandwidth",
              "bandwidth of one switch towards the level above, over all its uplinks"},
    FabricKey{.path = "fabric.levels.latency",
              .meaning = "latency of a link between this level and the level below, or the NPUs; "
                         "replaces fabric.link_latency",
              .is_optional = true},
    FabricKey{"fabric.levels.kind", "kind of the switches of this level; replaces switch.kind",
              Holds::kText},
    FabricKey{"fabric.in_switch", "true: collectives run in the switches; false: at the endpoints",
              Holds::kBoolean},
    FabricKey{
        .path = "fabric.simulate_slices",
        .meaning = "slices to simulate: distinct or all; distinct: one of several equal slices",
        .holds = Holds::kWord,
        .default_value = "distinct",
        .words = "distinct all"},
};

std::vector<TreeLevel> read_two_levels(const FabricKeys& keys) {
  TwoLevels tree;
  tree.l1_switches = keys.integer("fabric.l1_switches", 2, kMaxPorts);
  tree.npus_per_l1 = keys.integer("fabric.npus_per_l1", 1, kMaxPorts);
  tree.uplinks = keys.integer("fabric.uplinks", 1, kMaxPorts);
  tree.l2_chiplets_per_slice = keys.integer("fabric.l2_chiplets_per_slice", 1, kMaxPorts);
  tree.uplink_bandwidth = keys.bandwidth("fabric.uplink_bandwidth");
  return levels_of(tree);
}

TreeLevel read_level(const FabricKeys& keys, int number, bool top) {
  const auto key = [&](std::string_view name) {
    return fmt::format("{}.{}.{}", kLevels, number, name);
  };
  TreeLevel level;
  if (keys.has(key("kind"))) level.switch_kind = keys.switch_kind_name(key("kind"));
  level.below = keys.integer(key("below"), number == 1 ? 1 : 2, kMaxPorts);
  level.chiplets_per_slice =
      keys.integer(key("chiplets_per_slice"), 1, number == 1 ? 1 : kMaxPorts);
  if (!top) {
    level.uplinks = keys.integer(key("uplinks"), 1, kMaxPorts);
    level.uplink_bandwidth = keys.bandwidth(key("uplink_bandwidth"));
    return level;
  }
  for (const std::string& upwards : {key("uplinks"), key("uplink_bandwidth")}) {
    if (keys.has(upwards)) {
      throw BadInput(fmt::format("{}: found at the last level, the top, which has no uplinks",
                                 keys.label(upwards)));
    }
  }
  return level;
}

std::vector<TreeLevel> read_levels(const FabricKeys& keys) {
  for (const FabricKey& key : kTreeKeys) {
    if (key.instead == kLevels && keys.has(key.path)) {
      throw BadInput(fmt::format("{}: found beside {}, which stands in its place",
                                 keys.label(key.path), kLevels));
    }
  }
  std::vector<TreeLevel> levels;
  const int depth = keys.entries(kLevels);
  for (int k = 1; k <= depth; ++k) levels.push_back(read_level(keys, k, k == depth));
  return levels;
}

// Latencies by level, lowest first; 0: the latency of all links.
std::vector<std::uint64_t> read_latencies(const FabricKeys& keys, bool two_level_keys, int depth) {
  std::vector<std::uint64_t> latencies;
  for (int k = 1; k <= depth; ++k) {
    const std::string key = !two_level_keys ? fmt::format("{}.{}.latency", kLevels, k)
                            : k == 1        ? ""
                                            : "fabric.uplink_latency";
    latencies.push_back(!key.empty() && keys.has(key) ? keys.time_ps(key) : 0);
  }
  return latencies;
}

// Example with L1 switches and NPUs per switch as close to each other as possible, and as many
// uplinks as NPUs. NPU, slices and links as in configs/fred_d.yaml.
std::vector<Setting> fred_tree_example_keys(int npus) {
  constexpr int kFewPorts = 16;        // maximum for an L2 chiplet, if possible
  constexpr int kTerabytesPerNpu = 3;  // per second
  const auto [l1_switches, npus_per_l1] = nearest_sides(npus);
  if (l1_switches < 2 || l1_switches > kMaxPorts || 2 * npus_per_l1 > kMaxPorts) return {};
  int l2_chiplets = 1;
  while (npus_per_l1 % l2_chiplets != 0 ||
         (l1_switches * npus_per_l1 / l2_chiplets > kFewPorts && l2_chiplets < npus_per_l1))
    ++l2_chiplets;
  return {{"clock", "1.5 GHz"},
          {"npu.count", fmt::format("{}", npus)},
          {"npu.bandwidth", fmt::format("{} TB/s", kTerabytesPerNpu)},
          {"fabric.l1_switches", fmt::format("{}", l1_switches)},
          {"fabric.npus_per_l1", fmt::format("{}", npus_per_l1)},
          {"fabric.slices", "5"},
          {"fabric.uplinks", fmt::format("{}", npus_per_l1)},
          {"fabric.l2_chiplets_per_slice", fmt::format("{}", l2_chiplets)},
          {"fabric.middle", "3"},
          {"fabric.uplink_bandwidth", fmt::format("{} TB/s", kTerabytesPerNpu * npus_per_l1)},
          {"fabric.link_latency", "20 ns"},
          {"fabric.in_switch", "true"},
          {"switch.input_buffer", "24 KiB"},
          {"switch.control_buffer", "2 KiB"}};
}

class FredTreeKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "fred_tree"; }
  std::string_view aliases() const override { return "fred tree switch_tree"; }
  std::span<const FabricKey> keys() const override { return kTreeKeys; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    FredTreeSpec spec;
    spec.two_level_keys = !keys.has(kLevels);
    spec.tree.levels = spec.two_level_keys ? read_two_levels(keys) : read_levels(keys);
    spec.latency_ps = read_latencies(keys, spec.two_level_keys, spec.tree.depth());
    spec.slices = keys.integer("fabric.slices", 1, kMaxPorts);
    spec.middle = keys.integer("fabric.middle", 2, 4);
    spec.chiplet_ports = keys.integer("fabric.chiplet_ports", 0, kMaxPorts);
    spec.in_switch = keys.boolean("fabric.in_switch");
    static constexpr std::array<std::string_view, 2> kSlices = {"distinct", "all"};
    spec.simulate_all_slices = keys.choice("fabric.simulate_slices", kSlices) == 1;
    return [spec = std::move(spec)](const MachineSpec& machine) {
      return build_fred_tree(machine, spec);
    };
  }

  std::optional<MachineExample> example(const std::filesystem::path& /*configs*/) const override {
    return MachineExample{
        .npus = 20,
        .numbers = fmt::format("L1 switches x NPUs per L1 switch, 2 to {} x 1 to {}", kMaxPorts,
                               kMaxPorts / 2),
        .keys = fred_tree_example_keys};
  }

  std::string_view default_switch_kind() const override { return "fred"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }

  // Values of a machine file are unused if other switches were set over it.
  void leave_switches(const FabricKeys& keys, Topology& topology,
                      const std::string& why) const override {
    const auto set_over = [&](std::string_view path) {
      return keys.has(path) && !keys.is_in_file(path);
    };
    bool is_other = set_over("switch.kind") || set_over(kLevels);
    for (int i = 1; i <= topology.tree.depth(); ++i)
      is_other = is_other || set_over(fmt::format("{}.{}.kind", kLevels, i));
    if (!is_other || !keys.is_in_file("fabric.in_switch")) {
      throw BadInput(fmt::format("{}: found true, but {}; allowed: false",
                                 keys.label("fabric.in_switch"), why));
    }
    topology.in_switch = false;
    topology.notes.push_back(fmt::format("fabric.in_switch is not used: {}", why));
  }

  std::string describe(const Topology& topology) const override {
    const SwitchTree& tree = topology.tree;
    return fmt::format("FRED tree of {} level{}, {} slice{}", tree.depth(),
                       tree.depth() == 1 ? "" : "s", topology.slices,
                       topology.slices == 1 ? "" : "s");
  }

  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    const auto level = [&](NodeId node) { return topology.nodes[node].level; };
    const int top = topology.tree.depth();
    std::uint64_t upwards = 0;
    for (const Link& link : topology.links) {
      if (level(link.to) != top || level(link.from) >= top) continue;
      if (topology.nodes[link.from].kind != NodeKind::kIo) upwards += link.bytes_per_second;
    }
    return upwards / 2;
  }
};

}  // namespace

const TopologyKind& fred_tree_kind() {
  static const FredTreeKind kKind;
  return kKind;
}

}  // namespace fredsim
