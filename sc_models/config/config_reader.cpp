// SPDX-License-Identifier: Apache-2.0
#include "config/config_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "config/config_schema.h"

namespace fredsim {
namespace {

std::vector<std::string> words_of(const ConfigNode& list) {
  std::vector<std::string> words;
  for (const ConfigEntry& entry : list.entries) words.push_back(entry.node.text);
  return words;
}

// A value as it was written.
std::string as_written(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::kList ? fmt::format("[{}]", fmt::join(words_of(node), ", "))
                                              : node.text;
}

const ConfigNode* find_node(const ConfigNode& root, std::string_view path) {
  const ConfigNode* node = &root;
  for (std::string_view rest = path; node != nullptr && !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    node = node->find(rest.substr(0, dot));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return node;
}

const TopologyKind* kind_of(const ConfigNode& root) {
  const ConfigNode* type = find_node(root, "fabric.type");
  return type == nullptr ? nullptr : find_topology_kind(type->text);
}

// Kind of the switches of a machine; null: its name is unknown.
const SwitchKind* switch_kind_in(const ConfigNode& root, const TopologyKind& fabric) {
  const ConfigNode* name = find_node(root, "switch.kind");
  return find_switch_kind(name != nullptr ? std::string_view(name->text)
                                          : fabric.default_switch_kind());
}

bool lacks_parameter(const SwitchKind* kind, const Key& key) {
  return kind != nullptr && !key.parameter.empty() && kind->index(key.parameter) < 0;
}

// Checks the node at `path` against the schema. `fabric`: the fabric's type; null: unknown.
void check_kind(const ConfigNode& node, const std::string& path, Holds wanted,
                const TopologyKind* fabric) {
  using Kind = ConfigNode::Kind;
  const Kind fitting = wanted == Holds::kKeys || wanted == Holds::kNames || wanted == Holds::kValues
                           ? Kind::kMap
                       : wanted == Holds::kList || wanted == Holds::kWords ? Kind::kList
                                                                           : Kind::kValue;
  if (node.kind == fitting) {
    if (wanted != Holds::kWords) return;
    for (const ConfigEntry& entry : node.entries)
      check_kind(entry.node, path, Holds::kValue, fabric);
    return;
  }
  const Key* const key = find_key(path, fabric);
  const std::string found = node.kind == Kind::kMap ? "keys"
                            : node.kind == Kind::kList
                                ? "a list"
                                : fmt::format("the value '{}'", shown(node.text));
  const std::string allowed =
      wanted == Holds::kKeys
          ? fmt::format("keys are wanted: {}", join_words(keys_inside(path, fabric), "and"))
      : wanted == Holds::kNames || wanted == Holds::kValues
          ? fmt::format("names with values are wanted, NAME: {} ({})",
                        wanted == Holds::kNames ? "3" : "50 GB/s", key->meaning)
      : wanted == Holds::kWords
          ? fmt::format("a list is wanted: [{}] ({})", key->default_value, key->meaning)
          : fmt::format("a {} is wanted ({})", wanted == Holds::kList ? "list" : "single value",
                        key->meaning);
  throw BadInput(fmt::format("{}: {}: found {}; {}", node.where, path, found, allowed));
}

// List at a path or above it; null: none.
const Key* list_of(std::string_view path, const TopologyKind& kind) {
  for (const Key& key : config_keys()) {
    if (key.holds != Holds::kList || !key.is_of(kind) || !path.starts_with(key.path)) continue;
    if (path.size() == key.path.size() || path[key.path.size()] == '.') return &key;
  }
  return nullptr;
}

}  // namespace

bool has_key(const ConfigNode& root, std::string_view path) {
  const TopologyKind* const kind = kind_of(root);
  const Key* key = find_key(path, kind);
  if (key == nullptr) return false;
  if (kind == nullptr) return true;  // an invalid type is reported first
  if (!key->is_of(*kind)) return false;
  if (lacks_parameter(switch_kind_in(root, *kind), *key)) return false;
  if (path.starts_with("io.")) return find_node(root, "io") != nullptr;  // optional section
  if (!key->instead.empty()) return find_node(root, key->instead) == nullptr;
  const Key* const list = list_of(path, *kind);
  if (list == nullptr) return true;
  const ConfigNode* const entries = find_node(root, list->path);
  if (entries == nullptr || path == list->path) return entries != nullptr;
  const std::string_view entry = path.substr(list->path.size() + 1);
  return entries->find(entry.substr(0, entry.find('.'))) != nullptr;
}

ConfigReader::ConfigReader(ConfigNode root, std::string file, bool is_block, AllowedValues* allowed)
    : root_(std::move(root)), file_(std::move(file)), is_block_(is_block), allowed_(allowed) {
  check_keys(root_, "");
  const TopologyKind* const fabric_kind = kind();
  const bool counts_npus = fabric_kind != nullptr && fabric_kind->counts_npus();
  for (const Key& key : config_keys()) {
    const bool is_counted = counts_npus && !key.counted_default.empty();
    const std::string text(is_counted ? key.counted_default : key.default_value);
    if (text.empty()) continue;
    ConfigNode& node = defaults_.emplace_back(ConfigEntry{std::string(key.path), {}}).node;
    if (key.holds == Holds::kWords) {
      node = parse_config_text(fmt::format("default: [{}]", text), file_).entries.front().node;
    } else {
      node = {.kind = ConfigNode::Kind::kValue, .where = file_, .text = text, .entries = {}};
    }
  }
  if (fabric_kind != nullptr) count_npus(*fabric_kind);
}

std::vector<MachineKey> ConfigReader::resolved() const {
  std::vector<MachineKey> keys;
  const TopologyKind& fabric_kind = fabric();
  const SwitchKind* const switches = switch_kind_in(root_, fabric_kind);
  const auto add = [&](const Key& key, std::string path) {
    if (path == "switch.kind" && !has(path)) {
      keys.push_back({std::move(path), std::string(fabric_kind.default_switch_kind())});
      return;
    }
    if (!key.is_of(fabric_kind) || lacks_parameter(switches, key) || !is_value(key.holds) ||
        !has_value(path) || (key.path.starts_with("io.") && !has("io")) ||
        (key.path.starts_with("link.") && !has("link"))) {
      return;
    }
    const std::string& text = value(path).text;
    if (key.holds == Holds::kWords) {
      keys.push_back({path, words_of(value(path))});
    } else if (key.holds == Holds::kBoolean) {
      keys.push_back({std::move(path), text == "true"});
    } else if (key.holds == Holds::kInteger) {
      constexpr int kMax = std::numeric_limits<int>::max();
      const std::int64_t number = parse_integer(text, label(path), 0, kMax, no_integer());
      keys.push_back({std::move(path), number});
    } else {
      keys.push_back({std::move(path), text});
    }
  };
  for (const Key& key : config_keys()) {
    const std::string_view section = parent(key.path);
    if (!key.is_of(fabric_kind)) continue;
    const Key* list = section.empty() ? nullptr : find_key(section, &fabric_kind);
    if (list == nullptr || list->holds != Holds::kList) add(key, std::string(key.path));
    if ((key.holds == Holds::kNames || key.holds == Holds::kValues) && has(key.path)) {
      for (const auto& [name, node] : find(key.path)->entries) {
        const std::string named = fmt::format("{}.{}", key.path, name);
        add(*find_key(named, &fabric_kind), named);
      }
    }
    for (int n = 1; key.holds == Holds::kList && has(key.path) && n <= entries(key.path); ++n) {
      for (const Key& inner : config_keys()) {
        if (parent(inner.path) == key.path)
          add(inner, fmt::format("{}.{}.{}", key.path, n, leaf(inner.path)));
      }
    }
  }
  return keys;
}

void ConfigReader::check_keys(const ConfigNode& node, const std::string& prefix) const {
  for (const auto& [name, child] : node.entries) {
    const std::string path = prefix + name;
    if (name.find('.') != std::string::npos) {
      throw BadInput(
          fmt::format("{}: found the key '{}'; allowed: in a file a section's keys stand below it, "
                      "dots are for --set",
                      child.where, shown(path)));
    }
    const Key* key = find_key(path, kind());
    if (key == nullptr) {
      const std::string_view section = parent(path);
      const std::string label =
          section.empty() ? child.where : fmt::format("{}: {}", child.where, section);
      throw BadInput(
          fmt::format("{}: found the key '{}'; {}", label, shown(name), key_advice(path, kind())));
    }
    if (child.kind == ConfigNode::Kind::kEmpty) {
      throw BadInput(fmt::format("{}: {}: found nothing ({})", child.where, path, key->meaning));
    }
    check_kind(child, path, node.kind == ConfigNode::Kind::kList ? Holds::kKeys : key->holds,
               kind());
    if (key->holds != Holds::kWords) check_keys(child, path + ".");
  }
}

const TopologyKind* ConfigReader::kind() const { return kind_of(root_); }

const SwitchKind& ConfigReader::switch_kind(std::string_view path) const {
  const TopologyKind& fabric_kind = fabric();
  const auto fits = [&](const SwitchKind& one) {
    return one.unicast_routes() == fabric_kind.unicasts() &&
           (!fabric_kind.needs_moving_rings() || one.keeps_rings_moving());
  };
  const auto fitting = [&] {
    std::vector<std::string_view> names;
    for (const SwitchKind* one : switch_kinds()) {
      if (fits(*one)) names.push_back(one->name());
    }
    return names;
  };
  note(path, [&] { return join_words(fitting()); });
  const SwitchKind* const found = has(path) ? find_switch_kind(this->text(path))
                                            : find_switch_kind(fabric_kind.default_switch_kind());
  if (found != nullptr && fits(*found)) return *found;
  const std::vector<std::string_view> names = fitting();
  const std::string text = this->text(path);
  const std::vector<Alias> aliases = switch_aliases();
  if (found != nullptr)
    throw BadInput(fmt::format("{}: found '{}' in a {}; allowed: {}", label(path), shown(text),
                               fabric_kind.name(), list_words(names)));
  throw BadInput(fmt::format("{}: found '{}'; {}", label(path), shown(text),
                             advice(text, names, {.aliases = aliases})));
}

std::vector<std::string> ConfigReader::keys_not_of(const SwitchKind& switches) const {
  // Accepts the file of a machine whose switch kind is overridden: keys of its own kind are unused.
  const bool is_other = has("switch.kind") && !is_in_file("switch.kind");
  std::vector<std::string> unused;
  for (const Key& key : config_keys()) {
    const ConfigNode* const node = find(key.path);
    if (node == nullptr || !lacks_parameter(&switches, key)) continue;
    // Accepts a value of 1: switches without the parameter have one of it.
    const bool is_one = key.default_value == "1";
    if (is_one && as_written(*node) == "1") continue;
    const std::string why = fmt::format("switches of the kind {} have no {}{}", switches.name(),
                                        key.parameter, is_one ? "; allowed: 1" : "");
    if (!is_other || !is_in_file(key.path)) {
      throw BadInput(
          fmt::format("{}: found '{}', but {}", label(key.path), shown(as_written(*node)), why));
    }
    unused.push_back(fmt::format("{} is not used: {}", key.path, why));
  }
  return unused;
}

bool ConfigReader::is_in_file(std::string_view path) const {
  const ConfigNode* const node = find(path);
  return node != nullptr && node->where.starts_with(file_ + ":");
}

std::vector<NamedValue> ConfigReader::names_under(std::string_view path, int low, int high) const {
  std::vector<NamedValue> values;
  if (!has(path)) return values;
  for (const auto& [name, node] : find(path)->entries)
    values.push_back({name, integer(fmt::format("{}.{}", path, name), low, high)});
  return values;
}

void ConfigReader::refuse_unused() const {
  const bool counts_npus = fabric().counts_npus();
  const auto check = [&](const auto& self, const ConfigNode& node,
                         const std::string& path) -> void {
    const Key* const key = find_key(path);
    if (node.kind != ConfigNode::Kind::kValue && (key == nullptr || key->holds != Holds::kWords)) {
      for (const auto& [name, child] : node.entries)
        self(self, child, fmt::format("{}.{}", path, name));
      return;
    }
    const bool is_everybodys = path == "fabric.type" || path == "fabric.packet" ||
                               (path == "fabric.link_latency" && !counts_npus);
    if (is_everybodys || asked_.contains(path)) return;
    throw BadInput(fmt::format(
        "{}: found {}; allowed: none here, since nothing in this fabric of type {} uses it",
        label(path), value_text(path), fabric().name()));
  };
  if (const ConfigNode* const node = find("fabric"); node != nullptr) check(check, *node, "fabric");
}

std::string ConfigReader::value_text(std::string_view path) const {
  return fmt::format("'{}'", shown(as_written(*find(path))));
}

const TopologyKind& ConfigReader::fabric() const {
  const std::vector<const TopologyKind*> kinds = topology_kinds();
  const TopologyKind& found =
      *kinds[static_cast<std::size_t>(choice("fabric.type", names_of(kinds), topology_aliases()))];
  for (const Key& key : config_keys()) {
    if (!has(key.path) || find_key(key.path, &found)->is_of(found)) continue;
    const std::string near = key_advice(key.path, &found);
    throw BadInput(
        fmt::format("{}: found in a {}; {}", label(key.path), found.name(),
                    near.starts_with("did")
                        ? near
                        : fmt::format("allowed: in a {}", join_words(names_of(key.kinds)))));
  }
  return found;
}

const ConfigNode* ConfigReader::find(std::string_view path) const { return find_node(root_, path); }

// True if the key is written or has a default.
bool ConfigReader::has_value(std::string_view path) const {
  return has(path) ||
         std::ranges::find(defaults_, schema_path(path), &ConfigEntry::key) != defaults_.end();
}

const ConfigNode& ConfigReader::value(std::string_view path) const {
  if (const ConfigNode* node = find(path)) return *node;
  const auto default_value = std::ranges::find(defaults_, schema_path(path), &ConfigEntry::key);
  if (default_value != defaults_.end()) return default_value->node;
  refuse_missing(path);
}

// Names all missing keys, the requested one first.
void ConfigReader::refuse_missing(std::string_view path) const {
  std::vector<std::string> keys = missing_keys();
  std::erase(keys, path);
  // Leaves out npu.count: the sides of the fabric determine it.
  if (path != "npu.count" || keys.empty()) keys.insert(keys.begin(), std::string(path));
  if (keys.size() == 1) {
    const std::string_view section = parent(keys.front());
    const ConfigNode* const inside = section.empty() ? nullptr : find(section);
    throw BadInput(fmt::format("{}: missing key '{}' ({})",
                               inside != nullptr ? inside->where : file_, keys.front(),
                               find_key(keys.front(), kind())->meaning));
  }
  // The other keys depend on it.
  if (kind() == nullptr && !has("fabric.type"))
    throw BadInput(fmt::format("{}: missing key 'fabric.type' ({}); fredsim new KIND prints a file",
                               file_, list_words(names_of(topology_kinds()))));
  std::string list;
  for (const std::string& key : keys)
    list += fmt::format("{}missing key '{}'", list.empty() ? "" : ", ", key);
  throw BadInput(fmt::format("{}: {}; allowed: all of them, as fredsim new {} prints", file_, list,
                             kind() != nullptr ? kind()->name() : std::string_view("KIND")));
}

std::vector<std::string> ConfigReader::missing_keys() const {
  const TopologyKind* const fabric_kind = kind();
  const bool counts_npus = fabric_kind != nullptr && fabric_kind->counts_npus();
  const auto stands_in = [&](const Key& list) {
    return std::ranges::any_of(config_keys(),
                               [&](const Key& key) { return key.instead == list.path; });
  };
  std::vector<std::string> keys;
  for (const Key& key : config_keys()) {
    const bool is_of = key.kinds.empty() || (fabric_kind != nullptr && key.is_of(*fabric_kind));
    const std::string_view section = parent(key.path);
    if (!is_of || key.holds == Holds::kKeys || !is_needed(key) || stands_in(key) ||
        (counts_npus && is_of_counted_npus(key.path)) || (section == "io" && !has("io")) ||
        (!key.instead.empty() && has(key.instead)))
      continue;
    const Key* const list = section.empty() ? nullptr : find_key(section, fabric_kind);
    if (list == nullptr || list->holds != Holds::kList) {
      if (!has_value(key.path)) keys.emplace_back(key.path);
      continue;
    }
    for (int n = 1; has(section) && n <= entries(section); ++n) {
      std::string path = fmt::format("{}.{}.{}", section, n, leaf(key.path));
      if (!has_value(path)) keys.push_back(std::move(path));
    }
  }
  if (fabric_kind == nullptr) return keys;
  const auto is_missing = [&](std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  if (std::ranges::any_of(fabric_kind->npu_factors(), is_missing)) std::erase(keys, "npu.count");
  return keys;
}

// Sets npu.count from the sides of the fabric. Readers of sides refuse non-numbers.
void ConfigReader::count_npus(const TopologyKind& fabric) {
  const std::span<const std::string_view> factors = fabric.npu_factors();
  if (factors.empty() || has("npu.count")) return;
  std::int64_t count = 1;
  for (const std::string_view factor : factors) {
    if (!has_value(factor)) return;
    const std::string& text = value(factor).text;
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    count = std::clamp<std::int64_t>(count * number, 1, std::numeric_limits<std::uint16_t>::max());
  }
  defaults_.emplace_back(ConfigEntry{"npu.count", {}}).node = {.kind = ConfigNode::Kind::kValue,
                                                               .where = file_,
                                                               .text = std::to_string(count),
                                                               .entries = {}};
}

std::string ConfigReader::label(std::string_view path) const {
  return fmt::format("{}: {}", value(path).where, path);
}

std::string ConfigReader::located(const std::string& message) const {
  const ConfigNode* node = find(std::string_view(message).substr(0, message.find(':')));
  return fmt::format("{}: {}", node != nullptr ? node->where : file_, message);
}

std::vector<int> ConfigReader::permutation(std::string_view path,
                                           std::span<const std::string_view> names) const {
  note(path, [&] { return join_words(names, "and") + ", each once"; });
  const std::vector<std::string> words = words_of(value(path));
  const std::string found =
      fmt::format("{}: found '{}'", label(path), shown(as_written(value(path))));
  const std::string allowed = fmt::format("allowed: {}, each once", join_words(names, "and"));
  std::vector<int> order;
  for (const std::string& word : words) {
    const auto name = std::find(names.begin(), names.end(), word);
    if (name == names.end()) {
      throw BadInput(fmt::format("{}, in it '{}'; {}", found, shown(word), allowed));
    }
    order.push_back(static_cast<int>(name - names.begin()));
    if (std::ranges::count(order, order.back()) > 1)
      throw BadInput(fmt::format("{}, in it '{}' twice; {}", found, word, allowed));
  }
  if (order.size() == names.size()) return order;
  throw BadInput(fmt::format("{}, {} of {}; {}", found, order.size(), names.size(), allowed));
}

}  // namespace fredsim
