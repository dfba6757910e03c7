#include <fmt/format.h>

#include <utility>

#include "base/long_words.h"
#include "cli/commands.h"
#include "cli/program_name.h"
#include "config/describe.h"
#include "report/terminal.h"

namespace fredsim {

std::vector<MachineConfig> load_machines(const Options& options) {
  LoadedMachines loaded = load_configs(options.machines, options.overrides, options.faults);
  if (!options.quiet) {
    for (const std::string& note : loaded.notes) {
      fmt::print(stderr, "{}: {}\n", program_name(), with_short_words(note));
    }
  }
  return std::move(loaded.machines);
}

std::string notes_title(const MachineConfig& machine) {
  return fmt::format("{} ({})", machine.topology.name,
                     with_settings(machine.path, machine.settings.own));
}

void info_command(const Options& options) {
  for (const MachineConfig& machine : load_machines(options)) {
    if (options.lists_parts) {
      fmt::print("{}", describe_parts(machine.topology));
      continue;
    }
    fmt::print("{}", describe(machine.topology, terminal_style(stdout).columns));
  }
}

}  // namespace fredsim
