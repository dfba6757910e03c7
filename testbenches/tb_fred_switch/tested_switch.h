// A switch under test: Fred_m(P), or a reducing crossbar of as many ports. All but their interconnects is the same
// (rtl/phased/phased_switch.sv), and so are the tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "phase.h"
#include "switch/fred/fred_shape.h"
#include "switch/switch_kind.h"

namespace fredsim::tb {

struct TestedSwitch : FredShape {
  // In place of the middle sub-networks: a reducing crossbar has none.
  static constexpr int kCrossbar = 0;

  TestedSwitch() = default;
  TestedSwitch(int ports, int middle) { fred = {ports, middle}; }

  bool is_crossbar() const { return fred.middle == kCrossbar; }
  // Whether online unicasts that want different outputs never are in each other's way.
  bool routes_every_matching() const { return fred.middle != 2; }
  const SwitchKind& kind() const;
  operator SwitchShape() const;  // NOLINT(google-explicit-constructor): as that of FredShape
  std::string name() const;      // "P4M3", "P4_crossbar"

  // Register stages of the interconnect, those of them that keep configuration, and edges from a change of phase until
  // nothing of its configuration moves.
  int stages() const;
  int config_stages() const;
  int config_edges() const;

  int row_words() const;
  RoutedFlows route(std::span<const Flow> flows) const { return kind().route_flows(*this, flows); }
  // A phase of flows that do not conflict, and its row in the phase store.
  Phase phase(int vc, std::vector<Flow> flows) const;
  std::vector<std::uint32_t> row(const Phase& phase) const;
};

}  // namespace fredsim::tb
