// SPDX-License-Identifier: Apache-2.0
#include "topology/node_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

std::string_view words_for(ConfigNode::Kind kind) {
  switch (kind) {
    case ConfigNode::Kind::kMap:
      return "keys";
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kValue:
      return "a single value";
    case ConfigNode::Kind::kEmpty:
      break;
  }
  return "nothing";
}

}  // namespace

NodeReader::NodeReader(const ConfigNode& node, std::string path)
    : node_(node), path_(std::move(path)) {}

std::string NodeReader::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

std::string NodeReader::label() const {
  return path_.empty() ? node_.where : fmt::format("{}: {}", node_.where, path_);
}

std::string NodeReader::label(std::string_view name) const {
  const ConfigNode* const found = node_.find(name);
  return fmt::format("{}: {}", found != nullptr ? found->where : node_.where, path_of(name));
}

void NodeReader::allow(std::initializer_list<std::string_view> names) const {
  for (const ConfigEntry& entry : node_.entries) {
    if (std::ranges::find(names, entry.key) != names.end()) continue;
    const std::vector<std::string_view> allowed(names);
    const std::string label =
        path_.empty() ? entry.node.where : fmt::format("{}: {}", entry.node.where, path_);
    throw BadInput(fmt::format("{}: found the key '{}'; {}", label, shown(entry.key),
                               advice(entry.key, allowed, {.last = "and"})));
  }
}

const ConfigNode& NodeReader::child(std::string_view name, ConfigNode::Kind kind) const {
  const ConfigNode* const found = node_.find(name);
  if (found == nullptr)
    throw BadInput(fmt::format("{}: missing key '{}'", node_.where, path_of(name)));
  if (found->kind != kind) {
    throw BadInput(fmt::format("{}: found {}; allowed: {}", label(name), words_for(found->kind),
                               words_for(kind)));
  }
  return *found;
}

std::string NodeReader::text(std::string_view name) const {
  const std::string& text = child(name, ConfigNode::Kind::kValue).text;
  if (text.empty()) throw BadInput(fmt::format("{}: found ''; allowed: a text", label(name)));
  return text;
}

int NodeReader::integer(std::string_view name, int low, int high) const {
  const std::string found = text(name);
  const char* const end = found.data() + found.size();
  int result = 0;
  const auto [stop, error] = std::from_chars(found.data(), end, result);
  if (error != std::errc() || stop != end || result < low || result > high) {
    throw BadInput(fmt::format("{}: found '{}'; allowed: an integer from {} to {}", label(name),
                               shown(found), low, high));
  }
  return result;
}

double NodeReader::number(std::string_view name) const {
  return parse_decimal(text(name), label(name));
}

int NodeReader::choice(std::string_view name, std::span<const std::string_view> names,
                       std::span<const Alias> aliases) const {
  const std::string found = text(name);
  const auto at = std::ranges::find(names, found);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  throw BadInput(fmt::format("{}: found '{}'; {}", label(name), shown(found),
                             advice(found, names, {.aliases = aliases})));
}

NodeReader NodeReader::map(std::string_view name) const {
  return {child(name, ConfigNode::Kind::kMap), path_of(name)};
}

std::vector<NodeReader> NodeReader::list(std::string_view name) const {
  std::vector<NodeReader> readers;
  for (const ConfigEntry& entry : child(name, ConfigNode::Kind::kList).entries) {
    const std::string path = fmt::format("{}.{}", path_of(name), entry.key);
    if (entry.node.kind != ConfigNode::Kind::kMap) {
      throw BadInput(fmt::format("{}: {}: found {}; allowed: keys", entry.node.where, path,
                                 words_for(entry.node.kind)));
    }
    readers.emplace_back(entry.node, path);
  }
  return readers;
}

std::vector<std::pair<std::string, std::string>> NodeReader::values(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const ConfigEntry& entry : child(name, ConfigNode::Kind::kList).entries) {
    const std::string where = fmt::format("{}: {}.{}", entry.node.where, path_of(name), entry.key);
    if (entry.node.kind != ConfigNode::Kind::kValue) {
      throw BadInput(
          fmt::format("{}: found {}; allowed: a single value", where, words_for(entry.node.kind)));
    }
    values.emplace_back(entry.node.text, where);
  }
  return values;
}

double parse_decimal(const std::string& text, const std::string& label) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && std::isfinite(value) && value >= 0) return value;
  throw BadInput(fmt::format("{}: found '{}'; allowed: a number, 0 or more", label, shown(text)));
}

}  // namespace fredsim
