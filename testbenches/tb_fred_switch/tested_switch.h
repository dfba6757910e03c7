// SPDX-License-Identifier: Apache-2.0
// Switch under test: Fred_m(P), or a reducing crossbar, an aggregator or a reducing mesh router
// with the same number of ports. Only their interconnects and routes differ
// (rtl/phased/phased_switch.sv), so they share the tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "phase.h"
#include "switch/fred/fred_shape.h"
#include "switch/switch_kind.h"

namespace fredsim::tb {

struct TestedSwitch : FredShape {
  // Codes in place of the number of middle sub-networks, which only a Fred_m(P) has. A mesh router
  // has 5 ports, one of them local, or 10, four local and two for I/O, as in the build.
  static constexpr int kCrossbar = 0, kAggregator = -1, kMesh = -2;

  int pool = 4;  // adders of an aggregator

  TestedSwitch() = default;
  TestedSwitch(int ports, int middle) {
    fred = {ports, middle};
    if (is_mesh()) buffers.data_flits = 80;
  }

  bool is_fred() const { return fred.middle >= 2; }
  bool is_mesh() const { return fred.middle == kMesh; }
  int adders() const { return fred.middle == kAggregator ? pool : 0; }  // adders that flows share
  // True if online unicasts to different outputs never block each other.
  bool routes_every_matching() const { return fred.middle != 2; }
  const SwitchKind& kind() const;
  operator SwitchShape() const;  // NOLINT(google-explicit-constructor): as that of FredShape
  std::string name() const;      // "P4M3", "P4_crossbar", "P4_aggregator"
  std::uint32_t shape_register() const;

  // Register stages of the interconnect, for a unicast and for the flits of a flow with the given
  // number of inputs; stages that hold configuration; edges from a phase change until its
  // configuration has settled.
  int stages() const { return stages(1); }
  int stages(int inputs) const;
  int config_stages() const;
  int config_edges() const;

  // Online unicasts: whether there is a path from an input to an output, and the destinations that
  // lead there, 0 ≤ n < kDestinations of them: by the table that the testbench writes, or by
  // coordinates from where it puts a mesh router.
  static constexpr int kDestinations = 8;
  static constexpr int kColumn = 20, kRow = 30;
  bool has_path(int input, int output) const;
  std::uint16_t destination(int output, int n) const;

  int row_words() const;
  RoutedFlows route(std::span<const Flow> flows) const { return kind().route_flows(*this, flows); }
  // A phase of flows that do not conflict, and its row in the phase store.
  Phase phase(int vc, std::vector<Flow> flows) const;
  std::vector<std::uint32_t> row(const Phase& phase) const;

 private:
  int io_ports() const { return fred.ports == 10 ? 2 : 0; }
  int local_ports() const { return fred.ports - 4 - io_ports(); }
};

}  // namespace fredsim::tb
