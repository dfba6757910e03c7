// SPDX-License-Identifier: Apache-2.0
#include "experts/expert_placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "base/key_reader.h"

namespace fredsim {
namespace {

constexpr int kMaxExpert = 1 << 16;
constexpr std::string_view kLayers = "list of layers with experts";

constexpr auto kPlacementKeys = std::to_array<FileKey>({
    {.path = "layers",
     .meaning =
         "experts of each rank, numbered from 0, per layer with experts or once for all layers",
     .holds = Holds::kOther,
     .form = kLayers,
     .schema = R"({"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1,
                   "items": {"type": "array", "minItems": 1,
                             "items": {"type": "integer", "minimum": 0, "maximum": 65535}}}})"},
});

int expert_of(const ConfigNode& node) {
  int value = -1;
  const char* const end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (node.kind == ConfigNode::Kind::kValue && error == std::errc() && stop == end && value >= 0 &&
      value < kMaxExpert)
    return value;
  throw BadInput(fmt::format("{}: found '{}'; allowed: the number of an expert, 0 to {}",
                             node.where, shown(node.text), kMaxExpert - 1));
}

}  // namespace

const FileKeys& expert_placement_keys() {
  static constexpr FileKeys kFile{
      .name = "expert_placement",
      .title = "placements of experts",
      .given = "`fredsim train --expert-placement FILE`, as --write-expert-placement writes it",
      .source = "sc_models/experts/expert_placement.cpp",
      .keys = kPlacementKeys,
      .what = "a placement of experts"};
  return kFile;
}

ExpertPlacement contiguous_experts(int experts, int ranks, int slots) {
  ExpertPlacement::Ranks all(static_cast<std::size_t>(ranks));
  for (int slot = 0; slot < ranks * slots; ++slot) all[slot / slots].push_back(slot % experts);
  for (std::vector<int>& own : all) std::ranges::sort(own);
  return {.layers = {std::move(all)}};
}

ExpertPlacement read_expert_placement(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  const KeyReader file(root, expert_placement_keys());
  if (!file.has("layers")) throw BadInput(fmt::format("{}: the key 'layers' is missing", path));
  const auto list = [](const ConfigNode& node, std::string_view form) -> const auto& {
    return filled_list(node, node.where, form).entries;
  };
  ExpertPlacement placement;
  for (const ConfigEntry& layer : list(file.node("layers"), kLayers)) {
    ExpertPlacement::Ranks& ranks = placement.layers.emplace_back();
    placement.places.push_back(layer.node.where);
    for (const ConfigEntry& rank : list(layer.node, "list of ranks")) {
      std::vector<int>& own = ranks.emplace_back();
      for (const ConfigEntry& expert : list(rank.node, "list of experts"))
        own.push_back(expert_of(expert.node));
      std::ranges::sort(own);
    }
  }
  return placement;
}

std::string expert_placement_text(const ExpertPlacement& placement) {
  std::string text = "# Experts by layer and rank.\nlayers:\n";
  for (const ExpertPlacement::Ranks& ranks : placement.layers)
    text += fmt::format("  - [{}]\n", fmt::join(ranks, ", "));
  return text;
}

void check_expert_placement(const ExpertPlacement& placement, const std::string& source,
                            int experts, int ranks, int layers) {
  const auto count = std::ssize(placement.layers);
  if (count != 1 && count != layers)
    throw BadInput(
        fmt::format("{}: found {} layers; allowed: {}, those with experts, or one for all", source,
                    count, layers));
  for (std::size_t l = 0; l < placement.layers.size(); ++l) {
    const ExpertPlacement::Ranks& all = placement.layers[l];
    const std::string& where = placement.places.empty() ? source : placement.places[l];
    if (std::ssize(all) != ranks)
      throw BadInput(fmt::format("{}: layer {}: found {} ranks; allowed: {}, as --ep says", where,
                                 l, all.size(), ranks));
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (const auto twice = std::ranges::adjacent_find(all[r]); twice != all[r].end())
        throw BadInput(fmt::format("{}: layer {}: found expert {} twice on rank {}; allowed: once",
                                   where, l, *twice, r));
      if (!all[r].empty() && all[r].back() >= experts)
        throw BadInput(
            fmt::format("{}: layer {}: found expert {}; allowed: 0 to {}, those of the "
                        "model",
                        where, l, all[r].back(), experts - 1));
    }
    const std::vector<int> copies = copies_of(all, experts);
    if (const auto none = std::ranges::find(copies, 0); none != copies.end())
      throw BadInput(fmt::format("{}: layer {}: expert {} is on no rank; allowed: on one or more",
                                 where, l, none - copies.begin()));
  }
}

std::vector<int> copies_of(const ExpertPlacement::Ranks& ranks, int experts) {
  std::vector<int> copies(static_cast<std::size_t>(experts), 0);
  for (const std::vector<int>& own : ranks)
    for (const int expert : own) ++copies.at(static_cast<std::size_t>(expert));
  return copies;
}

}  // namespace fredsim
