// SPDX-License-Identifier: Apache-2.0
// A first machine file of a kind of topology, for `fredsim new`: YAML that runs, with a comment
// above every key.
//
// Comments are the schema's (config_schema.h): meaning, then the values or units that the reader
// allows, then the default. A line "#key: value" is a key at its default, which works once its # is
// gone; a comment has a blank behind its #.
// Errors: BadInput if the kind has no example, or none with this number of NPUs, with the allowed
//   numbers and the nearest one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "topology/topology_kind.h"

namespace fredsim {

// `npus`: number of NPUs; none: the kind's usual one. `configs`: folder of the machine files that
// come with the program.
std::string new_machine_file(const TopologyKind& kind, std::optional<int> npus,
                             const std::filesystem::path& configs);

}  // namespace fredsim
