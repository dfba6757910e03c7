// SPDX-License-Identifier: Apache-2.0
// Switch sizes that run as RTL and are not in this program: built on demand (switch/on_demand), or
// refused with the command that adds them to it.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "switch/on_demand/rtl_builder.h"
#include "switch/switch_build.h"
#include "switch/switch_shape.h"

namespace fredsim {

// A shell line for `folder`: configures with the entries, after earlier extra ones, and builds the
// program. The file list of a user's own top module is taken from another size of it, or FILES.f if
// there is none.
std::string build_line(const SwitchBuild& build, std::span<const std::string> entries,
                       const std::filesystem::path& folder, const std::string& program);

struct NeededSwitch {
  SwitchShape shape;
  std::string who;  // user, such as "fred_64, l1_0.s0"
};

// Prepares all sizes for make_rtl_switch(). Sizes that are not in the program are built on demand
// and loaded, or taken from the cache, if the options allow it. BadInput with every size that
// remains missing, its first user, and the line that adds all of them to the program; and the
// errors of build_libraries() and load_switch().
void require_built(std::span<const NeededSwitch> needed, const RtlBuildOptions& options = {},
                   const std::string& program = "fredsim");

}  // namespace fredsim
