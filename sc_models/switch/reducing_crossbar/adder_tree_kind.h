// SPDX-License-Identifier: Apache-2.0
// Common part of the kinds whose interconnect is a reducing crossbar, an adder tree at every output
// (rtl/reducing_crossbar/reducing_crossbar_datapath.sv): all but their routing of unicasts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switch/phased/phased_kind.h"

namespace fredsim {

class AdderTreeKind : public PhasedKind {
 public:
  using PhasedKind::PhasedKind;

  PhasedNetwork network(const SwitchShape& shape) const override;
  // Every output has a tree of its own, so disjoint flows never conflict.
  RoutedFlows route_flows(const SwitchShape& shape, std::span<const Flow> flows) const override;
  std::string describe_conflict(const SwitchShape& shape, const ConflictingFlows& conflict,
                                std::span<const std::string> names) const override;
  std::vector<NamedValue> parts(const SwitchShape& shape) const override;

 protected:
  // Value of the shape register.
  virtual std::uint32_t shape_register(const SwitchShape& shape) const = 0;
};

}  // namespace fredsim
