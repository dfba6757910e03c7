// SPDX-License-Identifier: Apache-2.0
// The `rtl` implementation of a switch: its Verilated RTL top behind SwitchCore.
//
// Shapes: one Verilated class per SwitchShape listed in switch/sizes.cmake; many instances of it.
// Timing: step() is one rising edge of clk_i; all outputs of the RTL are functions of registers.
// A user's own RTL with the same port list is a shape with `rtl_top` set (SwitchShape).
// Errors: BadInput for a shape that was not built, with the list entry and the command that add it;
//   RunFailed from step() or reset() when the RTL ends the simulation ($finish, $stop, assertion).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "switch/rtl_context.h"
#include "switch/switch_core.h"
#include "switch/switch_shape.h"

class VerilatedFstC;

namespace fredsim {

class RtlSwitch : public SwitchCore {
 public:
  std::string_view model() const final { return "rtl"; }
  // Adds all signals of this instance to a trace file that is not open yet (switch/wave_file.h).
  virtual void trace(VerilatedFstC& file) = 0;
};

// Null `context`: the instance gets a context of its own.
std::unique_ptr<RtlSwitch> make_rtl_switch(const SwitchShape& shape,
                                           const std::string& instance_name,
                                           std::shared_ptr<RtlContext> context = nullptr);

// Entries of the size list (size_entry(), switch/switch_kind.h) that are built into this program.
std::vector<std::string> built_switch_sizes();

}  // namespace fredsim
