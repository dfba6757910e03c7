// SPDX-License-Identifier: Apache-2.0
// A switch size as a loadable library of its RTL: files and parameters that it is made from, and a key of all of them.
//
// Errors: BadInput naming the file that is not there, or that is newer than this program: a library is built from what the
//   program itself was built from, so that one run never has RTL of two versions.
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
  std::string entry;  // size_entry()
  std::string model;  // Verilated class, an identifier
  std::string top;
  std::vector<std::string> parameters;  // "P=4", for the top module
  std::vector<std::string>
      sources;                    // Verilator's settings, then the RTL: absolute or from the root
  std::string peek, peek_header;  // as SwitchRtl has them
  std::vector<std::string> includes;  // absolute or from the root
  int ports = 0, lanes = 0;
  bool rising_edges_only = false;
};

// None where nobody has said which files the RTL is in: a kind without RTL, a top module of a user's own that no size has.
std::optional<RtlSize> rtl_size(const SwitchShape& shape, const RtlToolchain& tools,
                                const RtlLocations& where);

// C++ around the Verilated class: the entry of the library (loaded_library.h).
std::string rtl_entry_text(const RtlSize& size);

// Digest of the text of all files, included ones too, of parameters, versions and flags.
std::string rtl_key(const RtlSize& size, const RtlToolchain& tools, const RtlLocations& where);

// A file from the root and its digest when this program was built (source_digests.cmake); by path.
struct SourceDigest {
  std::string_view path;
  std::string_view sha256;
};
std::span<const SourceDigest> source_digests();

// Names in quotes behind `directive`, "#include" or "`include".
std::vector<std::string> included_names(std::string_view text, std::string_view directive);

}  // namespace fredsim
