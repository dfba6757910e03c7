// SPDX-License-Identifier: Apache-2.0
// The Verilated classes in this program by their size entry: the built-in table, generated from
// switch/sizes.cmake at configure time (switch_registry.cpp.in), classes that a program adds
// (verilator/switch_library.cmake), and classes built on demand and loaded
// (switch/missing_sizes.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switch/rtl_context.h"
#include "switch/switch_shape.h"

namespace fredsim {

class RtlSwitch;

struct RegisteredSwitch {
  std::string_view entry;  // text of size_entry()
  std::unique_ptr<RtlSwitch> (*make)(const SwitchShape& shape, const std::string& name,
                                     std::shared_ptr<RtlContext> context);
  std::string_view files{};  // file list of a user's own top module, absolute; empty: the kind's
};

std::span<const RegisteredSwitch> built_in_switches();
// Built-in classes, then added ones, then loaded ones.
std::vector<RegisteredSwitch> registered_switches();
// Adds classes, before any lookup; `switches` lives as long as the program. `listed_in`: the
// CMakeLists.txt with their sizes, for messages.
void add_switches(std::span<const RegisteredSwitch> switches, std::string_view listed_in);
// Adds a class from a loaded library.
void add_loaded_switch(const RegisteredSwitch& loaded);
// File of the kinds added last; empty if there are none.
std::string_view added_switches_file();

}  // namespace fredsim
