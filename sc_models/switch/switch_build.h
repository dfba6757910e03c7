// SPDX-License-Identifier: Apache-2.0
// Build configuration of this program: its folders, and the switch sizes that were asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fredsim {

struct SwitchBuild {
  std::filesystem::path source, build;  // checkout and build folder
  std::vector<std::string> listed;      // entries of sizes.cmake: FREDSIM_SWITCHES
  std::vector<std::string> extra;       // entries of FREDSIM_EXTRA_SWITCHES
};
const SwitchBuild& switch_build();

}  // namespace fredsim
