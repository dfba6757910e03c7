// SPDX-License-Identifier: Apache-2.0
#include "cli/machines.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/long_words.h"
#include "cli/program_name.h"

namespace fredsim {

std::vector<MachineConfig> load_machines(const MachineOptions& options, bool quiet) {
  LoadedMachines loaded = load_configs(options.machines, options.overrides, options.faults);
  if (!quiet) {
    for (const std::string& note : loaded.notes)
      fmt::print(stderr, "{}: {}\n", program_name(), with_short_words(note));
  }
  return std::move(loaded.machines);
}

void check_runs_exactly(const MachineConfig& machine) {
  if (machine.topology.flow_only.empty()) return;
  throw BadInput(fmt::format("{}: {} flit by flit; allowed: --engine flow", machine.path,
                             machine.topology.flow_only));
}

void check_no_system(const MachineConfig& machine, std::string_view command) {
  if (!machine.topology.has_blocks()) return;
  throw BadInput(
      fmt::format("{}: found a system of dimensions; allowed with {}: a machine that is "
                  "none, such as that of a block",
                  machine.path, command));
}

std::string notes_title(const MachineConfig& machine) {
  return fmt::format("{} ({})", machine.topology.name,
                     with_settings(machine.path, machine.settings.own));
}

}  // namespace fredsim
