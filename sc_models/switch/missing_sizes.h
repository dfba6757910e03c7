// SPDX-License-Identifier: Apache-2.0
// Switch sizes that run as RTL and are not in this program: built on demand (switch/on_demand), or refused with the command that adds
// them to it.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "switch/on_demand/rtl_builder.h"
#include "switch/switch_build.h"
#include "switch/switch_shape.h"

namespace fredsim {

// A line for a shell in `folder`: configures with the entries, behind those that were extra already, and builds
// the program. The file list of a user's own top module is that of another size of it, or FILES.f where there is none.
std::string build_line(const SwitchBuild& build, std::span<const std::string> entries,
                       const std::filesystem::path& folder, const std::string& program);

struct NeededSwitch {
  SwitchShape shape;
  std::string who;  // "fred_64, l1_0.s0"
};

// Afterwards make_rtl_switch() makes switches of all sizes. Those that are not in the program are built on demand and loaded, or
// taken from the cache, where the options say so. BadInput naming every size that then is not built, who needs it first, and the line
// that adds all of them to the program; and the errors of build_libraries() and load_switch().
void require_built(std::span<const NeededSwitch> needed, const RtlBuildOptions& options = {},
                   const std::string& program = "fredsim");

}  // namespace fredsim
