// SPDX-License-Identifier: Apache-2.0
// Location of the files that the RTL of a switch size is built from: RTL, file lists, Verilator's settings, headers.
//
// This is the one place that knows it, in a build tree and installed. Everyone else has paths from the root: "rtl/fred/fred_switch.f",
//   "sc_models/switch/verilator/peek.vlt"; headers are included as "switch/rtl_switch.h" and <rtl/noc_pkg.h>.
#pragma once

#include <filesystem>

namespace fredsim {

struct RtlLocations {
  std::filesystem::path root;       // has rtl/ and sc_models/ as a checkout has them
  std::filesystem::path generated;  // has rtl/, the headers of RTL packages (fredsim_rtl_package)
  bool operator==(const RtlLocations&) const = default;
};

// Checkout and build folder of this program (rtl_toolchain.cpp.in); empty paths: it was built for a package.
const RtlLocations& build_tree();

// PREFIX/share/fredsim and its rtl_packages, where `program` is PREFIX/bin/NAME and has them there; else the build tree.
RtlLocations rtl_locations_of(const std::filesystem::path& program);
// Those of the program that runs, or that it was told. BadInput where there are none, naming the folder that was looked for.
RtlLocations rtl_locations();
// The same; empty paths where there are none.
RtlLocations rtl_locations_or_none(const std::filesystem::path& program);
// Tells it: a program of others against a package that is installed elsewhere (fredsim-config.cmake). True, for a static object.
bool set_rtl_locations(const RtlLocations& locations);

}  // namespace fredsim
