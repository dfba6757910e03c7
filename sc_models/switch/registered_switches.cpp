// SPDX-License-Identifier: Apache-2.0
#include "switch/switch_registry.h"

namespace fredsim {
namespace {

struct Added {
  std::vector<RegisteredSwitch> switches;
  std::string_view listed_in;
};

Added& added() {
  static Added all;
  return all;
}

}  // namespace

std::vector<RegisteredSwitch> registered_switches() {
  const auto ours = built_in_switches();
  std::vector<RegisteredSwitch> all(ours.begin(), ours.end());
  all.insert(all.end(), added().switches.begin(), added().switches.end());
  return all;
}

void add_switches(std::span<const RegisteredSwitch> switches, std::string_view listed_in) {
  added().switches.insert(added().switches.end(), switches.begin(), switches.end());
  added().listed_in = listed_in;
}

std::string_view added_switches_file() { return added().listed_in; }

}  // namespace fredsim
