// SPDX-License-Identifier: Apache-2.0
// A part of a configuration as YAML in one line, as `--set KEY=VALUE` takes it.
//
// Errors: none.
#pragma once

#include <string>

#include "base/config_tree.h"

namespace fredsim {

// "16 KiB", "[mp, pp]", "{below: 4, uplinks: 2}"; texts that YAML would take for something else are
// in double quotes. Nothing: "".
std::string yaml_value(const ConfigNode& node);

}  // namespace fredsim
