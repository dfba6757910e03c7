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

void info_command(const Options& options) {
  for (const MachineConfig& machine : load_machines(options)) {
    fmt::print("{}", describe(machine.topology));
  }
}

}  // namespace fredsim
