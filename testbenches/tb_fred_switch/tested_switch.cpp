#include "tested_switch.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>
#include <utility>

namespace fredsim::tb {

const SwitchKind& TestedSwitch::kind() const {
  return switch_kind(is_crossbar() ? "reducing_crossbar" : "fred");
}

TestedSwitch::operator SwitchShape() const {
  if (!is_crossbar()) return FredShape::operator SwitchShape();
  std::vector<NamedValue> given = values();
  given.push_back({"P", fred.ports});
  return kind().shape(given);
}

std::string TestedSwitch::name() const {
  return is_crossbar() ? fmt::format("P{}_crossbar", fred.ports)
                       : fmt::format("P{}M{}", fred.ports, fred.middle);
}

// A crossbar: the choice of inputs, then the levels of a tree.
int TestedSwitch::stages() const {
  return is_crossbar() ? 1 + std::bit_width(static_cast<unsigned>(fred.ports - 1))
                       : fred_stages(fred.ports);
}

int TestedSwitch::config_stages() const { return is_crossbar() ? 1 : stages(); }

int TestedSwitch::config_edges() const { return is_crossbar() ? 2 : stages() + 2; }

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
