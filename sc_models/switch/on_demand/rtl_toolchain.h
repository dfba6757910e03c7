// SPDX-License-Identifier: Apache-2.0
// Programs and flags that make a loadable library of the RTL of a switch size: the same as for this
// program.
//
// CMake records them (rtl_toolchain.cpp.in); the flags of a size that is built ahead
// (verilator/verilate.cmake) are the same.
#pragma once

#include <string>
#include <vector>

namespace fredsim {

struct RtlToolchain {
  std::string verilator;          // its path
  std::string verilator_version;  // beginning of its --version, "Verilator 5.006"
  std::string compiler;           // its path
  std::string compiler_version;   // "12.2.0", its answer to `version_flag`
  std::string version_flag;
  std::vector<std::string> verilate;  // flags for all sizes
  std::vector<std::string>
      settings;              // Verilator's own files for all sizes, from the root (rtl_locations.h)
  std::string shared_adder;  // additional file for sizes of more than shared_adder_lanes
  int shared_adder_lanes = 0;
  std::vector<std::string> includes;  // folders of Verilator's headers
  // Flags of the compiler: for all sources, for code that runs every cycle, for reset and waves,
  // for the code around the class, for the linker.
  std::vector<std::string> compile, fast, slow, around, link;
};

// Toolchain of this program.
const RtlToolchain& rtl_toolchain();

}  // namespace fredsim
