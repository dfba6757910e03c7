// SPDX-License-Identifier: Apache-2.0
// Shape of a switch: its kind, the values of its parameters, and the owner of its RTL. Two equal
// shapes are one Verilated class.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/named_value.h"

namespace fredsim {

class SwitchKind;

struct SwitchShape {
  const SwitchKind* kind = nullptr;
  std::vector<int> values;  // values of the kind's parameters, in their order
  std::string rtl_top{};    // top module of a user's own RTL with the same ports; empty: the kind's
  std::vector<NamedValue> own_values{};  // parameters that only the user's RTL has, by name

  int ports() const;
  int lanes() const { return value("LANES"); }  // a parameter of every kind
  int value(std::string_view parameter) const;  // value of a parameter that the kind has
  friend bool operator==(const SwitchShape&, const SwitchShape&) = default;
};

}  // namespace fredsim
