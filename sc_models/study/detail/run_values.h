// SPDX-License-Identifier: Apache-2.0
// Single values of a file of results, for a row of a table: numbers, flags and texts of its run,
// those of objects in it with the key of the object and a dot in front ("traffic.link_bytes").
//
// By the tables of fields (results/fields), which say the order too. Left out: keys of every file,
// the machine, how the simulation went (wall_s and what was skipped), lists, links and switches,
// null. A file of several runs has no values but those beside them.
// Errors: BadInput naming `path`, where the file is not as its table says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/fields/field.h"

namespace fredsim {

// Names of all values that a file of this kind (report/fields/all.h) may have.
std::vector<std::string> run_value_names(const fields::Object& document);

nlohmann::ordered_json run_values(const fields::Object& document,
                                  const nlohmann::ordered_json& json, const std::string& path);

}  // namespace fredsim
