// SPDX-License-Identifier: Apache-2.0
// Files of other tools as machines, for tests.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "import/import_format.h"
#include "topology/topology.h"

namespace fredsim {

const ImportFormat& format_called(std::string_view name);

// Machine file of a text; BadInput of the format.
ImportResult imported(std::string_view format, const std::string& text,
                      const ImportOptions& options = {});
// Topology that a machine file builds.
Topology built(const std::string& machine_text);
// Message with which a text is refused; empty: it is not. The file is "file".
std::string refusal(std::string_view format, const std::string& text);

// Links "gpu0 nvswitch0 450 GB/s", in one direction, on a die left out, with their number in front
// if they are several.
std::multiset<std::string> links_of(const Topology& topology);
// Reason of a note whose keys are or contain `key`; empty: there is none.
std::string note_of(const ImportResult& result, std::string_view key);

std::string example_text(const std::string& file);  // of configs/systems/files

}  // namespace fredsim
