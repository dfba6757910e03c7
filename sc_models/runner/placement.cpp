// SPDX-License-Identifier: Apache-2.0
#include "runner/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/file_text.h"
#include "placement/worker_placement.h"
#include "runner/option_values.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

constexpr auto kPlacementKeys = std::to_array<FileKey>({
    {.path = "",
     .meaning = "worker 0 runs on the first NPU, and so on; every NPU at most once",
     .holds = Holds::kOther,
     .form = "list of NPUs by worker rank, such as `[3, 2, 1, 0]`",
     .schema = R"({"type": "array", "minItems": 1, "uniqueItems": true,
                   "items": {"type": "integer", "minimum": 0}})"},
});

std::vector<int> read_placement(const std::string& path) {
  const ConfigNode root =
      parse_any_text(yaml_of_option(path, "--placement (paper, snake, identity or a file)"), path);
  if (root.kind != ConfigNode::Kind::kList || root.entries.empty()) {
    throw BadInput(
        fmt::format("{}: found no list; allowed: NPUs by worker rank, such as [3, 2, 1, 0]", path));
  }
  std::vector<int> npus;
  std::map<int, std::size_t> worker_on;
  for (const ConfigEntry& entry : root.entries) {
    const std::string place = fmt::format("{}:{}: worker {}", path, entry.node.line, npus.size());
    if (entry.node.kind != ConfigNode::Kind::kValue)
      throw BadInput(place + ": found no number; allowed: an NPU");
    npus.push_back(static_cast<int>(parse_number(entry.node.text, place, 0, kMaxWorkers - 1)));
    const auto [other, first] = worker_on.emplace(npus.back(), npus.size() - 1);
    if (!first) {
      throw BadInput(fmt::format("{}: found NPU {}, where worker {} is; allowed: every NPU once",
                                 place, npus.back(), other->second));
    }
  }
  return npus;
}

void check_fits(const Placement& placement, const std::optional<Strategy>& strategy,
                const Topology& topology) {
  const auto npus = std::ssize(topology.npus);
  if (strategy && strategy->workers() > npus) {
    throw BadInput(
        fmt::format("--strategy: found {} with {} workers; allowed: at most {}, the NPUs "
                    "of {}",
                    to_string(*strategy), strategy->workers(), npus, topology.name));
  }
  if (placement.kind != Placement::Kind::kFile) return;
  if (const auto max = std::ranges::max_element(placement.npus); *max >= npus) {
    throw BadInput(fmt::format("{}: found NPU {} for worker {}; allowed: 0 to {}, the NPUs of {}",
                               placement.path, *max, max - placement.npus.begin(), npus - 1,
                               topology.name));
  }
  if (strategy && strategy->workers() > std::ssize(placement.npus)) {
    throw BadInput(fmt::format("{}: found {} NPUs; allowed: one for each of the {} workers of {}",
                               placement.path, placement.npus.size(), strategy->workers(),
                               to_string(*strategy)));
  }
}

}  // namespace

const FileKeys& placement_file_keys() {
  static constexpr FileKeys kFile{.name = "placement",
                                  .title = "placement files",
                                  .given = "`--placement FILE`",
                                  .source = "sc_models/runner/placement.cpp",
                                  .keys = kPlacementKeys};
  return kFile;
}

std::string Placement::name() const {
  switch (kind) {
    case Kind::kIdentity:
      return "identity";
    case Kind::kPaper:
      return "paper";
    case Kind::kSnake:
      return "snake";
    default:
      return path;
  }
}

Placement parse_placement(const std::string& text) {
  if (text == "paper") return {.kind = Placement::Kind::kPaper, .path = {}, .npus = {}};
  if (text == "snake") return {.kind = Placement::Kind::kSnake, .path = {}, .npus = {}};
  if (text == "identity") return {};
  return {.kind = Placement::Kind::kFile, .path = text, .npus = read_placement(text)};
}

std::vector<Dimension> parse_dimensions(const std::string& text) {
  std::vector<Dimension> dimensions;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    dimensions.push_back(parse_dimension(text.substr(begin, comma - begin)));
    if (std::ranges::count(dimensions, dimensions.back()) > 1) {
      throw BadInput(fmt::format("--dimension: found '{}' twice in '{}'; allowed: once",
                                 to_string(dimensions.back()), text));
    }
    if (comma == std::string::npos) return dimensions;
    begin = comma + 1;
  }
}

std::vector<int> npus_of(const Placement& placement, const std::optional<Strategy>& strategy,
                         const Topology& topology) {
  check_fits(placement, strategy, topology);
  switch (placement.kind) {
    case Placement::Kind::kPaper:
      assert(strategy);
      return paper_placement(*strategy);
    case Placement::Kind::kSnake:
      assert(strategy);
      return snake_placement(*strategy, topology);
    case Placement::Kind::kIdentity:
      return strategy ? identity_placement(strategy->workers()) : npus_left(topology);
    default:
      return placement.npus;
  }
}

}  // namespace fredsim
