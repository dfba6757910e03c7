// SPDX-License-Identifier: Apache-2.0
// A decoded row of the phase store of a switch: the behaviour of its control unit and its
// interconnect under it (layout: routing/phase_row.h).
//
// Shapes: port masks have bit p for port p. `sums` has the contents of every output port under the
//   configuration of the interconnect. In a row made by SwitchKind::phase_row() they agree with the
//   flows; a row in which they do not keeps its words, for PhasedNetwork::carry.
// Cost: decoding allocates; done once per row that is used, not per cycle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "routing/flows.h"

namespace fredsim {

struct PhasedRow {
  struct Flow {
    std::uint32_t inputs = 0, outputs = 0;
    int code = 0;  // code in the row's port fields, 1 … P
    int adds = 0;  // additions counted per flit
  };
  struct Sum {
    std::uint32_t leaves = 0;   // input ports
    std::uint32_t outputs = 0;  // destinations of the result
    int first = 0;              // the input port whose header the result has
    std::vector<int> postfix;   // SumOrder's code over input ports; one leaf: just that port
  };
  bool valid = false;
  int vc = 0;
  std::uint32_t inputs = 0;  // ports that have a flow
  std::vector<Flow> flows;   // flows with an input port, by code
  std::vector<Sum> sums;
  std::vector<std::uint32_t> contradictory;  // the row itself, if it contradicts its flows
  // The row itself, if two phases can be in use, and its resources that no other row in use may
  // have, as masks (rtl/phased/phased_candidates.sv): input ports, output ports, codes of flows,
  // fields of the configuration.
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> use;
  std::array<std::uint8_t, 32> partner{};  // lowest input port with the same field
};

// PhasedRow::use of a row of `bits` bits, with configuration fields of `field_bits`.
std::vector<std::uint32_t> use_of_row(int ports, std::span<const std::uint32_t> words, int bits,
                                      int field_bits);

// Decodes all but `sums`.
PhasedRow decode_flows(int ports, std::span<const std::uint32_t> words);
// Decodes a row that consists of flows only: every output of a flow carries the sum of its inputs,
// added in the order given by `order`.
PhasedRow decode_sums(int ports, std::span<const std::uint32_t> words,
                      const std::function<SumOrder(std::uint32_t inputs)>& order);
// Adds an output that carries a sum; an empty sum is none.
void add_output(PhasedRow& row, const std::vector<int>& postfix, int output);

// Reads bit fields of a row, one after the other.
class RowFields {
 public:
  RowFields(std::span<const std::uint32_t> words, int first) : words_(words), at_(first) {}
  unsigned take(int width) {
    unsigned value = 0;
    for (int b = 0; b < width; ++b) {
      const auto bit = static_cast<std::size_t>(at_ + b);
      value |= (words_[bit / 32] >> (bit % 32) & 1U) << b;
    }
    at_ += width;
    return value;
  }

 private:
  std::span<const std::uint32_t> words_;
  int at_;
};

}  // namespace fredsim
