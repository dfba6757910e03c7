// The Verilated classes in this program by their size entry; the table itself is generated from
// switch/sizes.cmake at configure time (switch_registry.cpp.in).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "switch/rtl_switch.h"

namespace fredsim {

struct RegisteredSwitch {
  std::string_view entry;  // as size_entry() writes it
  std::unique_ptr<RtlSwitch> (*make)(const SwitchShape& shape, const std::string& name,
                                     std::shared_ptr<RtlContext> context);
};

std::span<const RegisteredSwitch> registered_switches();

}  // namespace fredsim
