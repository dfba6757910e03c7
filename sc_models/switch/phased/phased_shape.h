// SPDX-License-Identifier: Apache-2.0
// A switch with a phase store (rtl/phased/phased_switch.sv): the parameters common to all its
// kinds, and the properties of the interconnect that follow from the other parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fp.h"
#include "base/named_value.h"
#include "base/vc_order.h"
#include "switch/phased/phased_row.h"
#include "switch/switch_shape.h"
#include "topology/topology.h"

namespace fredsim {

struct PhasedShape {
  int lanes = 1;
  BufferShape buffers{};
  FpFormat format = FpFormat::kFp16;
  int packet_flits = kPacketFlits;
  int yield = 4, quantum = 64;  // cycles of silence, and of being busy, until a phase yields
  int phases_in_use = 1;        // 1 if the kind has no such parameter
  int adder_stages = 1;         // 1 if the kind has no such parameter
  VcOrder vc_order = kDefaultVcOrder;
  std::string rtl_top{};  // see SwitchShape

  PhasedShape() = default;
  explicit PhasedShape(const SwitchShape& shape);
  // Parameters of the RTL, without rtl_top.
  std::vector<NamedValue> values() const;
};

int phases_in_use_of(const SwitchShape& shape);
int adder_stages_of(const SwitchShape& shape);

class PhasedInterconnect;

// Output of an interconnect for flits that enter together: a flit of the phase, a unicast, or none.
struct PhasedCarried {
  std::vector<int> postfix;  // see PhasedRow::Sum
  bool online = false;
};
// A unicast among the flits that enter together.
struct PhasedUnicast {
  int input = 0, output = 0;
};

// Properties of the interconnect.
struct PhasedNetwork {
  int ports = 0;
  int stages = 0;  // register stages from its inputs to its outputs, for flits that do not wait
  int config_stages = 0;  // leading stages that keep configuration
  int config_edges = 0;   // edges from a change of phase until its configuration has settled
  int row_words = 0, num_phases = 0;        // phase store: words of a row; rows
  int row_bits = 0, config_field_bits = 1;  // bits of a row, if two phases can be in use
  int apart_levels = 0;             // levels at which online unicasts must be kept apart; 0: none
  std::uint32_t id = 0, shape = 0;  // values of the registers of these names
  std::function<PhasedRow(std::span<const std::uint32_t>)> decode;  // decodes a row
  // Outputs, by port, of the phase's flits at `inputs` and of unicasts beside them, under a row
  // that contradicts its flows; empty: there are none. `outputs`: outputs of these inputs' flows.
  std::function<std::vector<PhasedCarried>(const PhasedRow& row, std::uint32_t inputs,
                                           std::uint32_t outputs,
                                           std::span<const PhasedUnicast> unicasts)>
      carry{};
  // Makes an interconnect in which flits wait; empty: all take `stages` edges.
  std::function<std::unique_ptr<PhasedInterconnect>()> make_interconnect{};
};

}  // namespace fredsim
