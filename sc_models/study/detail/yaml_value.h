// SPDX-License-Identifier: Apache-2.0
// YAML text of a part of a configuration, in one line, for `--set KEY=VALUE`.
//
// Errors: none.
#pragma once

#include <string>

#include "base/config_tree.h"

namespace fredsim {

// Text of a value: "16 KiB", "[mp, pp]", "{below: 4, uplinks: 2}"; texts that YAML would read as
// another type are in double quotes. No value: "".
std::string yaml_value(const ConfigNode& node);

}  // namespace fredsim
