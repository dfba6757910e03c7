// SPDX-License-Identifier: Apache-2.0
#include "config/config_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <tuple>

#include "base/suggest.h"
#include "links/link_scheme.h"

namespace fredsim {
namespace {

constexpr std::string_view kAuto = "auto";

// Optional keys without a default.
constexpr auto kOptional = std::to_array<std::string_view>({"io",
                                                            "link",
                                                            "energy",
                                                            "faults",
                                                            "switch.kind",
                                                            "switch.params",
                                                            "switch.rtl_top",
                                                            "fabric.levels.kind",
                                                            "fabric.levels.uplinks",
                                                            "fabric.levels.uplink_bandwidth",
                                                            "fabric.dimensions.block",
                                                            "fabric.dimensions.size",
                                                            "fabric.dimensions.bandwidth",
                                                            "fabric.dimensions.links",
                                                            "fabric.dimensions.latency",
                                                            "fabric.dimensions.machine",
                                                            "fabric.dimensions.name",
                                                            "fabric.graph",
                                                            "fabric.nodes",
                                                            "fabric.links",
                                                            "fabric.links.latency"});
constexpr auto kOfCountedNpus =
    std::to_array<std::string_view>({"npu", "npu.count", "npu.bandwidth", "fabric.link_latency",
                                     "switch", "switch.input_buffer", "switch.control_buffer"});

// Keys of every machine, listed before and after the keys of its kind of topology.
std::vector<Key> first_keys() {
  static const std::vector<std::string_view> kNames = names_of(topology_kinds());
  static const std::string kTypes = fmt::format("kind of topology: {}", join_words(kNames));
  static const std::string kWords = fmt::format("{}", fmt::join(kNames, " "));
  return {
      Key{"name", "name of the machine", Holds::kText},
      Key{.path = "clock",
          .meaning = "clock of the fabric, a frequency; auto: 1 GHz, or more if a link carries "
                     "more than one flit per cycle at 1 GHz",
          .words = "auto",
          .aliases = "frequency freq clock_frequency clk clock_rate"},
      Key{.path = "npu",
          .meaning = "NPUs: number, network bandwidth, memory and compute rate",
          .holds = Holds::kKeys,
          .aliases = "gpu gpus npus nodes node xpu accelerator pe endpoint"},
      Key{.path = "npu.count",
          .meaning = "number of NPUs; without the key, the product of the sides of a mesh or torus",
          .holds = Holds::kInteger,
          .aliases = "npus npus_count num_npus num_gpus number nodes ranks"},
      Key{.path = "npu.bandwidth",
          .meaning = "network bandwidth of one NPU, per direction",
          .aliases = "bw injection_bandwidth nic_bandwidth"},
      Key{.path = "npu.receive_buffer",
          .meaning = "receive buffer per NIC port and virtual channel, a size; auto: covers the "
                     "round trip of the links",
          .default_value = "48 KiB",
          .counted_default = kAuto,
          .aliases = "eject_buffer ejection_buffer nic_buffer"},
      Key{"npu.peak", "peak dense FP16 rate of one NPU, for training runs", Holds::kValue,
          "990 TFLOP/s"},
      Key{"npu.memory_bandwidth", "bandwidth of the memory (HBM) of one NPU, for training runs",
          Holds::kValue, "3 TB/s"},
      Key{"npu.memory", "size of the memory (HBM) of one NPU, for inference and `--memory limited`",
          Holds::kValue, "80 GB"},
      Key{"npu.expanded_memory",
          "size of the expanded memory of one NPU, slower memory behind the HBM, for `--memory "
          "limited`",
          Holds::kValue, "0 GB"},
      Key{"npu.expanded_memory_bandwidth", "bandwidth of the expanded memory of one NPU",
          Holds::kValue, "250 GB/s"},
      Key{"npu.efficiency", "share of the peak that computations reach, for training runs",
          Holds::kText, "1"},
      Key{"npu.value_bytes", "bytes per value of a model; 0.5 for INT4", Holds::kKeys},
      Key{"npu.value_bytes.weights", "bytes per weight", Holds::kText, "2"},
      Key{"npu.value_bytes.activations", "bytes per activation, and per gradient of an activation",
          Holds::kText, "2"},
      Key{"npu.value_bytes.kv", "bytes per key or value in the KV cache", Holds::kText, "2"},
      Key{"npu.collective_overhead",
          "software overhead per collective, before an NPU sends: launch and synchronisation",
          Holds::kValue, "0 ns"},
      Key{"io", "I/O controllers", Holds::kKeys},
      Key{.path = "io.count",
          .meaning = "number of I/O controllers",
          .holds = Holds::kInteger,
          .from_zero = true},
      Key{"io.bandwidth", "bandwidth of one I/O controller, per direction"},
      Key{.path = "fabric",
          .meaning = "network that connects NPUs and I/O controllers",
          .holds = Holds::kKeys,
          .aliases = "network topology noc interconnect"},
      Key{.path = "fabric.type",
          .meaning = kTypes,
          .holds = Holds::kWord,
          .words = kWords,
          .aliases = "topology kind"},
      Key{.path = "fabric.link_latency",
          .meaning = "latency of a link, a time",
          .aliases = "latency delay link_delay hop_latency wire_delay"},
      Key{.path = "fabric.packet",
          .meaning = "maximum data packet, a size",
          .default_value = "4 KiB",
          .aliases = "packet_size max_packet mtu"},
  };
}

std::vector<Key> last_keys() {
  return {
      Key{"link", "error model of wafer links, and retransmission", Holds::kKeys},
      Key{"energy",
          "energies of links, memories and NPUs, for `energy` in results; none excludes an entry",
          Holds::kKeys},
      Key{"energy.link_pj_per_bit", "energy of a link on the wafer, pJ per bit", Holds::kText,
          "0.063"},
      Key{"energy.io_link_pj_per_bit", "energy of a link of an I/O controller, pJ per bit",
          Holds::kText, "0.063"},
      Key{"energy.memory_read_pj_per_bit",
          "energy of reading a buffer or table of a switch, pJ per bit", Holds::kText, "0.018"},
      Key{"energy.memory_write_pj_per_bit",
          "energy of writing a buffer or table of a switch, pJ per bit", Holds::kText, "0.026"},
      Key{"energy.npu_memory_pj_per_bit",
          "energy of memory accesses of an NPU to send, receive and add, pJ per bit, such as 3.9 "
          "for HBM2",
          Holds::kText, "none"},
      Key{"energy.npu_compute_pj_per_flop",
          "energy of computations of `fredsim train`, pJ per FLOP, such as 0.71", Holds::kText,
          "none"},
      Key{"faults", "failed components: link:NAME, link:NAME*RATE, switch:NAME, npu:3, io:3",
          Holds::kWords},
      Key{.path = "switch",
          .meaning = "switches: kind, buffers, arbitration and wires",
          .holds = Holds::kKeys,
          .aliases = "router routers switches"},
      Key{"switch.kind", "kind of the switches", Holds::kText},
      Key{.path = "switch.input_buffer",
          .meaning = "input buffer per port and data virtual channel, a size; auto: covers the "
                     "round trip of the links into the switch",
          .counted_default = kAuto,
          .aliases = "buffer buffers buffer_size vc_buf_size buffer_depth buffers_per_data_vc "
                     "vc_depth"},
      Key{.path = "switch.control_buffer",
          .meaning = "input buffer per port of the control virtual channel, a size, or auto",
          .counted_default = kAuto,
          .aliases = "buffers_per_ctrl_vc"},
      Key{"switch.output_buffer", "staging buffer per output port and virtual channel, a size",
          Holds::kValue, "12 KiB", "OUT_DEPTH"},
      Key{.path = "switch.format",
          .meaning = "number format of additions: fp16 or bf16",
          .holds = Holds::kWord,
          .default_value = "fp16",
          .words = "fp16 bf16"},
      Key{"switch.yield",
          "idle cycles after which a phase yields to a phase of equal or lower priority",
          Holds::kInteger, "4", "YIELD"},
      Key{"switch.quantum", "busy cycles after which a phase yields to a phase of equal priority",
          Holds::kInteger, "64", "QUANTUM"},
      Key{"switch.phases_in_use",
          "phases that a switch may use at the same time, if they share no port", Holds::kInteger,
          "1", "PHASES_IN_USE"},
      Key{"switch.adder_stages",
          "register stages of the adder of a µSwitch; 2 shorten the critical path", Holds::kInteger,
          "1", "ADDER_STAGES"},
      Key{"switch.chiplet_mm",
          "side of the chiplet of a switch in mm: wires run from the pins to the switch in its "
          "middle and add latency to its links; 0: ideal wires without latency",
          Holds::kText, "0"},
      // A repeated wire in an upper layer at 14 to 16 nm (docs/studies/wires.md).
      Key{"switch.wire_ns_per_mm", "delay of a repeated wire, in ns per mm", Holds::kText, "0.1"},
      Key{.path = "switch.wire_cycles",
          .meaning = "cycles from a pin to the middle of a switch, at every port and in both "
                     "directions; replaces the value from switch.chiplet_mm",
          .holds = Holds::kInteger,
          .from_zero = true,
          .is_optional = true},
      Key{.path = "switch.vc_order",
          .meaning = "virtual channels by priority, highest first",
          .holds = Holds::kWords,
          .default_value = "control, mp, pp, dp",
          .parameter = "VC_ORDER",
          .aliases = "num_vcs vcs vcs_per_vnet virtual_channels vc_count num_vc"},
      Key{"switch.params",
          "further integer parameters, by name, of the kind of switch or of your own RTL",
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
          .is_optional = key.is_optional,
          .aliases = key.aliases};
}

bool is_same(const Key& a, const Key& b) {
  const auto facts = [](const Key& key) {
    return std::tuple(key.path, key.meaning, key.holds, key.default_value, key.instead, key.words,
                      key.from_zero, key.is_optional);
  };
  return facts(a) == facts(b);
}

// True for keys of equal form, which kinds can share.
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

// Inserts the key after its section and the section's keys.
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

// Key `name` of a section; null if `name` is not allowed there.
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

std::string key_advice(std::string_view path, const TopologyKind* kind) {
  const std::string section = schema_path(parent(path));
  std::vector<std::string_view> inside, elsewhere;
  std::vector<Alias> aliases_inside, aliases_elsewhere;
  for (const Key& key : config_keys()) {
    if (kind != nullptr && !key.is_of(*kind)) continue;
    const bool is_inside = parent(key.path) == section;
    (is_inside ? inside : elsewhere).push_back(leaf(key.path));
    if (!key.aliases.empty())
      (is_inside ? aliases_inside : aliases_elsewhere).push_back({leaf(key.path), key.aliases});
  }
  const auto whole = [&](std::string_view name) {
    const auto key = std::ranges::find_if(config_keys(), [&](const Key& one) {
      return leaf(one.path) == name && parent(one.path) != section &&
             (kind == nullptr || one.is_of(*kind));
    });
    return fmt::format("did you mean '{}'?", key->path);
  };
  const std::string_view name = leaf(path);
  const bool is_spelling = !same_word(name, inside, aliases_inside).empty();
  const std::string_view other =
      is_spelling ? std::string_view{} : same_word(name, elsewhere, aliases_elsewhere);
  if (!other.empty()) return whole(other);
  return advice(name, inside, {.aliases = aliases_inside, .last = "and"});
}

bool is_of_counted_npus(std::string_view path) {
  return std::ranges::find(kOfCountedNpus, path) != kOfCountedNpus.end();
}

std::span<const std::string_view> keys_of_counted_npus() { return kOfCountedNpus; }

bool is_needed(const Key& key) {
  return key.default_value.empty() && !key.is_optional && key.parameter.empty() &&
         std::ranges::find(kOptional, key.path) == kOptional.end();
}

}  // namespace fredsim
