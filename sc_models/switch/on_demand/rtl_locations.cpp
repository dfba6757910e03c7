// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/rtl_locations.h"

#include <system_error>

namespace fredsim {

RtlLocations rtl_locations_of(const std::filesystem::path& program) {
  std::error_code failed;
  const std::filesystem::path root = program.parent_path().parent_path() / "share/fredsim";
  if (std::filesystem::is_directory(root / "rtl", failed))
    return {.root = root, .generated = root / "rtl_packages"};
  return build_tree();
}

RtlLocations rtl_locations() {
  std::error_code failed;
  return rtl_locations_of(std::filesystem::read_symlink("/proc/self/exe", failed));
}

}  // namespace fredsim
