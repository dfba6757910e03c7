// SPDX-License-Identifier: Apache-2.0
// Loader of machine configuration files: YAML in, a topology out.
//
// Schema: configs/*.yaml document every key with its unit, its default, if any, and its source.
// Keys:
//   name, clock
//   npu     count, bandwidth, [receive_buffer = 48 KiB], [peak = 990 TFLOP/s],
//           [memory_bandwidth = 3 TB/s], [efficiency = 1]
//   [io     count, bandwidth]                                    without it: no I/O controllers
//   fabric  link_latency, [packet = 4 KiB];
//           type = mesh2d or torus2d: width, height, link_bandwidth, [local_latency = 0 ns]
//           type = fred_tree:  slices, middle, in_switch, [simulate_slices = distinct];
//             of two levels:   l1_switches, npus_per_l1, uplinks, l2_chiplets_per_slice,
//                              uplink_bandwidth
//             of any number:   levels, a list, lowest first: below, [chiplets_per_slice = 1],
//                              [kind = switch.kind], and
//                              but for the last one, the top, uplinks, uplink_bandwidth
//           type = fully_connected: switches, [npus_per_switch = 1], [planes = 1], pair_bandwidth
//           type = torus3d:    size_x, size_y, size_z, [planes = 1], ring_bandwidth
//   [link   [reliability = none] or link, [bit_error_rate = 0], [error_burst = 1], [flit_loss = 0],
//           [max_retransmissions = 1000], [seed = 1]]
//           without it: links without errors
//   [energy link_pj_per_bit, io_link_pj_per_bit, memory_read_pj_per_bit, memory_write_pj_per_bit,
//           npu_memory_pj_per_bit, npu_compute_pj_per_flop]      all with defaults
//   [faults a list of failed components, topology/faults.h]      without it: none
//   switch  input_buffer, control_buffer, [format = fp16], [kind = fred on a fred_tree,
//           voq_crossbar on fully_connected and torus3d, else mesh], [rtl_top],
//           [params: NAME: value …];
//           of kinds that have the parameter: output_buffer, [yield = 4], [quantum = 64],
//           [phases_in_use = 1], [adder_stages = 1], [vc_order = [control, mp, pp, dp]],
//           [chiplet_mm = 0], [wire_ns_per_mm = 0.1], [wire_cycles]
// Overrides are `key.path=value` strings (--set), applied in order after the file was read; the
// entries of a list are numbered from 1: fabric.levels.2.uplinks=2.
// Strict. Errors: BadInput with file and line (or the override), the key, what was found and what
// is allowed: unreadable, empty or broken files, unknown keys (with the nearest right one), keys of
// the other fabric type or of another kind of switch, missing and duplicate keys, wrong types,
// values out of range, invalid shapes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/machine_key.h"
#include "base/setting.h"
#include "config/config_reader.h"
#include "config/energy_figures.h"
#include "config/npu_compute.h"
#include "topology/topology.h"

namespace fredsim {

struct MachineConfig {
  std::string path;  // as given
  Topology topology;
  Settings settings{};
  NpuCompute compute{};
  EnergyFigures energy{};
  std::vector<MachineKey> keys{};  // the whole machine, defaults included: ConfigReader::resolved()
  std::string text{};              // text of the file, without settings
};

// A machine to be loaded: the settings, "key.path=value", are of this one alone.
struct MachineFile {
  std::string path;
  std::vector<std::string> settings{};
  std::optional<std::string> text{};  // replaces the file's text; `path` names it in messages
  bool is_block = false;              // part of another machine: ConfigReader
  AllowedValues* allowed = nullptr;   // values allowed for each key: ConfigReader
};

struct LoadedMachines {
  std::vector<MachineConfig> machines;  // machines in the order of the files
  std::vector<std::string> notes;       // overrides that some of the machines have no key for
};

// Loads several machines with common overrides. An override whose key only some machines have (the
// rest have another fabric type, or write their tree in the other form) applies to these machines,
// with a note; a key that no machine has is refused, as for one machine. A machine's own settings
// come after them. Messages name them "configs/fred_d.yaml@key.path=value". `faults` (--fault) are
// added to the faults of the machine files. A fault whose component only some machines have applies
// to these machines, with a note; a component that no machine has is refused.
LoadedMachines load_configs(std::span<const MachineFile> files,
                            std::span<const std::string> overrides,
                            std::span<const std::string> faults = {});

// One machine.
MachineConfig load_config(const std::string& path, const std::vector<std::string>& overrides = {});

// Loads a machine again, with `more` settings after its own. Uses the stored text, since its file
// may be a pipe or missing.
MachineConfig reload_config(const MachineConfig& machine, std::span<const std::string> more);

}  // namespace fredsim
