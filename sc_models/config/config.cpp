// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/shell.h"
#include "base/units.h"
#include "config/config_reader.h"
#include "links/link_scheme.h"
#include "switch/node_shape.h"
#include "topology/assembly.h"
#include "topology/credit_loop.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

// Maximum of any count: the shape rules of the builders are tighter and say why.
constexpr int kMaxCount = 1 << 16;
constexpr int kMaxParameter = std::numeric_limits<int>::max();  // parameter of RTL
constexpr std::string_view kAutoClock = "auto";
constexpr std::uint64_t kMinAutoClock = 1'000'000'000;  // hertz

FpFormat read_format(const ConfigReader& reader) {
  static constexpr std::array<std::string_view, 2> kNames = {"fp16", "bf16"};
  return reader.choice("switch.format", kNames) == 0 ? FpFormat::kFp16 : FpFormat::kBf16;
}

// Parameters that are set outside switch.params, and their source.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kSaidElsewhere{
    {{"P", "the fabric"},
     {"NUM_LOCAL", "the fabric"},
     {"NUM_IO", "the fabric"},
     {"M", "fabric.middle"},
     {"LANES", "--lanes"},
     {"VC_DEPTH", "switch.input_buffer"},
     {"CTRL_DEPTH", "switch.control_buffer"},
     {"OUT_DEPTH", "switch.output_buffer"},
     {"FORMAT", "switch.format"},
     {"YIELD", "switch.yield"},
     {"QUANTUM", "switch.quantum"},
     {"PHASES_IN_USE", "switch.phases_in_use"},
     {"ADDER_STAGES", "switch.adder_stages"},
     {"VC_ORDER", "switch.vc_order"},
     {"PACKET_FLITS", "fabric.packet"}}};

// Wires from the pins of a switch to its middle.
SwitchWires read_wires(const ConfigReader& reader) {
  constexpr double kMaxMm = 1000, kMinDelay = 0.000001, kMaxDelay = 100;
  const auto scaled = [&](std::string_view key, double min, double max, double units) {
    return static_cast<std::uint64_t>(std::llround(reader.share(key, min, max) * units));
  };
  SwitchWires wires;
  wires.fs_per_mm = scaled("switch.wire_ns_per_mm", kMinDelay, kMaxDelay, 1e6);
  wires.chiplet_um = scaled("switch.chiplet_mm", 0, kMaxMm, 1e3);
  if (reader.has("switch.wire_cycles"))
    wires.cycles = reader.integer("switch.wire_cycles", 0, kMaxWireCycles);
  return wires;
}

// Entry of switch.params: a parameter of the kind, or of a user's own RTL.
void add_parameter(const ConfigReader& reader, const NamedValue& given, MachineSpec& machine) {
  const SwitchKind& kind = reader.switch_kind();
  const std::string label = reader.label(fmt::format("switch.params.{}", given.name));
  const auto* const elsewhere = std::ranges::find(
      kSaidElsewhere, given.name, &std::pair<std::string_view, std::string_view>::first);
  if (elsewhere != kSaidElsewhere.end() && kind.index(given.name) >= 0) {
    throw BadInput(fmt::format("{}: found {}; this parameter is set by {}", label, given.value,
                               elsewhere->second));
  }
  if (const int at = kind.index(given.name); at >= 0) {
    const SwitchParameter& p = kind.parameters()[static_cast<std::size_t>(at)];
    if (given.value < p.min || given.value > p.max) {
      throw BadInput(fmt::format("{}: found {}; allowed: {} to {} ({})", label, given.value, p.min,
                                 p.max, p.meaning));
    }
    machine.switch_values.push_back(given);
    return;
  }
  if (machine.rtl_top.empty()) {
    throw BadInput(
        fmt::format("{}: found {}, but switches of the kind {} have no such parameter; allowed "
                    "with switch.rtl_top, of RTL that has it",
                    label, given.value, kind.name()));
  }
  machine.own_values.push_back(given);
}

// Kind and parameters of the switches, beside their buffers and format.
void read_switches(const ConfigReader& reader, MachineSpec& machine) {
  const SwitchKind& kind = reader.switch_kind();
  machine.switch_kind = kind.name();
  for (const auto& [parameter, key] :
       {std::pair("YIELD", "switch.yield"), std::pair("QUANTUM", "switch.quantum"),
        std::pair("PHASES_IN_USE", "switch.phases_in_use"),
        std::pair("ADDER_STAGES", "switch.adder_stages")}) {
    const int at = kind.index(parameter);
    if (at < 0) continue;
    const SwitchParameter& p = kind.parameters()[static_cast<std::size_t>(at)];
    const int value = reader.integer(key, p.min, p.max);
    // Skips one phase in use and adders of one stage, which every switch has.
    if (value == 1 && p.min == 1 && p.max == 2) continue;
    machine.switch_values.push_back({parameter, value});
  }
  if (kind.index("VC_ORDER") >= 0)
    std::ranges::copy(reader.permutation("switch.vc_order", kVcNames), machine.vc_order.begin());
  if (kind.index("OUT_DEPTH") >= 0) {
    machine.buffers.output_flits = reader.flits("switch.output_buffer", machine.packet_flits);
  }
  for (const NamedValue& given : reader.names_under("switch.params", 0, kMaxParameter))
    add_parameter(reader, given, machine);
  // Order of the size list (size_entry()): by "NAME=value".
  std::ranges::sort(machine.own_values, {}, [](const NamedValue& own) {
    return fmt::format("{}={}", own.name, own.value);
  });
}

constexpr std::string_view kOption = "--fault";

std::vector<Fault> read_faults(const ConfigReader& reader) {
  std::vector<Fault> faults;
  for (const auto& [text, where] : reader.words("faults"))
    faults.push_back(parse_fault(text, where == kOption ? where : where + ": faults"));
  return faults;
}

// Part of the names of files, and of lines on terminals.
std::string read_name(const ConfigReader& reader) {
  constexpr std::size_t kMaxBytes = 200;
  std::string name = reader.text("name");
  // U+0080 to U+009F are two bytes in UTF-8.
  const auto is_control = [&](std::size_t i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const auto before = static_cast<unsigned char>(i == 0 ? '\0' : name[i - 1]);
    return c < 0x20 || c == 0x7F || (before == 0xC2 && c >= 0x80 && c < 0xA0);
  };
  bool is_right = !name.empty() && name.size() <= kMaxBytes && name.find('/') == std::string::npos;
  for (std::size_t i = 0; i < name.size(); ++i) is_right = is_right && !is_control(i);
  if (is_right) return name;
  throw BadInput(fmt::format(
      "{}: found '{}'; allowed: 1 to {} bytes, no '/' and no control characters, since files are "
      "named after it",
      reader.label("name"), shown(name), kMaxBytes));
}

// Refuses a key that the fabric already determines.
void refuse_beside(const ConfigReader& reader, std::string_view key) {
  if (!reader.has(key)) return;
  throw BadInput(fmt::format("{}: found {}; allowed: none, since a fabric of type {} says it",
                             reader.label(key), reader.text(key), reader.fabric().name()));
}

void read_buffers(const ConfigReader& reader, MachineSpec& machine) {
  const auto flits = [&](std::string_view key, int min) {
    return reader.flits_or_auto(key, min).value_or(kAutoBuffer);
  };
  machine.buffers.data_flits = flits("switch.input_buffer", machine.packet_flits);
  machine.buffers.control_flits = flits("switch.control_buffer", 1);
  machine.buffers.receive_flits = flits("npu.receive_buffer", machine.packet_flits);
}

MachineSpec read_machine(const ConfigReader& reader) {
  MachineSpec machine;
  machine.name = read_name(reader);
  machine.clock_is_auto = reader.text("clock") == kAutoClock;
  machine.clock_hz = machine.clock_is_auto ? kMinAutoClock : reader.frequency("clock");
  if (reader.fabric().counts_npus()) {
    refuse_beside(reader, "npu.count");
    refuse_beside(reader, "npu.bandwidth");
  } else {
    machine.npus = reader.integer("npu.count", 1, kMaxCount);
    machine.npu_bandwidth = reader.bandwidth("npu.bandwidth");
  }
  if (reader.has("io")) {
    machine.io_controllers = reader.integer("io.count", 0, kMaxCount);
    if (machine.io_controllers > 0 || reader.has("io.bandwidth"))
      machine.io_bandwidth = reader.bandwidth("io.bandwidth");
  }
  if (!reader.fabric().counts_npus() || reader.has("fabric.link_latency"))
    machine.link_latency_ps = reader.time_ps("fabric.link_latency");
  machine.format = read_format(reader);
  if (reader.has("switch.rtl_top")) machine.rtl_top = reader.text("switch.rtl_top");
  machine.packet_flits = reader.flits("fabric.packet", 1, kPacketFlits);
  read_switches(reader, machine);
  machine.wires = read_wires(reader);
  read_buffers(reader, machine);
  return machine;
}

NpuCompute read_compute(const ConfigReader& reader) {
  const auto key = [&](std::string_view path, std::string_view allowed) {
    return std::pair(reader.text_of(path, allowed), reader.label(path));
  };
  const auto value_bytes = [&](std::string_view path) {
    return parse_value_bytes(reader.text_of(path, kAllowedValueBytes), reader.label(path));
  };
  const auto [peak, peak_label] = key("npu.peak", kAllowedFlopRate);
  const auto [efficiency, efficiency_label] = key("npu.efficiency", kAllowedEfficiency);
  return {.peak_gflops = parse_flop_rate(peak, peak_label),
          .memory_bandwidth = reader.bandwidth("npu.memory_bandwidth"),
          .memory_bytes = reader.size("npu.memory"),
          .expanded_bandwidth = reader.bandwidth("npu.expanded_memory_bandwidth"),
          .expanded_bytes = reader.size_from_zero("npu.expanded_memory"),
          .efficiency = parse_efficiency(efficiency, efficiency_label),
          .value_bytes = {.weights = value_bytes("npu.value_bytes.weights"),
                          .activations = value_bytes("npu.value_bytes.activations"),
                          .kv = value_bytes("npu.value_bytes.kv")},
          .collective_overhead_ps = reader.time_ps("npu.collective_overhead")};
}

EnergyFigures read_energy(const ConfigReader& reader) {
  const auto figure = [&](std::string_view path) {
    return parse_energy(reader.text_of(path, kAllowedEnergy), reader.label(path));
  };
  return {.link = figure("energy.link_pj_per_bit"),
          .io_link = figure("energy.io_link_pj_per_bit"),
          .memory_read = figure("energy.memory_read_pj_per_bit"),
          .memory_write = figure("energy.memory_write_pj_per_bit"),
          .npu_memory = figure("energy.npu_memory_pj_per_bit"),
          .npu_compute = figure("energy.npu_compute_pj_per_flop")};
}

// Builds at the lowest clock at which no link carries more than one flit per cycle.
Topology build_at_auto_clock(const TopologyBuilder& build, MachineSpec machine) {
  while (true) {
    try {
      Topology topology = build(machine);
      topology.notes.push_back(fmt::format("clock auto = {}", format_frequency(machine.clock_hz)));
      return topology;
    } catch (const SlowClock& slow) {
      machine.clock_hz = slow.min_hz();
    }
  }
}

// Runs a builder; its refusals get file and line.
Topology build_located(const ConfigReader& reader, const TopologyBuilder& build,
                       const MachineSpec& machine) {
  try {
    return machine.clock_is_auto ? build_at_auto_clock(build, machine) : build(machine);
  } catch (const BadInput& error) {
    throw BadInput(reader.located(error.what()));
  }
}

// Refuses a packet size that differs from the machines of a system's blocks.
void check_packet(const ConfigReader& reader, const MachineSpec& machine,
                  const Topology& topology) {
  if (!reader.has("fabric.packet") || topology.packet_flits == machine.packet_flits) return;
  throw BadInput(fmt::format(
      "{}: found {}; allowed: {} B, or none, since machines in the blocks have packets of so many",
      reader.label("fabric.packet"), reader.value_text("fabric.packet"),
      topology.packet_flits * kFlitBytes));
}

// Refuses controllers that a fabric has no places for.
void check_controllers(const ConfigReader& reader, const MachineSpec& machine,
                       const Topology& topology) {
  const auto built = static_cast<int>(topology.io_controllers.size());
  if (built == machine.io_controllers) return;
  throw BadInput(fmt::format("{}: found {}; allowed: {}, since a fabric of type {} has {}",
                             reader.label("io.count"), machine.io_controllers, built,
                             reader.fabric().name(), built == 0 ? "none" : "as many"));
}

// In-switch collectives on switches that do not add.
void add_at_endpoints(const ConfigReader& reader, Topology& topology) {
  const auto node = std::ranges::find_if(topology.nodes, [&](const Node& one) {
    return one.is_switch() && kind_of(one).num_phases(switch_shape(topology, one)) == 0;
  });
  reader.fabric().leave_switches(
      reader, topology, fmt::format("switches of the kind {} add nothing up", node->switch_kind));
}

// Refuses link, io and faults in a system: its plans are made per block, and a failed component or
// a lossy link would make equal blocks differ.
void refuse_in_system(const ConfigReader& reader, std::span<const Fault> faults) {
  for (const std::string_view key : {"link", "io"}) {
    if (reader.has(key)) {
      throw BadInput(fmt::format("{}: found; allowed in the machine file of a block alone",
                                 reader.label(key)));
    }
  }
  if (!faults.empty()) {
    throw BadInput(
        fmt::format("{}: found in a system; allowed in the machine file of a block alone",
                    reader.label("faults")));
  }
}

Topology build_topology(const ConfigReader& reader) {
  const TopologyKind& kind = reader.fabric();
  const std::vector<std::string> unused = reader.keys_not_of(reader.switch_kind());
  const MachineSpec machine = read_machine(reader);
  const LinkChanges links(reader);
  const std::vector<Fault> faults = read_faults(reader);
  reader.begin_fabric();
  Topology topology = build_located(reader, kind.builder(reader), machine);
  reader.refuse_unused();
  check_packet(reader, machine, topology);
  if (topology.has_blocks())
    refuse_in_system(reader, faults);
  else
    check_controllers(reader, machine, topology);
  size_auto_buffers(topology);
  links.make(LinkStage::kBuilt, topology);
  lose_parts(topology, faults);
  links.make(LinkStage::kLeft, topology);
  topology.notes.insert(topology.notes.end(), unused.begin(), unused.end());
  if (topology.in_switch && !adds_in_switches(topology)) add_at_endpoints(reader, topology);
  return topology;
}

// Machine file on its way to a topology.
struct Draft {
  const MachineFile* file = nullptr;
  std::string text;
  ConfigNode root;
  Settings settings;
};

// The file's name on the command line.
std::string word_of(const MachineFile& file) {
  std::string word = file.path;
  for (const std::string& setting : file.settings) {
    word += (&setting == &file.settings.front() ? "@" : ",") + setting;
  }
  return word;
}

std::string key_of(const std::string& override_text) {
  return override_text.substr(0, override_text.find('='));
}

// The last value of a key is the one in effect.
void note_setting(std::vector<Setting>& settings, const std::string& override_text) {
  const std::string key = key_of(override_text);
  std::erase_if(settings, [&](const Setting& before) { return before.key == key; });
  settings.push_back({key, override_text.substr(std::min(key.size() + 1, override_text.size()))});
}

// Applies --set to the drafts that have its key; if none has it, to all, which refuse it. The note,
// if any, lists the drafts.
std::optional<std::string> apply_to_all(std::vector<Draft>& drafts, const std::string& text) {
  const std::string key = key_of(text);
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (const Draft& draft : drafts)
    (has_key(draft.root, key) ? with : without).push_back(word_of(*draft.file));
  for (Draft& draft : drafts) {
    if (!with.empty() && !has_key(draft.root, key)) continue;
    const bool names_file = drafts.size() > 1 && !with.empty();
    apply_override(draft.root, text, names_file ? draft.file->path + ": --set " : "--set ");
    note_setting(draft.settings.all, text);
  }
  if (with.empty() || without.empty()) return std::nullopt;
  return fmt::format("--set {}: applies to {}; {} {} no such key", shown(text),
                     fmt::join(with, " and "), fmt::join(without, " and "),
                     without.size() == 1 ? "has" : "have");
}

// Adds a fault to the drafts that have the component; if none has it, to all, which refuse it.
// `whole`: their machines without faults. The note, if any, lists the drafts.
std::optional<std::string> add_to_all(std::vector<Draft>& drafts,
                                      const std::vector<Topology>& whole, const std::string& text) {
  const Fault fault = parse_fault(text, kOption);
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (std::size_t i = 0; i < drafts.size(); ++i)
    (has_part(whole[i], fault) ? with : without).push_back(word_of(*drafts[i].file));
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (with.empty() || has_part(whole[i], fault))
      append_to_list(drafts[i].root, "faults", text, std::string(kOption));
  }
  if (with.empty() || without.empty()) return std::nullopt;
  return fmt::format("{} {}: applies to {}; {} {} no such part", kOption, shown(text),
                     fmt::join(with, " and "), fmt::join(without, " and "),
                     without.size() == 1 ? "has" : "have");
}

void erase_key(ConfigNode& root, std::string_view key) {
  std::erase_if(root.entries, [&](const ConfigEntry& entry) { return entry.key == key; });
}

// Notes the faults of the options and of the machine, as a setting.
void note_faults(Draft& draft) {
  const ConfigNode* const list = draft.root.find("faults");
  if (list == nullptr) return;
  std::vector<std::string> words;
  for (const ConfigEntry& entry : list->entries) words.push_back(entry.node.text);
  note_setting(draft.settings.all, fmt::format("faults=[{}]", fmt::join(words, ", ")));
}

}  // namespace

LoadedMachines load_configs(std::span<const MachineFile> files,
                            std::span<const std::string> overrides,
                            std::span<const std::string> faults) {
  std::vector<Draft> drafts;
  for (const MachineFile& file : files) {
    std::string text = file.text ? *file.text : read_config_text(file.path);
    ConfigNode root = parse_config_text(text, file.path);
    drafts.push_back({&file, std::move(text), std::move(root), {}});
  }
  LoadedMachines loaded;
  for (const std::string& text : overrides) {
    if (auto note = apply_to_all(drafts, text)) loaded.notes.push_back(std::move(*note));
  }
  for (Draft& draft : drafts) {
    for (const std::string& text : draft.file->settings) {
      apply_override(draft.root, text, draft.file->path + "@");
      note_setting(draft.settings.all, text);
      note_setting(draft.settings.own, text);
    }
  }
  if (!faults.empty()) {
    std::vector<Topology> whole;
    for (const Draft& draft : drafts) {
      ConfigNode root = draft.root;
      erase_key(root, "faults");
      whole.push_back(
          build_topology(ConfigReader(std::move(root), draft.file->path, draft.file->is_block)));
    }
    for (const std::string& text : faults) {
      if (auto note = add_to_all(drafts, whole, text)) loaded.notes.push_back(std::move(*note));
    }
    for (Draft& draft : drafts) note_faults(draft);
  }
  for (Draft& draft : drafts) {
    const ConfigReader reader(std::move(draft.root), draft.file->path, draft.file->is_block,
                              draft.file->allowed);
    loaded.machines.push_back({draft.file->path, build_topology(reader), std::move(draft.settings),
                               read_compute(reader), read_energy(reader), reader.resolved(),
                               std::move(draft.text)});
  }
  return loaded;
}

MachineConfig load_config(const std::string& path, const std::vector<std::string>& overrides) {
  const MachineFile file{.path = path, .settings = {}};
  return std::move(load_configs({&file, 1}, overrides).machines.front());
}

MachineConfig reload_config(const MachineConfig& machine, std::span<const std::string> more) {
  const MachineFile file{.path = machine.path, .settings = {}, .text = machine.text};
  std::vector<std::string> overrides;
  for (const auto& [key, value] : machine.settings.all)
    overrides.push_back(fmt::format("{}={}", key, value));
  overrides.insert(overrides.end(), more.begin(), more.end());
  return std::move(load_configs({&file, 1}, overrides).machines.front());
}

}  // namespace fredsim
