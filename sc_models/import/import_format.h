// SPDX-License-Identifier: Apache-2.0
// Formats of networks of other tools, which `fredsim import` turns into machine files.
//
// A format is one file, formats/<name>.cpp, with a function <name>_format(), and its name in
//   formats.cmake. No other code compares its name.
// Reading: everything in the file has an effect on the machine, or a note says that it has none, or
//   the file is refused. Values that a format does not have, such as bandwidths, come from
//   ImportOptions; where these have none either, from the format, with a note.
// Errors: BadInput with file and line, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "import/imported_machine.h"

namespace fredsim {

struct ImportOptions {
  std::optional<std::uint64_t> bandwidth{};   // bytes/s of a link for which the file has none
  std::optional<std::uint64_t> latency_ps{};  // likewise
  // True for patterns that `fredsim traffic` has.
  std::function<bool(std::string_view)> has_pattern = [](std::string_view) { return true; };
};

struct ImportFormat {
  std::string_view name;
  std::string_view aliases;  // other names, separated by blanks, for hints
  std::string_view reads;    // the files: "topology files of NCCL"
  ImportedMachine (*read)(const std::string& path, const ImportOptions& options);
};

std::span<const ImportFormat* const> import_formats();

// Reads and checks a file, and returns the text of the machine file, with `notes` for the caller.
struct ImportResult {
  std::string text;
  std::vector<ImportNote> notes;
};
ImportResult import_machine(const ImportFormat& format, const std::string& path,
                            const ImportOptions& options);

}  // namespace fredsim
