// SPDX-License-Identifier: Apache-2.0
// JSON schemas of machines, generated from the keys of machine files (config/config_schema.h), with
// the type of each key where it is known: words, numbers, a quantity with its unit.
//
// Rules that a schema cannot express (matching sizes, ports of a switch, component names) are
// checked when a machine is read.
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
