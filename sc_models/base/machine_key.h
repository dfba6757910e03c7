// SPDX-License-Identifier: Apache-2.0
// A key of a machine file and the value that a machine has for it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace fredsim {

struct MachineKey {
  std::string path;  // "fabric.levels.2.uplinks": entries of a list are numbered from 1
  // Text as written, with its unit; or a list of texts.
  std::variant<std::string, std::int64_t, bool, std::vector<std::string>> value;
};

}  // namespace fredsim
