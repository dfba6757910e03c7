// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <limits>

#include "base/error.h"
#include "topology/fat_tree/fat_tree.h"

namespace fredsim {
namespace {

constexpr std::array kFatTreeKeys = {
    FabricKey{"fabric.radix", "ports per switch, an even number: k of the k-ary fat tree",
              Holds::kInteger},
    FabricKey{"fabric.oversubscription", "NPUs per uplink of an edge switch", Holds::kInteger, "1"},
    FabricKey{"fabric.port_bandwidth", "bandwidth of every link, links of NPUs included"},
    FabricKey{.path = "fabric.paths",
              .meaning = "choice of the uplink: by the place of the destination, or hashed (ECMP)",
              .holds = Holds::kWord,
              .default_value = "by_place",
              .words = "by_place hashed"},
    FabricKey{.path = "fabric.path_seed",
              .meaning = "seed of hashed paths",
              .holds = Holds::kInteger,
              .default_value = "1",
              .from_zero = true},
};
constexpr std::array<std::string_view, 2> kPathWords = {"by_place", "hashed"};

constexpr int fat_tree_npus(int radix) { return radix * radix * radix / 4; }

// Links of NDR InfiniBand, as in configs/systems/fat_tree.yaml.
std::vector<Setting> fat_tree_example_keys(int npus) {
  int radix = 2;
  while (radix < kMaxPorts && fat_tree_npus(radix) < npus) radix += 2;
  if (fat_tree_npus(radix) != npus) return {};
  return {{"clock", "auto"},
          {"npu.receive_buffer", "auto"},
          {"fabric.radix", fmt::format("{}", radix)},
          {"fabric.port_bandwidth", "50 GB/s"},
          {"fabric.link_latency", "500 ns"},
          {"switch.input_buffer", "auto"}};
}

class FatTreeKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "fat_tree"; }
  std::string_view aliases() const override { return "clos folded_clos leaf_spine k_ary_tree"; }
  std::span<const FabricKey> keys() const override { return kFatTreeKeys; }
  bool counts_npus() const override { return true; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    FatTreeSpec spec;
    spec.radix = keys.integer("fabric.radix", 2, kMaxFatTreeRadix);
    spec.oversubscription = keys.integer("fabric.oversubscription", 1, kMaxFatTreeNpus);
    spec.port_bandwidth = keys.bandwidth("fabric.port_bandwidth");
    if (keys.choice("fabric.paths", kPathWords) == 1) {
      spec.path_seed = static_cast<std::uint64_t>(
          keys.integer("fabric.path_seed", 0, std::numeric_limits<int>::max()));
    } else if (keys.has("fabric.path_seed")) {
      throw BadInput(
          fmt::format("{}: found a seed for paths by place; allowed: none, or fabric.paths: hashed",
                      keys.label("fabric.path_seed")));
    }
    keys.time_ps("fabric.link_latency");
    return [spec](const MachineSpec& machine) { return build_fat_tree(machine, spec); };
  }

  std::optional<MachineExample> example(const std::filesystem::path& /*configs*/) const override {
    return MachineExample{.npus = fat_tree_npus(4),
                          .numbers = fmt::format("k^3/4 for even k up to {}", kMaxPorts),
                          .keys = fat_tree_example_keys};
  }

  std::string_view default_switch_kind() const override { return "voq_crossbar"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }

  std::string describe(const Topology& topology) const override {
    const auto& sides = topology.dimensions;
    return fmt::format("fat tree, k = {}: {} pods of {} edge switches with {} NPUs each",
                       sides[2].size, sides[2].size, sides[1].size, sides[0].size);
  }

  // Bisection of k^3/8 links: half of the links between pods and cores. An oversubscribed edge has
  // no fewer, since it has more NPUs for the same links.
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    const auto k = static_cast<std::uint64_t>(topology.dimensions[2].size);
    return k * k * k / 8 * topology.links.front().bytes_per_second;
  }
  std::string bisection_method(const Topology& /*topology*/) const override {
    return "k^3/8 links";
  }
  int diameter(const Topology& /*topology*/) const override { return 6; }
};

}  // namespace

const TopologyKind& fat_tree_kind() {
  static const FatTreeKind kKind;
  return kKind;
}

}  // namespace fredsim
