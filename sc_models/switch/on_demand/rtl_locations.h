// SPDX-License-Identifier: Apache-2.0
// Location of the files that the RTL of a switch size is built from: RTL, file lists, Verilator's
// settings, headers.
//
// Only this file knows it, for a build tree and for an installation. Other code has paths from the
//   root: "rtl/fred/fred_switch.f", "sc_models/switch/verilator/peek.vlt"; headers are included as
//   "switch/rtl_switch.h" and <rtl/noc_pkg.h>.
#pragma once

#include <filesystem>

namespace fredsim {

struct RtlLocations {
  std::filesystem::path root;       // has rtl/ and sc_models/, like a checkout
  std::filesystem::path generated;  // has rtl/, the headers of RTL packages (fredsim_rtl_package)
  bool operator==(const RtlLocations&) const = default;
};

// Checkout and build folder of this program (rtl_toolchain.cpp.in); empty paths: it was built for a
// package.
const RtlLocations& build_tree();

// PREFIX/share/fredsim and its rtl_packages, if `program` is PREFIX/bin/NAME and has them there;
// else the build tree.
RtlLocations rtl_locations_of(const std::filesystem::path& program);
// Locations of the running program, or the ones that were set. BadInput if there are none, with the
// folder that was searched.
RtlLocations rtl_locations();
// Variant with empty paths if there are none.
RtlLocations rtl_locations_or_none(const std::filesystem::path& program);
// Sets the locations, for a user's program linked with an installed package (fredsim-config.cmake).
// Returns true, for a static object.
bool set_rtl_locations(const RtlLocations& locations);

}  // namespace fredsim
