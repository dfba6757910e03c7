#include "config/config_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/flit.h"
#include "base/suggest.h"
#include "base/units.h"
#include "topology/builders.h"

namespace fredsim {
namespace {

// In the order of FabricKind.
constexpr std::array<std::string_view, 3> kFabricNames = {"mesh2d", "torus2d", "fred_tree"};

enum class Scope : std::uint8_t { kAny, kMesh, kTree };  // kMesh: and tori

// kValue: a text; kList: of entries with keys; kWords: a list of texts; kNames: integers under names that the schema does
// not know
enum class Holds : std::uint8_t { kValue, kKeys, kList, kWords, kInteger, kBoolean, kNames };

bool is_value(Holds holds) {
  return holds != Holds::kKeys && holds != Holds::kList && holds != Holds::kNames;
}

// A key of an entry of a list stands without the entry's number: fabric.levels.uplinks.
struct Key {
  std::string_view path;
  std::string_view meaning;
  Scope scope = Scope::kAny;
  Holds holds = Holds::kValue;
  std::string_view fallback =
      {};  // default; empty: the key is needed, or stands for nothing when left out
  std::string_view parameter = {};  // of the switches' RTL; only kinds that have it have the key
};

constexpr std::array kKeys = {
    Key{"name", "name of the machine"},
    Key{"clock", "clock of the fabric, a frequency"},
    Key{"npu", "the NPUs", Scope::kAny, Holds::kKeys},
    Key{"npu.count", "number of NPUs", Scope::kAny, Holds::kInteger},
    Key{"npu.bandwidth", "network bandwidth of one NPU per direction"},
    Key{"npu.receive_buffer", "receive buffer per NIC port and virtual channel, a size",
        Scope::kAny, Holds::kValue, "48 KiB"},
    Key{"io", "the I/O controllers", Scope::kAny, Holds::kKeys},
    Key{"io.count", "number of I/O controllers", Scope::kAny, Holds::kInteger},
    Key{"io.bandwidth", "bandwidth of one I/O controller per direction"},
    Key{"fabric", "what joins them", Scope::kAny, Holds::kKeys},
    Key{"fabric.type", "mesh2d, torus2d or fred_tree"},
    Key{"fabric.link_latency", "latency of a wafer link, a time"},
    Key{"fabric.packet", "longest data packet, a size", Scope::kAny, Holds::kValue, "4 KiB"},
    Key{"fabric.width", "columns of the mesh or torus", Scope::kMesh, Holds::kInteger},
    Key{"fabric.height", "rows of the mesh or torus", Scope::kMesh, Holds::kInteger},
    Key{"fabric.link_bandwidth", "bandwidth of a mesh link per direction", Scope::kMesh},
    Key{"fabric.local_latency", "latency between an NPU and its router, a time", Scope::kMesh,
        Holds::kValue, "0 ns"},
    Key{"fabric.l1_switches", "number of L1 switches; or the list fabric.levels", Scope::kTree,
        Holds::kInteger},
    Key{"fabric.npus_per_l1", "NPUs on one L1 switch", Scope::kTree, Holds::kInteger},
    Key{"fabric.slices", "parallel chiplets that make up one L1 switch", Scope::kTree,
        Holds::kInteger},
    Key{"fabric.uplinks", "uplinks of one L1 chiplet", Scope::kTree, Holds::kInteger},
    Key{"fabric.l2_chiplets_per_slice", "L2 chiplets of one slice", Scope::kTree, Holds::kInteger},
    Key{"fabric.middle", "middle sub-networks m of Fred_m(P)", Scope::kTree, Holds::kInteger},
    Key{"fabric.uplink_bandwidth", "bandwidth of one L1 switch towards L2", Scope::kTree},
    Key{"fabric.levels", "the levels of a tree, a list, lowest first", Scope::kTree, Holds::kList},
    Key{"fabric.levels.below", "NPUs, or switches of the level below, under one switch",
        Scope::kTree, Holds::kInteger},
    Key{"fabric.levels.chiplets_per_slice", "chiplets of one slice of a switch", Scope::kTree,
        Holds::kInteger, "1"},
    Key{"fabric.levels.uplinks", "uplinks of one chiplet", Scope::kTree, Holds::kInteger},
    Key{"fabric.levels.uplink_bandwidth", "bandwidth of one switch towards the level above",
        Scope::kTree},
    Key{"fabric.in_switch", "true or false: collectives inside the switches", Scope::kTree,
        Holds::kBoolean},
    Key{"fabric.simulate_slices", "distinct or all", Scope::kTree, Holds::kValue, "distinct"},
    Key{"switch", "the switches", Scope::kAny, Holds::kKeys},
    Key{"switch.kind", "kind of the switches"},
    Key{"switch.input_buffer", "input buffer per port and data virtual channel, a size"},
    Key{"switch.control_buffer", "input buffer per port of the control channel, a size"},
    Key{"switch.output_buffer", "output staging per port and virtual channel, a size", Scope::kAny,
        Holds::kValue, "", "OUT_DEPTH"},
    Key{"switch.format", "fp16 or bf16", Scope::kAny, Holds::kValue, "fp16"},
    Key{"switch.yield",
        "cycles of silence after which a phase gives way to one of no higher priority", Scope::kAny,
        Holds::kInteger, "4", "YIELD"},
    Key{"switch.quantum", "busy cycles after which a phase gives way to one of equal priority",
        Scope::kAny, Holds::kInteger, "64", "QUANTUM"},
    Key{"switch.vc_order", "the virtual channels by priority, highest first", Scope::kAny,
        Holds::kWords, "control, mp, pp, dp", "VC_ORDER"},
    Key{"switch.params", "parameters of the switches' RTL that have no key, by name", Scope::kAny,
        Holds::kNames},
    Key{"switch.rtl_top", "top module of your own switch RTL"},
};
// What stands under a name of switch.params.
constexpr Key kNamedParameter{"", "value of a parameter, an integer", Scope::kAny, Holds::kInteger};

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::vector<std::string> words_of(const ConfigNode& list) {
  std::vector<std::string> words;
  for (const ConfigEntry& entry : list.entries) words.push_back(entry.node.text);
  return words;
}

// "a, b, c": a list of its words.
ConfigNode list_of(std::string_view text, const std::string& where) {
  ConfigNode list{.kind = ConfigNode::Kind::kList, .where = where, .text = {}, .entries = {}};
  constexpr std::string_view kComma = ", ";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kComma), text.size());
    ConfigEntry& word = list.entries.emplace_back();
    word.key = std::to_string(list.entries.size());
    word.node = {.kind = ConfigNode::Kind::kValue,
                 .where = where,
                 .text = std::string(text.substr(0, end)),
                 .entries = {}};
    text.remove_prefix(std::min(end + kComma.size(), text.size()));
  }
  return list;
}

// A value as it was written.
std::string written(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::kList ? fmt::format("[{}]", fmt::join(words_of(node), ", "))
                                              : node.text;
}

// Whose keys a fabric of this kind does not have.
Scope other_scope(FabricKind kind) {
  return kind == FabricKind::kFredTree ? Scope::kMesh : Scope::kTree;
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

std::optional<FabricKind> kind_of(const ConfigNode& root) {
  const ConfigNode* type = find_node(root, "fabric.type");
  const auto* const name =
      std::find(kFabricNames.begin(), kFabricNames.end(), type != nullptr ? type->text : "");
  if (name == kFabricNames.end()) return std::nullopt;
  return static_cast<FabricKind>(name - kFabricNames.begin());
}

// "fabric.levels.2.uplinks" -> "fabric.levels.uplinks": without the number of a list's entry.
std::string schema_path(std::string_view path) {
  for (const Key& key : kKeys) {
    if (key.holds != Holds::kList || !path.starts_with(fmt::format("{}.", key.path))) continue;
    const std::string_view rest = path.substr(key.path.size() + 1);
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) return std::string(key.path);
    if (digits > 0 && rest[digits] == '.')
      return fmt::format("{}{}", key.path, rest.substr(digits));
  }
  return std::string(path);
}

const Key* find_key(std::string_view path) {
  const std::string wanted = schema_path(path);
  const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                [&](const Key& candidate) { return candidate.path == wanted; });
  if (key != kKeys.end()) return &*key;
  const std::size_t dot = std::min(wanted.rfind('.'), wanted.size());
  const bool is_named = std::ranges::any_of(kKeys, [&](const Key& candidate) {
    return candidate.holds == Holds::kNames && candidate.path == wanted.substr(0, dot);
  });
  return is_named && is_name(wanted.substr(std::min(dot + 1, wanted.size()))) ? &kNamedParameter
                                                                              : nullptr;
}

// The kind of the switches of a machine such as this one; null where its name is wrong.
const SwitchKind* switch_kind_in(const ConfigNode& root, FabricKind fabric) {
  const ConfigNode* name = find_node(root, "switch.kind");
  return find_switch_kind(name != nullptr ? std::string_view(name->text)
                                          : default_switch_kind(fabric));
}

bool lacks_parameter(const SwitchKind* kind, const Key& key) {
  return kind != nullptr && !key.parameter.empty() && kind->index(key.parameter) < 0;
}

std::string_view parent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// Names of the keys of a section, without those of another fabric type than
// `kind` where it is given.
std::vector<std::string_view> keys_inside(std::string_view section,
                                          std::optional<FabricKind> kind = std::nullopt) {
  const std::string wanted = schema_path(section);
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) {
    const bool other = kind && key.scope == other_scope(*kind);
    if (parent(key.path) == wanted && !other) names.push_back(leaf(key.path));
  }
  return names;
}

// The same leaf elsewhere ("width" -> "fabric.width"), else the nearest sibling.
std::string suggestion(std::string_view path) {
  for (const Key& key : kKeys) {
    if (leaf(key.path) == leaf(path)) return fmt::format("; did you mean '{}'?", key.path);
  }
  return did_you_mean(leaf(path), keys_inside(parent(path)));
}

// What stands at `path` is what the schema wants there. `fabric`: its type, where it is known.
void check_kind(const ConfigNode& node, const std::string& path, Holds wanted,
                std::optional<FabricKind> fabric) {
  using Kind = ConfigNode::Kind;
  const Kind fitting = wanted == Holds::kKeys || wanted == Holds::kNames   ? Kind::kMap
                       : wanted == Holds::kList || wanted == Holds::kWords ? Kind::kList
                                                                           : Kind::kValue;
  if (node.kind == fitting) {
    if (wanted != Holds::kWords) return;
    for (const ConfigEntry& entry : node.entries)
      check_kind(entry.node, path, Holds::kValue, fabric);
    return;
  }
  const std::string found = node.kind == Kind::kMap ? "keys"
                            : node.kind == Kind::kList
                                ? "a list"
                                : fmt::format("the value '{}'", shown(node.text));
  const std::string allowed =
      wanted == Holds::kKeys
          ? fmt::format("keys are wanted: {}", join_words(keys_inside(path, fabric), "and"))
      : wanted == Holds::kNames
          ? fmt::format("names with values are wanted, NAME: 3 ({})", find_key(path)->meaning)
      : wanted == Holds::kWords
          ? fmt::format("a list is wanted: [{}] ({})", find_key(path)->fallback,
                        find_key(path)->meaning)
          : fmt::format("a {} is wanted ({})", wanted == Holds::kList ? "list" : "single value",
                        find_key(path)->meaning);
  throw BadInput(fmt::format("{}: {}: found {}; {}", node.where, path, found, allowed));
}

}  // namespace

bool has_key(const ConfigNode& root, std::string_view path) {
  const Key* key = find_key(path);
  if (key == nullptr) return false;
  const std::optional<FabricKind> kind = kind_of(root);
  if (!kind) return true;  // the type is wrong, which is to be said first
  if (key->scope == other_scope(*kind)) return false;
  if (lacks_parameter(switch_kind_in(root, *kind), *key)) return false;
  if (path.starts_with("io."))
    return find_node(root, "io") != nullptr;  // a section that may be left out
  constexpr std::string_view kLevels = "fabric.levels";
  const ConfigNode* const levels = find_node(root, kLevels);
  if (std::ranges::find(kTwoLevelKeys, path) != kTwoLevelKeys.end()) return levels == nullptr;
  if (!path.starts_with(kLevels)) return true;
  if (levels == nullptr || path == kLevels) return levels != nullptr;
  const std::string_view entry = path.substr(kLevels.size() + 1);
  return levels->find(entry.substr(0, entry.find('.'))) != nullptr;
}

ConfigReader::ConfigReader(ConfigNode root, std::string file)
    : root_(std::move(root)), file_(std::move(file)) {
  check_keys(root_, "");
  for (const Key& key : kKeys) {
    if (key.fallback.empty()) continue;
    ConfigNode& node = defaults_.emplace_back(ConfigEntry{std::string(key.path), {}}).node;
    const std::string text(key.fallback);
    node = key.holds == Holds::kWords
               ? list_of(text, file_)
               : ConfigNode{
                     .kind = ConfigNode::Kind::kValue, .where = file_, .text = text, .entries = {}};
  }
}

std::vector<MachineKey> ConfigReader::resolved() const {
  std::vector<MachineKey> keys;
  const FabricKind fabric_kind = fabric();
  const Scope other = other_scope(fabric_kind);
  const SwitchKind* const switches = switch_kind_in(root_, fabric_kind);
  const auto add = [&](const Key& key, std::string path) {
    if (path == "switch.kind" && !has(path)) {
      keys.push_back({std::move(path), std::string(default_switch_kind(fabric_kind))});
      return;
    }
    if (key.scope == other || lacks_parameter(switches, key) || !is_value(key.holds) ||
        (key.fallback.empty() && !has(path))) {
      return;
    }
    const std::string& text = value(path).text;
    if (key.holds == Holds::kWords) {
      keys.push_back({path, words_of(value(path))});
    } else if (key.holds == Holds::kBoolean) {
      keys.push_back({std::move(path), text == "true"});
    } else if (key.holds == Holds::kInteger) {
      keys.push_back({std::move(path), std::int64_t{std::stoi(text)}});
    } else {
      keys.push_back({std::move(path), text});
    }
  };
  for (const Key& key : kKeys) {
    const std::string_view section = parent(key.path);
    const Key* list = section.empty() ? nullptr : find_key(section);
    if (list == nullptr || list->holds != Holds::kList) add(key, std::string(key.path));
    if (key.holds == Holds::kNames && has(key.path)) {
      for (const auto& [name, node] : find(key.path)->entries)
        add(kNamedParameter, fmt::format("{}.{}", key.path, name));
    }
    for (int n = 1; key.holds == Holds::kList && has(key.path) && n <= entries(key.path); ++n) {
      for (const Key& inner : kKeys) {
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
          fmt::format("{}: unknown key '{}'; in a file a section's keys stand below it, "
                      "dots are for --set",
                      child.where, shown(path)));
    }
    const Key* key = find_key(path);
    if (key == nullptr) {
      throw BadInput(fmt::format("{}: unknown key '{}'{} (allowed: {})", child.where, shown(path),
                                 suggestion(path),
                                 join_words(keys_inside(parent(path), kind()), "and")));
    }
    if (child.kind == ConfigNode::Kind::kEmpty) {
      throw BadInput(fmt::format("{}: {}: found nothing ({})", child.where, path, key->meaning));
    }
    check_kind(child, path, node.kind == ConfigNode::Kind::kList ? Holds::kKeys : key->holds,
               kind());
    if (key->holds != Holds::kWords) check_keys(child, path + ".");
  }
}

std::optional<FabricKind> ConfigReader::kind() const { return kind_of(root_); }

const SwitchKind& ConfigReader::switch_kind() const {
  const FabricKind fabric_kind = fabric();
  // Unicasts go by coordinates in a grid, by tables in a tree.
  const auto fits = [&](const SwitchKind& one) {
    return (one.unicast_routes() == UnicastRoutes::kByTable) ==
           (fabric_kind == FabricKind::kFredTree);
  };
  const SwitchKind* const found = switch_kind_in(root_, fabric_kind);
  if (found != nullptr && fits(*found)) return *found;
  std::vector<std::string_view> names;
  for (const SwitchKind* one : switch_kinds()) {
    if (fits(*one)) names.push_back(one->name());
  }
  const std::string text = this->text("switch.kind");
  throw BadInput(fmt::format("{}: found '{}'; allowed for a {}: {}{}", label("switch.kind"),
                             shown(text), kFabricNames[static_cast<std::size_t>(fabric_kind)],
                             join_words(names), did_you_mean(text, names)));
}

std::vector<std::string> ConfigReader::keys_not_of(const SwitchKind& switches) const {
  // A machine file is right in itself; with another kind set over it, what it says of its own stays unused.
  const ConfigNode* const chosen = find("switch.kind");
  const auto is_in_file = [&](const ConfigNode& node) {
    return node.where.starts_with(file_ + ":");
  };
  const bool is_other = chosen != nullptr && !is_in_file(*chosen);
  std::vector<std::string> unused;
  for (const Key& key : kKeys) {
    const ConfigNode* const node = find(key.path);
    if (node == nullptr || !lacks_parameter(&switches, key)) continue;
    const std::string why =
        fmt::format("switches of the kind {} have no {}", switches.name(), key.parameter);
    if (!is_other || !is_in_file(*node)) {
      throw BadInput(
          fmt::format("{}: found '{}', but {}", label(key.path), shown(written(*node)), why));
    }
    unused.push_back(fmt::format("{} is not used: {}", key.path, why));
  }
  return unused;
}

std::vector<NamedValue> ConfigReader::names_under(std::string_view path, int low, int high) const {
  std::vector<NamedValue> values;
  if (!has(path)) return values;
  for (const auto& [name, node] : find(path)->entries)
    values.push_back({name, integer(fmt::format("{}.{}", path, name), low, high)});
  return values;
}

FabricKind ConfigReader::fabric() const {
  const auto found = static_cast<FabricKind>(choice("fabric.type", kFabricNames));
  for (const Key& key : kKeys) {
    if (key.scope != other_scope(found) || !has(key.path)) continue;
    throw BadInput(fmt::format("{}: a key of fabric type {}, but fabric.type is {}",
                               label(key.path),
                               key.scope == Scope::kTree ? "fred_tree" : "mesh2d or torus2d",
                               kFabricNames[static_cast<std::size_t>(found)]));
  }
  return found;
}

const ConfigNode* ConfigReader::find(std::string_view path) const { return find_node(root_, path); }

const ConfigNode& ConfigReader::value(std::string_view path) const {
  if (const ConfigNode* node = find(path)) return *node;
  const auto fallback = std::ranges::find(defaults_, schema_path(path), &ConfigEntry::key);
  if (fallback != defaults_.end()) return fallback->node;
  const std::string_view section = parent(path);
  const ConfigNode* inside = section.empty() ? nullptr : find(section);
  throw BadInput(fmt::format("{}: missing key '{}' ({})", inside != nullptr ? inside->where : file_,
                             path, find_key(path)->meaning));
}

std::string ConfigReader::label(std::string_view path) const {
  return fmt::format("{}: {}", value(path).where, path);
}

std::string ConfigReader::located(const std::string& message) const {
  const ConfigNode* node = find(std::string_view(message).substr(0, message.find(':')));
  return fmt::format("{}: {}", node != nullptr ? node->where : file_, message);
}

int ConfigReader::entries(std::string_view path) const {
  return static_cast<int>(value(path).entries.size());
}

std::string ConfigReader::text(std::string_view path) const {
  const ConfigNode& node = value(path);
  if (node.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw BadInput(fmt::format("{}: found '' ({})", label(path), find_key(path)->meaning));
  }
  return node.text;
}

int ConfigReader::integer(std::string_view path, int low, int high) const {
  const std::string& found = value(path).text;
  const char* const end = found.data() + found.size();
  int result = 0;
  const auto [stop, error] = std::from_chars(found.data(), end, result);
  const bool integral = stop == end && error != std::errc::invalid_argument;
  if (!integral || error == std::errc::result_out_of_range || result < low || result > high) {
    throw BadInput(fmt::format("{}: found '{}'{}; allowed is an integer from {} to {}", label(path),
                               shown(found), integral ? "" : ", which is no integer", low, high));
  }
  return result;
}

bool ConfigReader::boolean(std::string_view path) const {
  static constexpr std::array<std::string_view, 2> kNames = {"false", "true"};
  return choice(path, kNames) == 1;
}

int ConfigReader::choice(std::string_view path, std::span<const std::string_view> names) const {
  const std::string& found = value(path).text;
  const auto name = std::find(names.begin(), names.end(), found);
  if (name == names.end()) {
    throw BadInput(fmt::format("{}: found '{}'{} (allowed: {})", label(path), shown(found),
                               did_you_mean(found, names), join_words(names)));
  }
  return static_cast<int>(name - names.begin());
}

std::vector<int> ConfigReader::permutation(std::string_view path,
                                           std::span<const std::string_view> names) const {
  const std::vector<std::string> words = words_of(value(path));
  const std::string found = fmt::format("{}: found '{}'", label(path), shown(written(value(path))));
  const std::string allowed = fmt::format("allowed: {}, each once", join_words(names, "and"));
  std::vector<int> order;
  for (const std::string& word : words) {
    const auto name = std::find(names.begin(), names.end(), word);
    if (name == names.end()) {
      throw BadInput(fmt::format("{}, in it '{}'{}; {}", found, shown(word),
                                 did_you_mean(word, names), allowed));
    }
    order.push_back(static_cast<int>(name - names.begin()));
    if (std::ranges::count(order, order.back()) > 1)
      throw BadInput(fmt::format("{}, in it '{}' twice; {}", found, word, allowed));
  }
  if (order.size() == names.size()) return order;
  throw BadInput(fmt::format("{}, {} of {}; {}", found, order.size(), names.size(), allowed));
}

std::uint64_t ConfigReader::bandwidth(std::string_view path) const {
  return parse_bandwidth(value(path).text, label(path));
}

std::uint64_t ConfigReader::time_ps(std::string_view path) const {
  return parse_time_ps(value(path).text, label(path));
}

std::uint64_t ConfigReader::frequency(std::string_view path) const {
  return parse_frequency(value(path).text, label(path));
}

int ConfigReader::flits(std::string_view path, int least, int most) const {
  const auto most_flits = static_cast<std::uint64_t>(most);
  const std::uint64_t bytes = parse_size(value(path).text, label(path));
  if (bytes % kFlitBytes != 0) {
    throw BadInput(fmt::format("{}: found {}, which is not a whole number of flits of {} B",
                               label(path), format_size(bytes), kFlitBytes));
  }
  const std::uint64_t count = bytes / kFlitBytes;
  if (count < static_cast<std::uint64_t>(least) || count > most_flits) {
    throw BadInput(fmt::format("{}: found {} = {} flits; allowed is {} ({} flit{}) to {} flits",
                               label(path), format_size(bytes), count,
                               format_size(static_cast<std::uint64_t>(least) * kFlitBytes), least,
                               least == 1 ? "" : "s: one packet", most_flits));
  }
  return static_cast<int>(count);
}

}  // namespace fredsim
