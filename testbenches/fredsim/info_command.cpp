#include <fmt/format.h>

#include "commands.h"
#include "topology/describe.h"

namespace fredsim {

std::vector<MachineConfig> load_machines(const Options& options) {
  std::vector<MachineConfig> machines;
  for (const std::string& path : options.configs) {
    machines.push_back(load_config(path, options.overrides));
  }
  return machines;
}

void print_notes(const MachineConfig& machine) {
  fmt::print("{} ({})\n", machine.topology.name, machine.path);
  for (const std::string& note : machine.topology.notes) fmt::print("  {}\n", note);
}

void info_command(const Options& options) {
  for (const MachineConfig& machine : load_machines(options)) {
    fmt::print("{}", describe(machine.topology));
  }
}

}  // namespace fredsim
