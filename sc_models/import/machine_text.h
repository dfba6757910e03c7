// SPDX-License-Identifier: Apache-2.0
// The machine file of an imported machine, as text.
//
// Head, as comments: the file that it comes from, facts, command lines, and the parts that have no
//   effect. Nodes whose names are a word and consecutive numbers from 0 are one entry with a count;
//   links of all of them to a node, to all nodes of another entry, or among each other, are one
//   entry if they are alike.
#pragma once

#include <string>
#include <string_view>

#include "import/imported_machine.h"

namespace fredsim {

std::string machine_text(const ImportedMachine& machine, std::string_view format,
                         const std::string& path);

// "50 GB/s", exact.
std::string bandwidth_text(std::uint64_t bytes_per_second);

}  // namespace fredsim
