// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>

#include "topology/detail/planes.h"
#include "topology/fully_connected/fully_connected.h"

namespace fredsim {
namespace {

constexpr std::array kPairKeys = {
    FabricKey{"fabric.switches", "number of switches; every two are connected", Holds::kInteger},
    FabricKey{"fabric.npus_per_switch", "NPUs per switch", Holds::kInteger, "1"},
    FabricKey{"fabric.planes", "parallel chiplets of one switch", Holds::kInteger, "1"},
    FabricKey{"fabric.pair_bandwidth",
              "bandwidth between two switches, per direction, over all planes"},
};

// Puts as few NPUs on a switch as its ports allow.
std::vector<Setting> fully_connected_example_keys(int npus) {
  int on_switch = 1;
  while (on_switch < npus &&
         (npus % on_switch != 0 || on_switch + npus / on_switch - 1 > kMaxPorts))
    ++on_switch;
  if (on_switch == npus) return {};
  return {{"clock", "1.5 GHz"},
          {"npu.count", fmt::format("{}", npus)},
          {"npu.bandwidth", "600 GB/s"},
          {"fabric.switches", fmt::format("{}", npus / on_switch)},
          {"fabric.npus_per_switch", fmt::format("{}", on_switch)},
          {"fabric.pair_bandwidth", "200 GB/s"},
          {"fabric.link_latency", "20 ns"},
          {"switch.input_buffer", "24 KiB"},
          {"switch.control_buffer", "2 KiB"}};
}

class FullyConnectedKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "fully_connected"; }
  std::string_view aliases() const override { return "full_mesh all_to_all clique crossbar"; }
  std::span<const FabricKey> keys() const override { return kPairKeys; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    FullyConnectedSpec spec;
    spec.switches = keys.integer("fabric.switches", 2, kMaxPorts);
    spec.npus_per_switch = keys.integer("fabric.npus_per_switch", 1, kMaxPorts);
    spec.planes = keys.integer("fabric.planes", 1, kMaxPorts);
    spec.pair_bandwidth = keys.bandwidth("fabric.pair_bandwidth");
    return [spec](const MachineSpec& machine) { return build_fully_connected(machine, spec); };
  }

  std::optional<MachineExample> example(const std::filesystem::path& /*configs*/) const override {
    return MachineExample{.npus = 4,
                          .numbers = fmt::format(
                              "switches x NPUs per switch, whose sum is at most {}", kMaxPorts + 1),
                          .keys = fully_connected_example_keys};
  }

  std::string_view default_switch_kind() const override { return "voq_crossbar"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }

  std::string describe(const Topology& topology) const override {
    return fmt::format("{} switches, each joined to all others, {}",
                       topology.dimensions.back().size, planes_text(topology));
  }

  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    const int half = topology.dimensions.back().size / 2;
    return bytes_per_second_across(topology,
                                   [&](const Node& node) { return node.switch_index < half; });
  }
};

}  // namespace

const TopologyKind& fully_connected_kind() {
  static const FullyConnectedKind kKind;
  return kKind;
}

}  // namespace fredsim
