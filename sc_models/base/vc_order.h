// SPDX-License-Identifier: Apache-2.0
// Priority order of the virtual channels: on links, in switches and in NICs (§5.4).
//
// A machine has one order, any of the 24 (switch.vc_order). The RTL takes it as a number, its
// parameter VC_ORDER (rtl/common/noc_pkg.sv).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/flit.h"

namespace fredsim {

using VcOrder = std::array<int, kNumVcs>;  // highest first

// The order with a number as in the RTL. The result may be no order; is_vc_order() checks it.
constexpr VcOrder vc_order_of(int number) {
  VcOrder order{};
  auto rest = static_cast<std::uint32_t>(number);
  for (int& vc : order) {
    vc = static_cast<int>(rest & ~(~0U << noc_pkg::VC_W));
    rest >>= noc_pkg::VC_W;
  }
  return order;
}

constexpr int number_of(const VcOrder& order) {
  std::uint32_t number = 0;
  for (std::size_t rank = order.size(); rank-- > 0;)
    number = number << noc_pkg::VC_W | static_cast<std::uint32_t>(order[rank]);
  return static_cast<int>(number);
}

// Returns true if every VC occurs once.
constexpr bool is_vc_order(const VcOrder& order) {
  std::uint32_t found = 0;
  for (const int vc : order) found |= 1U << vc;
  return found == ~(~0U << kNumVcs);
}

inline constexpr VcOrder kDefaultVcOrder = vc_order_of(noc_pkg::DEFAULT_VC_ORDER);

// Priority of a VC; 0 is the highest.
constexpr int priority_rank(const VcOrder& order, int vc) {
  return static_cast<int>(std::ranges::find(order, vc) - order.begin());
}

// "control, mp, pp, dp"
inline std::string to_string(const VcOrder& order) {
  std::string text;
  for (const int vc : order) {
    if (!text.empty()) text += ", ";
    text += kVcNames[static_cast<std::size_t>(vc)];
  }
  return text;
}

}  // namespace fredsim
