// SPDX-License-Identifier: Apache-2.0
#include "config/config_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <tuple>

#include "base/suggest.h"
#include "fabric/links/link_scheme.h"

namespace fredsim {
namespace {

constexpr std::string_view kAuto = "auto";

// Keys of every machine, before and behind those of its kind of topology.
std::vector<Key> first_keys() {
  static const std::vector<std::string_view> kNames = names_of(topology_kinds());
  static const std::string kTypes = join_words(kNames);
  static const std::string kWords = fmt::format("{}", fmt::join(kNames, " "));
  return {
      Key{"name", "name of the machine", Holds::kText},
      Key{.path = "clock",
          .meaning = "clock of the fabric, a frequency; auto: 1 GHz, or more where a link carries "
                     "more than a flit per cycle at that",
          .words = "auto"},
      Key{"npu", "the NPUs", Holds::kKeys},
      Key{"npu.count", "number of NPUs", Holds::kInteger},
      Key{"npu.bandwidth", "network bandwidth of one NPU per direction"},
      Key{.path = "npu.receive_buffer",
          .meaning = "receive buffer per NIC port and virtual channel, a size, or auto: what the "
                     "links' round trips need",
          .default_value = "48 KiB",
          .counted_default = kAuto},
      Key{"npu.peak", "dense FP16 FLOP/s of one NPU, for training runs", Holds::kValue,
          "990 TFLOP/s"},
      Key{"npu.memory_bandwidth", "bandwidth of one NPU's HBM, for training runs", Holds::kValue,
          "3 TB/s"},
      Key{"npu.memory", "size of one NPU's HBM, for inference and `--memory limited`",
          Holds::kValue, "80 GB"},
      Key{"npu.expanded_memory",
          "size of the slower memory behind the HBM of one NPU, for `--memory limited`",
          Holds::kValue, "0 GB"},
      Key{"npu.expanded_memory_bandwidth", "its bandwidth", Holds::kValue, "250 GB/s"},
      Key{"npu.efficiency", "share of the peak that is reached, for training runs", Holds::kText,
          "1"},
      Key{"npu.value_bytes", "bytes per value of models, 0.5 for INT4", Holds::kKeys},
      Key{"npu.value_bytes.weights", "of a weight", Holds::kText, "2"},
      Key{"npu.value_bytes.activations", "of an activation, and of its gradient", Holds::kText,
          "2"},
      Key{"npu.value_bytes.kv", "of a key or value in the KV cache", Holds::kText, "2"},
      Key{"npu.collective_overhead",
          "time that an NPU spends on each collective before it begins: launch, synchronisation",
          Holds::kValue, "0 ns"},
      Key{"io", "the I/O controllers", Holds::kKeys},
      Key{.path = "io.count",
          .meaning = "number of I/O controllers",
          .holds = Holds::kInteger,
          .from_zero = true},
      Key{"io.bandwidth", "bandwidth of one I/O controller per direction"},
      Key{"fabric", "what joins them", Holds::kKeys},
      Key{.path = "fabric.type", .meaning = kTypes, .holds = Holds::kWord, .words = kWords},
      Key{"fabric.link_latency", "latency of a wafer link, a time"},
      Key{"fabric.packet", "longest data packet, a size", Holds::kValue, "4 KiB"},
  };
}

std::vector<Key> last_keys() {
  return {
      Key{"link", "errors on wafer links, and what is done about them", Holds::kKeys},
      Key{"faults", "failed components: link:NAME, link:NAME*RATE, switch:NAME, npu:3, io:3",
          Holds::kWords},
      Key{"switch", "the switches", Holds::kKeys},
      Key{"switch.kind", "kind of the switches", Holds::kText},
      Key{.path = "switch.input_buffer",
          .meaning = "input buffer per port and data virtual channel, a size, or auto: what the "
                     "round trips of links into the switch need",
          .counted_default = kAuto},
      Key{.path = "switch.control_buffer",
          .meaning = "input buffer per port of the control channel, a size, or auto",
          .counted_default = kAuto},
      Key{"switch.output_buffer", "output staging per port and virtual channel, a size",
          Holds::kValue, "12 KiB", "OUT_DEPTH"},
      Key{.path = "switch.format",
          .meaning = "fp16 or bf16",
          .holds = Holds::kWord,
          .default_value = "fp16",
          .words = "fp16 bf16"},
      Key{"switch.yield",
          "cycles of silence after which a phase gives way to one of no higher priority",
          Holds::kInteger, "4", "YIELD"},
      Key{"switch.quantum", "busy cycles after which a phase gives way to one of equal priority",
          Holds::kInteger, "64", "QUANTUM"},
      Key{"switch.phases_in_use",
          "phases that a switch can have in use at a time, where they share no port",
          Holds::kInteger, "1", "PHASES_IN_USE"},
      Key{"switch.vc_order", "the virtual channels by priority, highest first", Holds::kWords,
          "control, mp, pp, dp", "VC_ORDER"},
      Key{"switch.params", "parameters of the switches' RTL that have no key, by name",
          Holds::kNames},
      Key{"switch.rtl_top", "top module of your own switch RTL", Holds::kText},
  };
}

Key as_key(const FabricKey& key) {
  return {.path = key.path,
          .meaning = key.meaning,
          .holds = key.holds,
          .default_value = key.default_value,
          .instead = key.instead,
          .words = key.words,
          .from_zero = key.from_zero,
          .is_optional = key.is_optional};
}

bool is_same(const Key& a, const Key& b) {
  const auto facts = [](const Key& key) {
    return std::tuple(key.path, key.meaning, key.holds, key.default_value, key.instead, key.words,
                      key.from_zero, key.is_optional);
  };
  return facts(a) == facts(b);
}

// Alike in form: all kinds that have such a key share it.
bool is_alike(const Key& a, const FabricKey& b) {
  return a.path == b.path && a.holds == b.holds && a.is_optional == b.is_optional;
}

void add_fabric_key(std::vector<Key>& keys, const FabricKey& key, const TopologyKind& kind) {
  const auto same = std::ranges::find_if(keys, [&](const Key& one) {
    return one.path == key.path && (one.kinds.empty() || is_alike(one, key));
  });
  if (same == keys.end()) {
    keys.push_back(as_key(key));
    keys.back().kinds = {&kind};
    return;
  }
  if (same->kinds.empty() || !is_same(*same, as_key(key))) {
    throw std::logic_error(fmt::format(
        "{}: topologies of the kind {} have another key of this name", key.path, kind.name()));
  }
  same->kinds.push_back(&kind);
}

// Behind its section and the keys that this has.
void add_link_key(std::vector<Key>& keys, const FabricKey& key, const LinkScheme& scheme) {
  if (std::ranges::find(keys, key.path, &Key::path) != keys.end()) {
    throw std::logic_error(fmt::format("{}: the scheme of links {} has another key of this name",
                                       key.path, scheme.name()));
  }
  const auto last = std::find_if(keys.rbegin(), keys.rend(), [&](const Key& other) {
    return other.path == parent(key.path) || parent(other.path) == parent(key.path);
  });
  if (last == keys.rend() || key.default_value.empty()) {
    throw std::logic_error(
        fmt::format("{}: a key of the scheme of links {} has no section or no default", key.path,
                    scheme.name()));
  }
  keys.insert(last.base(), as_key(key));
}

std::vector<Key> all_keys() {
  std::vector<Key> keys = first_keys();
  for (const TopologyKind* kind : topology_kinds())
    for (const FabricKey& key : kind->keys()) add_fabric_key(keys, key, *kind);
  std::ranges::move(last_keys(), std::back_inserter(keys));
  for (const LinkScheme* scheme : link_schemes())
    for (const FabricKey& key : scheme->keys()) add_link_key(keys, key, *scheme);
  return keys;
}

// Value under a name of switch.params.
const Key kNamedParameter{"", "value of a parameter, an integer", Holds::kInteger};
// Value under a name of a kValues.
const Key kNamedValue{"", "a number and its unit"};

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// Null where `name` may not stand under `section`.
const Key* named_key(const Key& section, std::string_view name) {
  if (section.holds == Holds::kValues && !name.empty()) return &kNamedValue;
  return section.holds == Holds::kNames && is_name(name) ? &kNamedParameter : nullptr;
}

}  // namespace

bool Key::is_of(const TopologyKind& kind) const {
  return kinds.empty() || std::ranges::find(kinds, &kind) != kinds.end();
}

std::span<const Key> config_keys() {
  static const std::vector<Key> kKeys = all_keys();
  return kKeys;
}

std::vector<std::string_view> names_of(std::span<const TopologyKind* const> kinds) {
  std::vector<std::string_view> names;
  for (const TopologyKind* kind : kinds) names.push_back(kind->name());
  return names;
}

std::string schema_path(std::string_view path) {
  for (const Key& key : config_keys()) {
    if (key.holds != Holds::kList || !path.starts_with(fmt::format("{}.", key.path))) continue;
    const std::string_view rest = path.substr(key.path.size() + 1);
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) return std::string(key.path);
    if (digits > 0 && rest[digits] == '.')
      return fmt::format("{}{}", key.path, rest.substr(digits));
  }
  return std::string(path);
}

std::string_view parent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

const Key* find_key(std::string_view path, const TopologyKind* kind) {
  const std::string wanted = schema_path(path);
  const auto is_of = [&](const Key& key) { return kind == nullptr || key.is_of(*kind); };
  const Key* other = nullptr;
  for (const Key& key : config_keys()) {
    if (key.path != wanted) continue;
    if (is_of(key)) return &key;
    if (other == nullptr) other = &key;
  }
  for (const Key& section : config_keys()) {
    if (section.path != parent(path) || !is_of(section)) continue;
    if (const Key* const named = named_key(section, leaf(path)); named != nullptr) return named;
  }
  return other;
}

bool is_value(Holds holds) {
  return holds != Holds::kKeys && holds != Holds::kList && holds != Holds::kNames &&
         holds != Holds::kValues;
}

std::vector<std::string_view> keys_inside(std::string_view section, const TopologyKind* kind) {
  const std::string wanted = schema_path(section);
  std::vector<std::string_view> names;
  for (const Key& key : config_keys()) {
    const bool other = kind != nullptr && !key.is_of(*kind);
    if (parent(key.path) == wanted && !other) names.push_back(leaf(key.path));
  }
  return names;
}

std::string suggestion(std::string_view path) {
  for (const Key& key : config_keys()) {
    if (leaf(key.path) == leaf(path)) return fmt::format("; did you mean '{}'?", key.path);
  }
  return did_you_mean(leaf(path), keys_inside(parent(path)));
}

}  // namespace fredsim
