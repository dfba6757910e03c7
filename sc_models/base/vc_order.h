// SPDX-License-Identifier: Apache-2.0
// The order of the virtual channels by priority: on links, in switches and in NICs (§5.4).
//
// One order for a machine, any of the 24 (switch.vc_order). The RTL takes it as a number, its parameter VC_ORDER
// (rtl/common/noc_pkg.sv).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/flit.h"

namespace fredsim {

using VcOrder = std::array<int, kNumVcs>;  // highest first

// The order for a number as the RTL has it. No order where is_vc_order() says so.
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

// Every VC once.
constexpr bool is_vc_order(const VcOrder& order) {
  std::uint32_t found = 0;
  for (const int vc : order) found |= 1U << vc;
  return found == ~(~0U << kNumVcs);
}

inline constexpr VcOrder kDefaultVcOrder = vc_order_of(noc_pkg::DEFAULT_VC_ORDER);

// 0 is the highest priority.
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
