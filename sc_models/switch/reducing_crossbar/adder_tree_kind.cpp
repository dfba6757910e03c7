// SPDX-License-Identifier: Apache-2.0
#include "switch/reducing_crossbar/adder_tree_kind.h"

#include <stdexcept>

#include "rtl/reducing_crossbar_pkg.h"

namespace fredsim {
PhasedNetwork AdderTreeKind::network(const SwitchShape& shape) const {
  const int ports = shape.ports();
  return {.ports = ports,
          .stages = static_cast<int>(reducing_crossbar_pkg::stages(ports)),
          .config_stages = reducing_crossbar_pkg::CONFIG_STAGES,
          .config_edges = 2,
          .row_words = static_cast<int>(reducing_crossbar_pkg::row_words(ports)),
          .num_phases = static_cast<int>(reducing_crossbar_pkg::num_phases(ports)),
          .apart_levels = 0,
          .id = identity(),
          .shape = shape_register(shape),
          .decode = [ports](std::span<const std::uint32_t> row) {
            return decode_sums(
                ports, row, [ports](std::uint32_t inputs) { return balanced_sum(ports, inputs); });
          }};
}

RoutedFlows AdderTreeKind::route_flows(const SwitchShape& shape,
                                       std::span<const Flow> flows) const {
  const int ports = shape.ports();
  check_flows(ports, flows);
  RoutedFlows routed{.routed = true};
  for (const Flow& flow : flows) routed.order.push_back(balanced_sum(ports, flow.inputs));
  return routed;
}

std::string AdderTreeKind::describe_conflict(const SwitchShape& /*shape*/,
                                             const ConflictingFlows& /*conflict*/,
                                             std::span<const std::string> /*names*/) const {
  throw std::logic_error("flows do not conflict in a switch with an adder tree at every output");
}

std::vector<NamedValue> AdderTreeKind::parts(const SwitchShape& shape) const {
  const int ports = shape.ports();
  return {{"trees", ports}, {"adders", ports * (ports - 1)}};
}

}  // namespace fredsim
