// SPDX-License-Identifier: Apache-2.0
// JSON Schema (draft 2020-12) of the files of results, generated from their tables.
//
// A definition per kind of file ("run", "own", "traffic", "training", "conflicts", "strategies",
// "route") and per object in it. No file has any other key. "own" is the file of a
// testbench with NPUs of its own: the definitions with "own_" in front allow null where something
// does not apply to it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "results/fields/field.h"

namespace fredsim {

// `machine`: the schema of the machine in a run (config/machine_schema.h). `documents`: a table per
// kind of file (report/fields/all.h).
nlohmann::ordered_json results_schema(const nlohmann::ordered_json& machine,
                                      std::span<const fields::Object* const> documents);

}  // namespace fredsim
