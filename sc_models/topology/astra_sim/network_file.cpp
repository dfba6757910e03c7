// SPDX-License-Identifier: Apache-2.0
#include "topology/astra_sim/network_file.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/key_reader.h"
#include "base/suggest.h"
#include "base/units.h"

namespace fredsim {
namespace {

// Block name of the file: its shape here, and whether it spans two dimensions. `is_king`: a graph.
struct FileBlock {
  std::string_view name;
  BlockShape shape = BlockShape::kRing;
  std::string_view word{};
  bool is_square = false;
  bool is_king = false;
};
constexpr auto kFileBlocks =
    std::to_array<FileBlock>({{"Ring", BlockShape::kRing, "ring"},
                              {"FullyConnected", BlockShape::kFullyConnected, "fully_connected"},
                              {"Switch", BlockShape::kSwitch, "switch"},
                              {"Mesh", BlockShape::kLine, "line"},
                              {"Mesh2D", BlockShape::kLine, "line", true},
                              {"Torus2D", BlockShape::kRing, "ring", true},
                              {.name = "KingMesh2D", .is_king = true},
                              {.name = "KingMesh", .is_king = true}});

// Quantity of a list, whose numbers have no unit.
struct Quantity {
  std::string_view unit;
  double scale;  // to whole units of ours
  bool may_be_0;
};
constexpr Quantity kBandwidth{"GB/s (of 2^30 bytes)", 1 << 30, false};
constexpr Quantity kLatency{"ns", 1000, true};

using Values = std::vector<std::pair<std::string, std::string>>;

Values values_of(const KeyReader& file, std::string_view name, std::size_t dimensions) {
  Values values = file.values(name);
  if (values.size() == dimensions) return values;
  throw BadInput(fmt::format("{}: found {} values; allowed: {}, as many as topology has",
                             file.label(name), values.size(), dimensions));
}

std::uint64_t scaled(const std::pair<std::string, std::string>& value, const Quantity& quantity) {
  const auto& [text, label] = value;
  const bool has_unit = !text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0;
  const double number = has_unit ? -1 : parse_decimal(text, label) * quantity.scale;
  const bool is_right =
      number <= static_cast<double>(kMaxQuantity) && number >= (quantity.may_be_0 ? 0 : 1);
  if (is_right) return static_cast<std::uint64_t>(std::llround(number));
  throw BadInput(fmt::format("{}: found '{}'; allowed: a number {} 0 of {}, {}", label, shown(text),
                             quantity.may_be_0 ? "from" : "above", quantity.unit,
                             has_unit ? "without a unit" : "and no larger quantity than 2^53"));
}

int count_of(const std::pair<std::string, std::string>& value) {
  return static_cast<int>(parse_number(value.first, value.second, 2, kMaxSystemNpus));
}

const FileBlock& block_of(const std::pair<std::string, std::string>& value) {
  std::vector<std::string_view> names;
  for (const FileBlock& block : kFileBlocks) {
    if (value.first == block.name) return block;
    names.push_back(block.name);
  }
  throw BadInput(fmt::format("{}: found '{}'; {}", value.second, shown(value.first),
                             advice(value.first, names)));
}

// Side of a square of NPUs, from their number.
int side_of(const std::pair<std::string, std::string>& value, std::string_view name) {
  const int count = count_of(value);
  const auto side = static_cast<int>(std::lround(std::sqrt(count)));
  if (side * side == count) return side;
  throw BadInput(fmt::format("{}: found {}; allowed for {}: a square, such as {}", value.second,
                             count, name, (side + 1) * (side + 1)));
}

// Row by row; each NPU has a link to its neighbours to the east, south-west, south and south-east.
GraphSpec king_mesh(int side, std::uint64_t bandwidth, std::uint64_t latency_ps,
                    const std::string& label) {
  GraphSpec spec;
  spec.label = label;
  for (int i = 0; i < side * side; ++i)
    spec.nodes.push_back({fmt::format("npu{}", i), false, label});
  constexpr std::array<std::pair<int, int>, 4> kSteps{{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      for (const auto& [dx, dy] : kSteps) {
        if (x + dx < 0 || x + dx >= side || y + dy >= side) continue;
        spec.links.push_back(
            {y * side + x, (y + dy) * side + x + dx, bandwidth, latency_ps, 1, label});
      }
    }
  }
  check_graph(spec);
  return spec;
}

}  // namespace

NetworkFile read_network_file(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  const KeyReader file(root, "");
  file.allow({"topology", "npus_count", "bandwidth", "latency"});
  const Values blocks = file.values("topology");
  if (blocks.empty())
    throw BadInput(
        fmt::format("{}: found no dimension; allowed: one or more", file.label("topology")));
  const Values sizes = values_of(file, "npus_count", blocks.size());
  const Values bandwidths = values_of(file, "bandwidth", blocks.size());
  const Values latencies = values_of(file, "latency", blocks.size());
  NetworkFile network;
  for (std::size_t d = 0; d < blocks.size(); ++d) {
    const FileBlock& block = block_of(blocks[d]);
    const std::uint64_t bandwidth = scaled(bandwidths[d], kBandwidth);
    const std::uint64_t latency_ps = scaled(latencies[d], kLatency);
    if (block.is_king) {
      if (blocks.size() > 1) {
        throw BadInput(fmt::format("{}: found '{}' beside other dimensions; allowed: alone",
                                   blocks[d].second, block.name));
      }
      network.graph =
          king_mesh(side_of(sizes[d], block.name), bandwidth, latency_ps, bandwidths[d].second);
      return network;
    }
    const auto add = [&](std::string name, int size) {
      DimensionSpec& one = network.dimensions.emplace_back();
      one.name = std::move(name);
      one.word = block.word;
      one.block.shape = block.shape;
      one.block.key = bandwidths[d].second;
      one.block.size = size;
      one.block.links = default_links(block.shape, size);
      one.block.bandwidth = bandwidth * static_cast<std::uint64_t>(one.block.links);
      one.block.latency_ps = latency_ps;
    };
    if (block.is_square) {
      for (const char side : {'x', 'y'})
        add(fmt::format("d{}{}", d, side), side_of(sizes[d], block.name));
    } else {
      add(fmt::format("d{}", d), count_of(sizes[d]));
    }
  }
  return network;
}

}  // namespace fredsim
