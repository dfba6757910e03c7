// SPDX-License-Identifier: Apache-2.0
// Energy rows: the energy of a flit in a switch of each kind and size, measured on gate level. The
// data is in sc_models/energy/rows.json, made by `scripts/synth.sh --energy --rows FILE` and
// embedded by the build.
//
// Units: pJ at 14 to 16 nm, the middle of the range; flits of all 256 lanes, whatever a run
// carries.
// Ports between two rows of a kind: linear interpolation; beyond the last row: linear extrapolation
// from the last two, up to half as many ports again.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_value.h"
#include "topology/topology.h"

namespace fredsim {

struct EnergyRow {
  std::string kind;
  int ports = 0;
  std::vector<NamedValue> parameters{};  // parameters of the row's switch, besides its ports
  double unicast_pj = 0;                 // flit of a unicast
  double clock_pj = 0;                   // registers of the interconnect, per cycle
  // Energy of a flow of k inputs and j outputs: flow + (k - 1) addition + (j - 1) copy. No value
  // for kinds that do not add.
  double flow_pj = 0, addition_pj = 0, copy_pj = 0;
  // Energy of the gated clocks that each of these events opens, in a row with gated registers. It
  // is part of the clock.
  double unicast_load_pj = 0, flow_load_pj = 0, addition_load_pj = 0, copy_load_pj = 0;
  bool adds = false;
  int operand_memories =
      0;  // memories inside the interconnect that each flit of a sum is written to and read from
};

struct EnergyRows {
  int flit_bits = 0;
  // Defaults of the keys `energy.*` of machine files.
  double memory_read_pj_per_bit = 0, memory_write_pj_per_bit = 0, link_pj_per_bit = 0;
  std::vector<EnergyRow> rows;
};

// Rows that the build has embedded.
const EnergyRows& energy_rows();
// Parses the text of a file of energy rows. Throws nlohmann::json::exception for any other text.
EnergyRows parse_energy_rows(std::string_view text);

// A row, or the reason why there is none.
struct FoundRow {
  EnergyRow row{};
  std::string missing{};  // "switches of the kind toy have no energy row"; empty: there is one
};
FoundRow find_energy_row(const EnergyRows& rows, const Topology& topology, const Node& node);

}  // namespace fredsim
