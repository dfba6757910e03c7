// SPDX-License-Identifier: Apache-2.0
#include "switch/switch_registry.h"

namespace fredsim {
namespace {

struct Added {
  std::vector<RegisteredSwitch> switches, loaded;
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
  for (const auto* more : {&added().switches, &added().loaded})
    all.insert(all.end(), more->begin(), more->end());
  return all;
}

void add_loaded_switch(const RegisteredSwitch& loaded) { added().loaded.push_back(loaded); }

void add_switches(std::span<const RegisteredSwitch> switches, std::string_view listed_in) {
  added().switches.insert(added().switches.end(), switches.begin(), switches.end());
  added().listed_in = listed_in;
}

std::string_view added_switches_file() { return added().listed_in; }

}  // namespace fredsim
