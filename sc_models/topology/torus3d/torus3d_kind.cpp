// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "topology/detail/planes.h"
#include "topology/torus3d/torus3d.h"

namespace fredsim {
namespace {

constexpr std::array kTorusKeys = {
    FabricKey{.path = "fabric.size_x",
              .meaning = "number of switches along x, a ring",
              .holds = Holds::kInteger,
              .aliases = "x width columns"},
    FabricKey{.path = "fabric.size_y",
              .meaning = "number of switches along y, a ring",
              .holds = Holds::kInteger,
              .aliases = "y height rows"},
    FabricKey{.path = "fabric.size_z",
              .meaning = "number of switches along z, a ring",
              .holds = Holds::kInteger,
              .aliases = "z depth layers"},
    FabricKey{"fabric.planes", "parallel chiplets of one switch", Holds::kInteger, "1"},
    FabricKey{.path = "fabric.ring_bandwidth",
              .meaning = "bandwidth from one switch to the next, per direction, over all planes",
              .aliases = "bandwidth bw link_bandwidth"},
};

constexpr std::array<std::string_view, 3> kTorusSides = {"fabric.size_x", "fabric.size_y",
                                                         "fabric.size_z"};

// Sides as close to each other as possible.
std::vector<Setting> torus3d_example_keys(int npus) {
  for (int z = static_cast<int>(std::cbrt(npus)) + 1; z >= 1; --z) {
    if (npus % z != 0) continue;
    const auto [x, y] = nearest_sides(npus / z);
    if (x > kMaxTorusSide) continue;
    return {{"clock", "1.5 GHz"},
            {"npu.count", fmt::format("{}", npus)},
            {"npu.bandwidth", "600 GB/s"},
            {"fabric.size_x", fmt::format("{}", x)},
            {"fabric.size_y", fmt::format("{}", y)},
            {"fabric.size_z", fmt::format("{}", z)},
            {"fabric.ring_bandwidth", "200 GB/s"},
            {"fabric.link_latency", "20 ns"},
            {"switch.input_buffer", "24 KiB"},
            {"switch.control_buffer", "2 KiB"}};
  }
  return {};
}

class Torus3dKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "torus3d"; }
  std::string_view aliases() const override { return "torus_3d cube tpu"; }
  std::span<const FabricKey> keys() const override { return kTorusKeys; }
  std::span<const std::string_view> npu_factors() const override { return kTorusSides; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    Torus3dSpec spec;
    spec.sides = {keys.integer("fabric.size_x", 1, kMaxTorusSide),
                  keys.integer("fabric.size_y", 1, kMaxTorusSide),
                  keys.integer("fabric.size_z", 1, kMaxTorusSide)};
    spec.planes = keys.integer("fabric.planes", 1, kMaxPorts);
    spec.ring_bandwidth = keys.bandwidth("fabric.ring_bandwidth");
    return [spec](const MachineSpec& machine) { return build_torus3d(machine, spec); };
  }

  std::optional<MachineExample> example(const std::filesystem::path& /*configs*/) const override {
    return MachineExample{
        .npus = 64,
        .numbers = fmt::format("size_x x size_y x size_z, 1 to {} each", kMaxTorusSide),
        .keys = torus3d_example_keys};
  }

  std::string_view default_switch_kind() const override { return "voq_crossbar"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }

  std::string describe(const Topology& topology) const override {
    const auto side = [&](std::size_t d) { return topology.dimensions[d].size; };
    return fmt::format("3D torus of {} x {} x {}, {}", side(0), side(1), side(2),
                       planes_text(topology));
  }

  // Minimum cut between layers into halves; for odd sides the halves differ by a layer. Even sides
  // take precedence over odd ones, whose halves are unequal.
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
    bool is_even = false;
    int stride = 1;
    for (const TopologyDimension& one : topology.dimensions) {
      const bool even = one.size % 2 == 0;
      if (one.size > 1 && (even || !is_even)) {
        const auto is_low = [&](const Node& node) {
          return node.switch_index / stride % one.size < one.size / 2;
        };
        const std::uint64_t across = bytes_per_second_across(topology, is_low);
        min = even && !is_even ? across : std::min(min, across);
        is_even = even;
      }
      stride *= one.size;
    }
    return min;
  }
};

}  // namespace

const TopologyKind& torus3d_kind() {
  static const Torus3dKind kKind;
  return kKind;
}

}  // namespace fredsim
