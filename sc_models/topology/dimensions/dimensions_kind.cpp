// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "topology/dimensions/dimensions.h"

namespace fredsim {
namespace {

constexpr std::string_view kDimensions = "fabric.dimensions";
constexpr std::array kDimensionsKeys = {
    FabricKey{kDimensions, "dimensions of the system, a list, lowest first", Holds::kList},
    FabricKey{.path = "fabric.dimensions.block",
              .meaning = "network of the NPUs that differ only in this dimension; mesh, torus and "
                         "fred need `machine`",
              .holds = Holds::kWord,
              .words = "ring fully_connected switch line mesh torus fred"},
    FabricKey{"fabric.dimensions.size", "number of NPUs that differ only in this dimension",
              Holds::kInteger},
    FabricKey{"fabric.dimensions.bandwidth",
              "bandwidth of one NPU in this dimension, per direction, over all its links"},
    FabricKey{"fabric.dimensions.links", "number of links of one NPU in this dimension",
              Holds::kInteger},
    FabricKey{"fabric.dimensions.latency", "latency of a link; replaces fabric.link_latency"},
    FabricKey{"fabric.dimensions.efficiency",
              "share of the link rate that carries payload; the rest is protocol overhead",
              Holds::kText, "1"},
    FabricKey{"fabric.dimensions.switch_latency",
              "latency of a switch, added to its own cycles, a time", Holds::kValue, "0 ns"},
    FabricKey{"fabric.dimensions.in_switch",
              "true: collectives run in the switch; false: at the endpoints", Holds::kBoolean,
              "false"},
    FabricKey{"fabric.dimensions.machine", "machine file that is the block of this dimension",
              Holds::kText},
    FabricKey{"fabric.dimensions.name", "name of the dimension", Holds::kText},
};

// Blocks in the order of BlockShape, then machines.
constexpr std::array<std::string_view, 7> kWords = {"ring", "fully_connected", "switch", "line",
                                                    "mesh", "torus",           "fred"};
constexpr int kLastBlock = static_cast<int>(BlockShape::kLine);
// Kinds of topologies that are a machine block's word.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMachineWords{
    {{"mesh", "mesh2d"}, {"torus", "torus2d"}, {"torus", "torus3d"}, {"fred", "fred_tree"}}};

class DimensionReader {
 public:
  DimensionReader(const FabricKeys& keys, int number)
      : keys_(keys), prefix_(fmt::format("{}.{}", kDimensions, number)), number_(number) {}

  DimensionSpec read() const {
    DimensionSpec spec;
    spec.name = has("name") ? keys_.text(key("name")) : fmt::format("d{}", number_ - 1);
    if (has("block")) spec.word = kWords[keys_.choice(key("block"), kWords)];
    if (has("machine")) {
      read_machine(spec);
    } else {
      read_block(spec);
    }
    return spec;
  }

 private:
  std::string key(std::string_view name) const { return fmt::format("{}.{}", prefix_, name); }
  bool has(std::string_view name) const { return keys_.has(key(name)); }

  void read_machine(DimensionSpec& spec) const {
    for (const std::string_view other :
         {"size", "bandwidth", "links", "latency", "efficiency", "switch_latency", "in_switch"}) {
      if (has(other)) {
        throw BadInput(fmt::format("{}: found beside {}, which says it; allowed there: block, name",
                                   keys_.label(key(other)), key("machine")));
      }
    }
    spec.machine = keys_.machine(key("machine"));
    const auto fits = [&](const auto& word) {
      return word.second == spec.machine->kind && (spec.word.empty() || spec.word == word.first);
    };
    const auto* const word = std::ranges::find_if(kMachineWords, fits);
    if (word == kMachineWords.end()) {
      throw BadInput(fmt::format(
          "{}: found a {}; allowed: {}", keys_.label(key("machine")), spec.machine->kind,
          spec.word.empty() ? "mesh2d, torus2d, torus3d, fred_tree"
                            : fmt::format("a machine of block {}", spec.word)));
    }
    spec.word = word->first;
  }

  void read_block(DimensionSpec& spec) const {
    const auto shape = std::ranges::find(kWords, std::string_view(spec.word)) - kWords.begin();
    if (spec.word.empty() || shape > kLastBlock) {
      throw BadInput(fmt::format(
          "{}: found {}; allowed: block: ring, line, fully_connected or switch, or machine: FILE",
          keys_.label(prefix_),
          spec.word.empty() ? "neither block nor machine"
                            : fmt::format("block {} without machine", spec.word)));
    }
    BlockSpec& block = spec.block;
    block.shape = static_cast<BlockShape>(shape);
    block.key = prefix_;
    block.size = keys_.integer(key("size"), 1, kMaxSystemNpus);
    if (block.size == 1) {
      throw BadInput(fmt::format("{}: found 1; allowed: 2 or more, or no such dimension",
                                 keys_.label(key("size"))));
    }
    block.bandwidth = keys_.bandwidth(key("bandwidth"));
    block.links = has("links") ? keys_.integer(key("links"), 1, kMaxSystemNpus)
                               : default_links(block.shape, block.size);
    block.latency_key = has("latency") ? key("latency") : "fabric.link_latency";
    block.latency_ps = keys_.time_ps(block.latency_key);
    block.efficiency = parse_share(keys_.text(key("efficiency")), keys_.label(key("efficiency")));
    block.switch_latency_ps = keys_.time_ps(key("switch_latency"));
    block.in_switch = keys_.boolean(key("in_switch"));
    for (const std::string_view of_switch : {"switch_latency", "in_switch"}) {
      if (has(of_switch) && block.shape != BlockShape::kSwitch) {
        throw BadInput(fmt::format("{}: found in a block {}; allowed in a block switch",
                                   keys_.label(key(of_switch)), spec.word));
      }
    }
    if (block.in_switch && block.size > kMaxPorts) {
      throw BadInput(
          fmt::format("{}: found true with {} NPUs; allowed: up to {}, the ports of a "
                      "switch that adds up",
                      keys_.label(key("in_switch")), block.size, kMaxPorts));
    }
  }

  const FabricKeys& keys_;
  std::string prefix_;
  int number_;
};

void check_names(const std::vector<DimensionSpec>& dimensions, const FabricKeys& keys) {
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    for (std::size_t other = 0; other < d; ++other) {
      if (dimensions[d].name != dimensions[other].name) continue;
      throw BadInput(fmt::format("{}.{}.name: found '{}' twice; allowed: each name once",
                                 keys.label(kDimensions), d + 1, dimensions[d].name));
    }
  }
}

void add_example_dimension(std::vector<Setting>& keys, int number, std::string_view block, int size,
                           std::string_view bandwidth) {
  const std::string prefix = fmt::format("{}.{}", kDimensions, number);
  keys.push_back({prefix + ".block", std::string(block)});
  keys.push_back({prefix + ".size", fmt::format("{}", size)});
  keys.push_back({prefix + ".bandwidth", std::string(bandwidth)});
  keys.push_back({prefix + ".latency", "500 ns"});
}

// Boxes of up to eight that are fully connected, joined by a switch, or by two dimensions of
// switches where one would have more ports than run flit by flit.
constexpr int kMaxBox = 8;
std::vector<Setting> dimensions_example_keys(int npus) {
  constexpr int kGigabytesPerLink = 50;  // per second
  const int in_box = largest_divisor(npus, kMaxBox);
  const int boxes = npus / in_box;
  const auto [longer, shorter] = boxes > kMaxPorts ? nearest_sides(boxes) : SidePair{boxes, 1};
  if (longer > kMaxPorts) return {};
  std::vector<Setting> keys{
      {"clock", "auto"}, {"npu.receive_buffer", "auto"}, {"switch.input_buffer", "auto"}};
  int dimensions = 0;
  if (in_box > 1) {
    add_example_dimension(keys, ++dimensions, "fully_connected", in_box,
                          fmt::format("{} GB/s", kGigabytesPerLink * (in_box - 1)));
  }
  for (const int size : {longer, shorter}) {
    if (size > 1)
      add_example_dimension(keys, ++dimensions, "switch", size,
                            fmt::format("{} GB/s", kGigabytesPerLink));
  }
  return keys;
}

class DimensionsKind final : public TopologyKind {
 public:
  std::string_view name() const override { return "dimensions"; }
  std::string_view aliases() const override {
    return "ring switch multi_dim hierarchical dgx cluster";
  }
  std::span<const FabricKey> keys() const override { return kDimensionsKeys; }
  bool counts_npus() const override { return true; }

  TopologyBuilder builder(const FabricKeys& keys) const override {
    std::vector<DimensionSpec> dimensions;
    for (int number = 1; number <= keys.entries(kDimensions); ++number)
      dimensions.push_back(DimensionReader(keys, number).read());
    check_names(dimensions, keys);
    return [dimensions = std::move(dimensions)](const MachineSpec& machine) {
      return build_dimensions(machine, dimensions);
    };
  }

  std::optional<MachineExample> example(const std::filesystem::path& /*configs*/) const override {
    return MachineExample{.npus = 64,
                          .numbers = fmt::format("2 to {}", kMaxSystemNpus),
                          .keys = dimensions_example_keys};
  }

  std::string_view default_switch_kind() const override { return "voq_crossbar"; }
  UnicastRoutes unicasts() const override { return UnicastRoutes::kByTable; }

  std::string describe(const Topology& topology) const override {
    std::vector<std::string> sides;
    for (const SystemBlock& block : topology.blocks)
      sides.push_back(fmt::format("{} {}", block.word, block.topology->npus.size()));
    return fmt::format("{} dimension{}, {}", topology.blocks.size(),
                       topology.blocks.size() == 1 ? "" : "s", fmt::join(sides, " x "));
  }

  // Minimum over the dimensions: the bisection of the dimension's block, times its groups.
  std::uint64_t bisection_bytes_per_second(const Topology& topology) const override {
    std::uint64_t least = ~std::uint64_t{0};
    for (const SystemBlock& block : topology.blocks) {
      const Topology& one = *block.topology;
      const std::uint64_t groups = topology.npus.size() / one.npus.size();
      // An NPU's block: half of its NPUs send to the other half over a switch.
      const std::uint64_t across = block.facts.has_switch && block.facts.is_symmetrical
                                       ? block.bandwidth * (one.npus.size() / 2)
                                       : topology_kind(one.kind).bisection_bytes_per_second(one);
      least = std::min(least, across * groups);
    }
    return least;
  }
};

}  // namespace

const TopologyKind& dimensions_kind() {
  static const DimensionsKind kKind;
  return kKind;
}

}  // namespace fredsim
