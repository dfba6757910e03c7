#include <fmt/format.h>

#include <utility>

#include "commands.h"
#include "topology/describe.h"

namespace fredsim {

std::vector<MachineConfig> load_machines(const Options& options) {
  LoadedMachines loaded = load_configs(options.machines, options.overrides);
  if (!options.quiet) {
    for (const std::string& note : loaded.notes) fmt::print(stderr, "fredsim: {}\n", note);
  }
  return std::move(loaded.machines);
}

void print_notes(const MachineConfig& machine) {
  fmt::print("{} ({})\n", machine.topology.name, with_settings(machine.path, machine.settings.own));
  for (const std::string& note : machine.topology.notes) fmt::print("  {}\n", note);
}

void info_command(const Options& options) {
  for (const MachineConfig& machine : load_machines(options)) {
    fmt::print("{}", describe(machine.topology));
  }
}

}  // namespace fredsim
