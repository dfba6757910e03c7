// SPDX-License-Identifier: Apache-2.0
// JSON schemas of machines, made from the keys of machine files (config/config_schema.h), with what
// a key takes where that is known: words, numbers, a quantity with its unit.
//
// Rules that a schema cannot express (sizes that fit together, ports of a switch, names of parts)
// are checked when a machine is read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fredsim {

// Schema of machine files, for editors: draft-07. Keys with a default may be left out.
nlohmann::ordered_json machine_file_schema();

// Schema of the machine in results, which has every key of its fabric type; its keywords are the
// same in draft 2020-12.
nlohmann::ordered_json machine_in_results_schema();

// The keys of machine files as a page in Markdown.
std::string machine_reference();

}  // namespace fredsim
