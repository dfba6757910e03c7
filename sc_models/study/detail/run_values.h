// SPDX-License-Identifier: Apache-2.0
// Scalar values of a file of results, as a row of a table: numbers, flags and texts of its run;
// values of nested objects are prefixed with the key of the object and a dot
// ("traffic.link_bytes").
//
// Names and order come from the tables of fields (results/fields). Left out: keys of every file,
// the machine, statistics of the simulation itself (wall_s and skipped cycles), lists, links and
// switches, null. A file of several runs has only the values beside its runs.
// Errors: BadInput naming `path`, if the file does not match its table.
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
