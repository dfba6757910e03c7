// A key of a machine file and the value that a machine has for it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace fredsim {

struct MachineKey {
  std::string path;  // "fabric.levels.2.uplinks": entries of a list are numbered from 1
  std::variant<std::string, std::int64_t, bool> value;  // text as written, with its unit
};

}  // namespace fredsim
