// SPDX-License-Identifier: Apache-2.0
#include "topology/astra_sim/network_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "topology/node_reader.h"

namespace fredsim {
namespace {

constexpr std::array<std::string_view, 3> kBlockNames = {"Ring", "FullyConnected", "Switch"};
constexpr std::array<std::string_view, 3> kBlockWords = {"ring", "fully_connected", "switch"};
constexpr double kGigabyte = 1 << 30;
constexpr std::uint64_t kPicoseconds = 1000;

using Values = std::vector<std::pair<std::string, std::string>>;

Values values_of(const NodeReader& file, std::string_view name, std::size_t dimensions) {
  Values values = file.values(name);
  if (values.size() == dimensions) return values;
  throw BadInput(fmt::format("{}: found {} values; allowed: {}, as many as topology has",
                             file.label(name), values.size(), dimensions));
}

// Whole units of a decimal number of them.
std::uint64_t scaled(const std::pair<std::string, std::string>& value, double unit, bool may_be_0) {
  const double number = parse_decimal(value.first, value.second) * unit;
  const bool is_right = number <= static_cast<double>(kMaxQuantity) && (may_be_0 || number >= 1);
  if (is_right) return static_cast<std::uint64_t>(std::llround(number));
  throw BadInput(
      fmt::format("{}: found '{}'; allowed: a number {} 0, and no larger quantity than 2^53",
                  value.second, shown(value.first), may_be_0 ? "from" : "above"));
}

int count_of(const std::pair<std::string, std::string>& value) {
  return static_cast<int>(parse_number(value.first, value.second, 2, kMaxSystemNpus));
}

BlockShape shape_of(const std::pair<std::string, std::string>& value) {
  for (std::size_t b = 0; b < kBlockNames.size(); ++b)
    if (value.first == kBlockNames[b]) return static_cast<BlockShape>(b);
  throw BadInput(fmt::format("{}: found '{}'{}; allowed: {}", value.second, shown(value.first),
                             did_you_mean(value.first, kBlockNames), join_words(kBlockNames)));
}

}  // namespace

std::vector<DimensionSpec> read_network_file(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  const NodeReader file(root, "");
  file.allow({"topology", "npus_count", "bandwidth", "latency"});
  const Values blocks = file.values("topology");
  if (blocks.empty())
    throw BadInput(
        fmt::format("{}: found no dimension; allowed: one or more", file.label("topology")));
  const Values sizes = values_of(file, "npus_count", blocks.size());
  const Values bandwidths = values_of(file, "bandwidth", blocks.size());
  const Values latencies = values_of(file, "latency", blocks.size());
  std::vector<DimensionSpec> dimensions;
  for (std::size_t d = 0; d < blocks.size(); ++d) {
    DimensionSpec& one = dimensions.emplace_back();
    one.name = fmt::format("d{}", d);
    one.block.shape = shape_of(blocks[d]);
    one.word = kBlockWords[static_cast<std::size_t>(one.block.shape)];
    one.block.key = bandwidths[d].second;
    one.block.size = count_of(sizes[d]);
    one.block.links = default_links(one.block.shape, one.block.size);
    one.block.bandwidth =
        scaled(bandwidths[d], kGigabyte, false) * static_cast<std::uint64_t>(one.block.links);
    one.block.latency_ps = scaled(latencies[d], kPicoseconds, true);
  }
  return dimensions;
}

}  // namespace fredsim
