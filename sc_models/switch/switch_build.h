// SPDX-License-Identifier: Apache-2.0
// Configuration that this program was built with: its folders, and the switch sizes that were asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fredsim {

struct SwitchBuild {
  std::filesystem::path source, build;  // folders
  std::vector<std::string> listed;      // FREDSIM_SWITCHES: entries of sizes.cmake
  std::vector<std::string> extra;       // FREDSIM_EXTRA_SWITCHES
};
const SwitchBuild& switch_build();

}  // namespace fredsim
