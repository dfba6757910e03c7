// SPDX-License-Identifier: Apache-2.0
// A switch size as a loadable library of its RTL: its source files and parameters, and a key of all
// of them.
//
// Errors: BadInput with the file that is missing, or that is newer than this program: a library is
//   built from the sources of the program itself, so that one run never has RTL of two versions.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switch/on_demand/rtl_locations.h"
#include "switch/on_demand/rtl_toolchain.h"
#include "switch/switch_shape.h"

namespace fredsim {

struct RtlSize {
  std::string entry;  // text of size_entry()
  std::string model;  // Verilated class, an identifier
  std::string top;
  std::vector<std::string> parameters;  // "P=4", for the top module
  std::vector<std::string>
      sources;                    // Verilator's settings, then the RTL: absolute or from the root
  std::string peek, peek_header;  // see SwitchRtl
  std::vector<std::string> includes;  // absolute or from the root
  int ports = 0, lanes = 0;
  bool rising_edges_only = false;
};

// No value if the files of the RTL are unknown: a kind without RTL, or a user's own top module that
// no size has.
std::optional<RtlSize> rtl_size(const SwitchShape& shape, const RtlToolchain& tools,
                                const RtlLocations& where);

// C++ around the Verilated class: the entry of the library (loaded_library.h).
std::string rtl_entry_text(const RtlSize& size);

// Digest of the text of all files, included ones too, of parameters, versions and flags.
std::string rtl_key(const RtlSize& size, const RtlToolchain& tools, const RtlLocations& where);

// A file from the root, and its digest when this program was built (source_digests.cmake); by path.
struct SourceDigest {
  std::string_view path;
  std::string_view sha256;
};
std::span<const SourceDigest> source_digests();

// Names in quotes behind `directive`, "#include" or "`include".
std::vector<std::string> included_names(std::string_view text, std::string_view directive);

}  // namespace fredsim
