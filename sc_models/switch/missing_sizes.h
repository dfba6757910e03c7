// SPDX-License-Identifier: Apache-2.0
// Switch sizes that run as RTL and are not in this program, and the command that adds them to it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "switch/switch_shape.h"

namespace fredsim {

// Configuration of this program (switch_build.cpp.in).
struct SwitchBuild {
  std::filesystem::path source, build;  // folders
  std::vector<std::string> listed;      // FREDSIM_SWITCHES: entries of sizes.cmake
  std::vector<std::string> extra;       // FREDSIM_EXTRA_SWITCHES
};
const SwitchBuild& switch_build();

// A line for a shell in `folder`: configures with the entries, behind those that were extra already, and builds
// the program. The file list of a user's own top module is that of another size of it, or FILES.f where there is none.
std::string build_line(const SwitchBuild& build, std::span<const std::string> entries,
                       const std::filesystem::path& folder, const std::string& program);

struct NeededSwitch {
  SwitchShape shape;
  std::string who;  // "fred_64, l1_0.s0"
};

// BadInput naming every size that is not built, who needs it first, and the line that adds all of them to the
// program.
void require_built(std::span<const NeededSwitch> needed, const std::string& program = "fredsim");

}  // namespace fredsim
