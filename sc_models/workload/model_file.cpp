#include "workload/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "config/config_tree.h"

namespace fredsim {
namespace {

using Words = std::span<const std::string_view>;

constexpr auto kModelKeys = std::to_array<std::string_view>({"name", "sample", "layers"});
constexpr auto kLayerKeys = std::to_array<std::string_view>(
    {"name", "parameters", "flops", "output", "reduces", "repeat", "forward", "backward"});
constexpr std::uint64_t kMostParameters = std::uint64_t{1} << 44;
constexpr double kMostFlops = 1e21;
constexpr std::uint64_t kMostLayers = 10'000;

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
      throw BadInput(fmt::format("{}: no such key; allowed: {}{}", place(entry.node, entry.key),
                                 join_words(allowed, "and"), did_you_mean(entry.key, allowed)));
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
  bool flag(std::string_view key) const {
    if (find(key) == nullptr) return false;
    const std::string& found = text(key);
    if (found == "true" || found == "false") return found == "true";
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: true or false", place(at(key), key), shown(found)));
  }
  double number(std::string_view key, double most) const {
    const std::string& found = text(key);
    double value = 0;
    const char* const end = found.data() + found.size();
    const auto [stop, error] = std::from_chars(found.data(), end, value);
    if (error == std::errc() && stop == end && value >= 0 && value <= most) return value;
    throw BadInput(fmt::format("{}: found '{}'; allowed: a number from 0 to {:g}, such as 118e6",
                               place(at(key), key), shown(found), most));
  }

 private:
  const ConfigNode& node_;
};

ModelLayer layer_of(const Section& section, std::size_t number) {
  const double parameters = section.number("parameters", static_cast<double>(kMostParameters));
  if (parameters != std::floor(parameters))
    throw BadInput(fmt::format("{}: found '{}'; allowed: a whole number",
                               place(section.at("parameters"), "parameters"),
                               section.text("parameters")));
  const bool is_named = section.find("name") != nullptr;
  return {.name = is_named ? section.text("name") : fmt::format("layer {}", number),
          .parameters = static_cast<std::uint64_t>(parameters),
          .flops = section.number("flops", kMostFlops),
          .output_bytes = section.size("output"),
          .reduces = section.flag("reduces"),
          .forward_ps = section.time_ps("forward"),
          .backward_ps = section.time_ps("backward")};
}

}  // namespace

ModelShape read_model_file(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  const Section model(root, "model", kModelKeys);
  ModelShape shape{.name = model.text("name"), .sample_bytes = model.size("sample"), .layers = {}};
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
                            kMostLayers);
    const ModelLayer layer = layer_of(section, shape.layers.size());
    if (shape.layers.size() + repeat > kMostLayers)
      throw BadInput(fmt::format("{}: found more than {} layers", path, kMostLayers));
    for (std::uint64_t i = 0; i < repeat; ++i) {
      shape.layers.push_back(layer);
      if (repeat > 1) shape.layers.back().name += fmt::format(" {}", i);
    }
  }
  return shape;
}

}  // namespace fredsim
