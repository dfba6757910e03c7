// SPDX-License-Identifier: Apache-2.0
#include "tested_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace fredsim::tb {

const SwitchKind& TestedSwitch::kind() const {
  if (is_mesh()) return switch_kind("mesh_reducing");
  return switch_kind(is_fred() ? "fred" : adders() != 0 ? "aggregator" : "reducing_crossbar");
}

TestedSwitch::operator SwitchShape() const {
  if (is_fred()) return FredShape::operator SwitchShape();
  std::vector<NamedValue> given = values();
  given.insert(given.end(),
               {{"P", fred.ports}, {"NUM_LOCAL", local_ports()}, {"NUM_IO", io_ports()}});
  if (adders() != 0) given.push_back({"ADDERS", adders()});
  return kind().shape(given);
}

std::string TestedSwitch::name() const {
  if (is_fred()) return fmt::format("P{}M{}", fred.ports, fred.middle);
  return fmt::format("P{}_{}", fred.ports,
                     is_mesh()       ? "mesh"
                     : adders() != 0 ? "aggregator"
                                     : "crossbar");
}

std::uint32_t TestedSwitch::shape_register() const {
  if (is_mesh()) return static_cast<std::uint32_t>(local_ports() | io_ports() << 8);
  return static_cast<std::uint32_t>(fred.ports | (is_fred() ? fred.middle : adders()) << 8);
}

// A crossbar: the choice of inputs, then the levels of a tree. An aggregator: two past the adders;
// a sum takes a cycle per operand, and three more.
int TestedSwitch::stages(int inputs) const {
  if (is_fred()) return fred_stages(fred.ports, adder_stages);
  if (adders() == 0) return 1 + std::bit_width(static_cast<unsigned>(fred.ports - 1));
  return inputs > 1 ? inputs + 3 : 2;
}

int TestedSwitch::config_stages() const { return is_fred() ? stages() : 1; }

int TestedSwitch::config_edges() const { return is_fred() ? stages() + 2 : 2; }

// A mesh router: no U-turn (north, east, south, west), and to the NPU by the local port that
// mirrors the input.
bool TestedSwitch::has_path(int input, int output) const {
  if (!is_mesh()) return true;
  if (output < 4) return input != output;
  if (output >= 4 + local_ports()) return true;
  return (input < 4 ? input : input - 4) % local_ports() == output - 4;
}

std::uint16_t TestedSwitch::destination(int output, int n) const {
  if (!is_mesh()) return static_cast<std::uint16_t>(output + ports() * n);
  const auto address = [](int x, int y, int endpoint) {
    return static_cast<std::uint16_t>(x | y << 6 | endpoint << 12);
  };
  switch (output) {
    case 0:  // y - 1 is north; along x first
      return address(kColumn, kRow - 1 - n, n);
    case 1:
      return address(kColumn + 1 + n, kRow - 4 + n, n);
    case 2:
      return address(kColumn, kRow + 1 + n, n);
    case 3:
      return address(kColumn - 1 - n, kRow + 4 - n, n);
    default:
      return address(kColumn, kRow, std::max(0, output - 4 - local_ports() + 1));
  }
}

int TestedSwitch::row_words() const { return static_cast<int>(row(phase(kDp, {{1, 1}})).size()); }

Phase TestedSwitch::phase(int vc, std::vector<Flow> flows) const {
  Phase made{.vc = vc, .flows = std::move(flows), .route = {}};
  made.route = route(made.flows);
  if (!made.route.routed) throw std::logic_error("a phase whose flows conflict");
  return made;
}

std::vector<std::uint32_t> TestedSwitch::row(const Phase& phase) const {
  return kind().phase_row(*this, phase.vc, phase.flows, phase.route);
}

}  // namespace fredsim::tb
