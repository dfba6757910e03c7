// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/rtl_locations.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"

namespace fredsim {
namespace {

RtlLocations& given_locations() {
  static RtlLocations given;
  return given;
}

std::filesystem::path share_of(const std::filesystem::path& program) {
  return program.parent_path().parent_path() / "share/fredsim";
}

bool has_rtl(const std::filesystem::path& root) {
  std::error_code failed;
  return std::filesystem::is_directory(root / "rtl", failed);
}

}  // namespace

RtlLocations rtl_locations_of(const std::filesystem::path& program) {
  const std::filesystem::path root = share_of(program);
  if (has_rtl(root)) return {.root = root, .generated = root / "rtl_packages"};
  return build_tree();
}

RtlLocations rtl_locations_or_none(const std::filesystem::path& program) {
  return given_locations().root.empty() ? rtl_locations_of(program) : given_locations();
}

RtlLocations rtl_locations() {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  RtlLocations locations = rtl_locations_or_none(program);
  if (locations.root.empty())
    throw BadInput(
        fmt::format("found no folder '{}'; allowed: an installed fredsim with all its files",
                    (share_of(program) / "rtl").string()));
  return locations;
}

bool set_rtl_locations(const RtlLocations& locations) {
  given_locations() = locations;
  return true;
}

}  // namespace fredsim
