// SPDX-License-Identifier: Apache-2.0
// Factory of the implementations of a switch by name: `rtl`, `tlm`, `lockstep`, chosen per run and
// per instance.
//
// Use: make_switch() for every chiplet and router. Instances that share an RtlContext can be traced
//   into one wave file; null gives each instance its own.
// A user's own RTL (SwitchShape::rtl_top) has no twin: under `rtl` and `tlm` it is that RTL;
//   `lockstep` compares it with the built-in twin of the same shape.
// Errors: BadInput for a shape whose RTL is not built (rtl, lockstep) or whose values its kind does
//   not take (tlm, lockstep).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "switch/rtl_switch.h"
#include "switch/switch_core.h"

namespace fredsim {

enum class SwitchModel : std::uint8_t { kRtl, kTlm, kLockstep };

std::string_view switch_model_name(SwitchModel model);  // "rtl", "tlm", "lockstep"
// The value of an option --model. BadInput for an unknown name.
SwitchModel parse_model(std::string_view text);

// Returns true if a switch of this model contains RTL: a user's own always does, as it has no twin.
bool has_rtl(SwitchModel model, const SwitchShape& shape);

std::unique_ptr<SwitchCore> make_switch(SwitchModel model, const SwitchShape& shape,
                                        const std::string& name,
                                        std::shared_ptr<RtlContext> context = nullptr);
// The C++ twin of a shape alone, whatever its rtl_top.
std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape, const std::string& name);

// The RTL inside an implementation, whose signals a wave file can show: itself or the reference of
// a lockstep pair; null: there is none.
RtlSwitch* rtl_inside(SwitchCore& core);

}  // namespace fredsim
