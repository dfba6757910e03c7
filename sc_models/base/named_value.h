// SPDX-License-Identifier: Apache-2.0
// A parameter of a module and its value: P = 4.
#pragma once

#include <string>

namespace fredsim {

struct NamedValue {
  std::string name;
  int value = 0;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

}  // namespace fredsim
