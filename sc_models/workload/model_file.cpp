// SPDX-License-Identifier: Apache-2.0
#include "workload/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"

namespace fredsim {
namespace {

using Words = std::span<const std::string_view>;

constexpr auto kModelKeys =
    std::to_array<std::string_view>({"name", "sample", "layers", "transformer"});
constexpr auto kLayerKeys = std::to_array<std::string_view>(
    {"name", "parameters", "flops", "output", "reduces", "repeat", "forward", "backward"});
constexpr auto kTransformerKeys = std::to_array<std::string_view>(
    {"layers", "hidden", "heads", "kv_heads", "head_size", "mlp", "mlp_matrices", "vocabulary",
     "sequence", "kv_rank", "rope_size", "q_rank", "experts", "top_k", "expert_mlp",
     "shared_experts", "dense_layers"});
constexpr std::uint64_t kMaxParameters = std::uint64_t{1} << 44;
constexpr double kMaxFlops = 1e21;
constexpr std::uint64_t kMaxLayers = 10'000;

std::string place(const ConfigNode& node, std::string_view key) {
  return fmt::format("{}: {}", node.where, key);
}

// Its keys, with what is under them.
class Section {
 public:
  Section(const ConfigNode& node, std::string_view what, Words allowed) : node_(node) {
    if (node.kind != ConfigNode::Kind::kMap)
      throw BadInput(
          fmt::format("{}: found no keys; allowed: {}", place(node, what), join_words(allowed)));
    for (const ConfigEntry& entry : node.entries) {
      if (std::ranges::count(allowed, entry.key) > 0) continue;
      throw BadInput(fmt::format("{}: found the key '{}'; {}", entry.node.where, shown(entry.key),
                                 advice(entry.key, allowed, {.last = "and"})));
    }
  }

  const ConfigNode* find(std::string_view key) const { return node_.find(key); }
  const ConfigNode& at(std::string_view key) const {
    const ConfigNode* const found = find(key);
    if (found == nullptr)
      throw BadInput(fmt::format("{}: the key '{}' is missing", node_.where, key));
    return *found;
  }
  const std::string& text(std::string_view key) const {
    const ConfigNode& node = at(key);
    if (node.kind != ConfigNode::Kind::kValue)
      throw BadInput(place(node, key) + ": a single value is wanted");
    return node.text;
  }
  std::uint64_t size(std::string_view key) const {
    return parse_size(text(key), place(at(key), key));
  }
  std::uint64_t time_ps(std::string_view key) const {
    return find(key) == nullptr ? 0 : parse_time_ps(text(key), place(at(key), key));
  }
  std::uint64_t whole(std::string_view key, std::uint64_t min, std::uint64_t max) const {
    return parse_number(text(key), place(at(key), key), min, max);
  }
  bool flag(std::string_view key) const {
    if (find(key) == nullptr) return false;
    const std::string& found = text(key);
    if (found == "true" || found == "false") return found == "true";
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: true or false", place(at(key), key), shown(found)));
  }
  double number(std::string_view key, double max) const {
    const std::string& found = text(key);
    double value = 0;
    const char* const end = found.data() + found.size();
    const auto [stop, error] = std::from_chars(found.data(), end, value);
    if (error == std::errc() && stop == end && value >= 0 && value <= max) return value;
    throw BadInput(fmt::format("{}: found '{}'; allowed: a number from 0 to {:g}, such as 118e6",
                               place(at(key), key), shown(found), max));
  }

 private:
  const ConfigNode& node_;
};

ModelLayer layer_of(const Section& section, std::size_t number) {
  const double parameters = section.number("parameters", static_cast<double>(kMaxParameters));
  if (parameters != std::floor(parameters))
    throw BadInput(fmt::format("{}: found '{}'; allowed: a whole number",
                               place(section.at("parameters"), "parameters"),
                               section.text("parameters")));
  const bool is_named = section.find("name") != nullptr;
  return {.name = is_named ? section.text("name") : fmt::format("layer {}", number),
          .parameters = static_cast<std::uint64_t>(parameters),
          .flops = section.number("flops", kMaxFlops),
          .output_bytes = section.size("output"),
          .reduces = section.flag("reduces"),
          .forward_ps = section.time_ps("forward"),
          .backward_ps = section.time_ps("backward")};
}

constexpr std::uint64_t kMaxWidth = 1 << 20;

void read_latent_attention(const Section& section, TransformerShape& shape) {
  for (const char* key : {"rope_size", "q_rank"})
    if (section.find(key) != nullptr && section.find("kv_rank") == nullptr)
      throw BadInput(place(section.at(key), key) + ": found without kv_rank");
  if (section.find("kv_rank") == nullptr) return;
  if (section.find("kv_heads") != nullptr)
    throw BadInput(place(section.at("kv_heads"), "kv_heads") + ": not together with kv_rank");
  shape.kv_rank = section.whole("kv_rank", 1, kMaxWidth);
  if (section.find("rope_size") != nullptr)
    shape.rope_size = section.whole("rope_size", 0, kMaxWidth);
  if (section.find("q_rank") != nullptr) shape.q_rank = section.whole("q_rank", 0, kMaxWidth);
}

void read_experts(const Section& section, TransformerShape& shape) {
  constexpr std::uint64_t kMaxExperts = 1 << 12;
  if (section.find("experts") == nullptr) {
    for (const char* key : {"top_k", "expert_mlp", "shared_experts", "dense_layers"})
      if (section.find(key) != nullptr)
        throw BadInput(place(section.at(key), key) + ": found without experts");
    return;
  }
  shape.experts = static_cast<int>(section.whole("experts", 1, kMaxExperts));
  shape.top_k = static_cast<int>(section.whole("top_k", 1, kMaxExperts));
  if (shape.top_k > shape.experts)
    throw BadInput(fmt::format("{}: found {}; allowed: at most {}, the experts",
                               place(section.at("top_k"), "top_k"), shape.top_k, shape.experts));
  shape.expert_mlp =
      section.find("expert_mlp") == nullptr ? shape.mlp : section.whole("expert_mlp", 1, kMaxWidth);
  if (section.find("shared_experts") != nullptr)
    shape.shared_experts = static_cast<int>(section.whole("shared_experts", 0, kMaxExperts));
  if (section.find("dense_layers") != nullptr)
    shape.dense_layers = static_cast<int>(
        section.whole("dense_layers", 0, static_cast<std::uint64_t>(shape.layers) - 1));
}

TransformerShape transformer_of(const Section& section) {
  constexpr std::uint64_t kMax = kMaxWidth;
  TransformerShape shape;
  shape.layers = static_cast<int>(section.whole("layers", 1, kMaxLayers / 2));
  shape.hidden = section.whole("hidden", 1, kMax);
  shape.heads = section.whole("heads", 1, kMax);
  const auto otherwise = [&](std::string_view key, std::uint64_t value, std::uint64_t max) {
    return section.find(key) == nullptr ? value : section.whole(key, 1, max);
  };
  shape.kv_heads = otherwise("kv_heads", shape.heads, shape.heads);
  if (shape.heads % shape.kv_heads != 0)
    throw BadInput(fmt::format("{}: found {}; allowed: a divisor of the {} heads",
                               place(section.at("kv_heads"), "kv_heads"), shape.kv_heads,
                               shape.heads));
  if (section.find("head_size") == nullptr && shape.hidden % shape.heads != 0)
    throw BadInput(
        fmt::format("{}: found {}, which {} heads do not divide; allowed: together with "
                    "head_size",
                    place(section.at("hidden"), "hidden"), shape.hidden, shape.heads));
  shape.head_size = otherwise("head_size", shape.hidden / shape.heads, kMax);
  shape.mlp = section.whole("mlp", 1, kMax);
  constexpr std::uint64_t kGated = 3;
  shape.mlp_matrices = 2;
  if (section.find("mlp_matrices") != nullptr)
    shape.mlp_matrices = section.whole("mlp_matrices", 2, kGated);
  shape.vocabulary = section.whole("vocabulary", 1, kMax);
  shape.sequence = section.whole("sequence", 1, kMax);
  read_latent_attention(section, shape);
  read_experts(section, shape);
  return shape;
}

ModelShape transformer_model(const Section& model) {
  for (const char* key : {"sample", "layers"})
    if (model.find(key) != nullptr)
      throw BadInput(place(model.at(key), key) + ": not together with transformer");
  return model_of(model.text("name"),
                  transformer_of({model.at("transformer"), "transformer", kTransformerKeys}));
}

}  // namespace

ModelShape read_model_file(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  const Section model(root, "model", kModelKeys);
  if (model.find("transformer") != nullptr) return transformer_model(model);
  ModelShape shape{.name = model.text("name"),
                   .sample_bytes = model.size("sample"),
                   .layers = {},
                   .states_sizes = true};
  const ConfigNode& layers = model.at("layers");
  if (layers.kind != ConfigNode::Kind::kList || layers.entries.empty())
    throw BadInput(place(layers, "layers") +
                   ": found no list; allowed: a list of layers, each with "
                   "'- ' and keys");
  for (const ConfigEntry& entry : layers.entries) {
    const Section section(entry.node, "layers", kLayerKeys);
    std::uint64_t repeat = 1;
    if (section.find("repeat") != nullptr)
      repeat = parse_number(section.text("repeat"), place(section.at("repeat"), "repeat"), 1,
                            kMaxLayers);
    const ModelLayer layer = layer_of(section, shape.layers.size());
    if (shape.layers.size() + repeat > kMaxLayers)
      throw BadInput(fmt::format("{}: found more than {} layers", path, kMaxLayers));
    for (std::uint64_t i = 0; i < repeat; ++i) {
      shape.layers.push_back(layer);
      if (repeat > 1) shape.layers.back().name += fmt::format(" {}", i);
    }
  }
  return shape;
}

}  // namespace fredsim
