#include "config/config_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggest.h"

namespace fredsim {
namespace {

constexpr std::array kKeys = {
    Key{"name", "name of the machine"},
    Key{"clock", "clock of the fabric, a frequency"},
    Key{"npu", "the NPUs", Scope::kAny, Holds::kKeys},
    Key{"npu.count", "number of NPUs", Scope::kAny, Holds::kInteger},
    Key{"npu.bandwidth", "network bandwidth of one NPU per direction"},
    Key{"npu.receive_buffer", "receive buffer per NIC port and virtual channel, a size",
        Scope::kAny, Holds::kValue, "48 KiB"},
    Key{"npu.peak", "dense FP16 FLOP/s of one NPU, for training runs", Scope::kAny, Holds::kValue,
        "990 TFLOP/s"},
    Key{"npu.memory_bandwidth", "bandwidth of one NPU's HBM, for training runs", Scope::kAny,
        Holds::kValue, "3 TB/s"},
    Key{"npu.memory", "size of one NPU's HBM, for inference", Scope::kAny, Holds::kValue, "80 GB"},
    Key{"npu.efficiency", "share of the peak that is reached, for training runs", Scope::kAny,
        Holds::kValue, "1"},
    Key{"io", "the I/O controllers", Scope::kAny, Holds::kKeys},
    Key{"io.count", "number of I/O controllers", Scope::kAny, Holds::kInteger},
    Key{"io.bandwidth", "bandwidth of one I/O controller per direction"},
    Key{"io.burst", "flits that an I/O controller's link sends at the rate of an NPU's port",
        Scope::kAny, Holds::kInteger, "24"},
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
    Key{"fabric.levels.kind", "kind of the switches of this level, in place of switch.kind",
        Scope::kTree},
    Key{"fabric.in_switch", "true or false: collectives inside the switches", Scope::kTree,
        Holds::kBoolean},
    Key{"fabric.simulate_slices", "distinct or all", Scope::kTree, Holds::kValue, "distinct"},
    Key{"link", "errors on wafer links, and what is done about them", Scope::kAny, Holds::kKeys},
    Key{"link.reliability", "none, or link: links find errors and send again, hop by hop",
        Scope::kAny, Holds::kValue, "none"},
    Key{"link.bit_error_rate", "wrong bits per bit on a wafer link, those of bursts included",
        Scope::kAny, Holds::kValue, "0"},
    Key{"link.error_burst", "bits that an error reaches over", Scope::kAny, Holds::kInteger, "1"},
    Key{"link.flit_loss", "share of the flits that a wafer link loses", Scope::kAny, Holds::kValue,
        "0"},
    Key{"link.max_retransmissions", "of a flit; a link on which one more is due is dead",
        Scope::kAny, Holds::kInteger, "1000"},
    Key{"link.seed", "of the errors", Scope::kAny, Holds::kInteger, "1"},
    Key{"faults", "parts that are lost: link:NAME, link:NAME*RATE, switch:NAME, npu:3, io:3",
        Scope::kAny, Holds::kWords},
    Key{"switch", "the switches", Scope::kAny, Holds::kKeys},
    Key{"switch.kind", "kind of the switches"},
    Key{"switch.input_buffer", "input buffer per port and data virtual channel, a size"},
    Key{"switch.control_buffer", "input buffer per port of the control channel, a size"},
    Key{"switch.output_buffer", "output staging per port and virtual channel, a size", Scope::kAny,
        Holds::kValue, "12 KiB", "OUT_DEPTH"},
    Key{"switch.format", "fp16 or bf16", Scope::kAny, Holds::kValue, "fp16"},
    Key{"switch.yield",
        "cycles of silence after which a phase gives way to one of no higher priority", Scope::kAny,
        Holds::kInteger, "4", "YIELD"},
    Key{"switch.quantum", "busy cycles after which a phase gives way to one of equal priority",
        Scope::kAny, Holds::kInteger, "64", "QUANTUM"},
    Key{"switch.phases_in_use",
        "phases that a switch can have in use at a time, where they share no port", Scope::kAny,
        Holds::kInteger, "1", "PHASES_IN_USE"},
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

}  // namespace

std::span<const Key> config_keys() { return kKeys; }

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

std::string_view parent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

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

bool is_value(Holds holds) {
  return holds != Holds::kKeys && holds != Holds::kList && holds != Holds::kNames;
}

Scope other_scope(FabricKind kind) {
  return kind == FabricKind::kFredTree ? Scope::kMesh : Scope::kTree;
}

std::vector<std::string_view> keys_inside(std::string_view section,
                                          std::optional<FabricKind> kind) {
  const std::string wanted = schema_path(section);
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) {
    const bool other = kind && key.scope == other_scope(*kind);
    if (parent(key.path) == wanted && !other) names.push_back(leaf(key.path));
  }
  return names;
}

std::string suggestion(std::string_view path) {
  for (const Key& key : kKeys) {
    if (leaf(key.path) == leaf(path)) return fmt::format("; did you mean '{}'?", key.path);
  }
  return did_you_mean(leaf(path), keys_inside(parent(path)));
}

}  // namespace fredsim
