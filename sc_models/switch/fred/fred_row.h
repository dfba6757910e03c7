// A row of the phase store of a fred_switch, decoded: what the control unit and the µSwitches do under
// it (rtl/fred/fred_phase_store.sv has the layout, rtl/fred/fred_network.sv the wiring).
//
// Shapes: port masks have bit p for port p. `sums` says what every output port carries, whatever the
//   flow table says; in a row made by phase_row() the two agree.
// Cost: decoding walks all µSwitches and allocates; done once per row that is used, not per cycle.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {

struct FredRow {
  struct Flow {
    std::uint32_t inputs = 0, outputs = 0;
    int code = 0;  // in the row's port fields; 1 … P are flows the control unit runs
    int adds = 0;  // additions per flit that it counts
  };
  struct Sum {
    std::uint32_t leaves = 0;   // input ports
    std::uint32_t outputs = 0;  // where the result goes
    int first = 0;              // the input port whose header the result has
    std::vector<int> postfix;   // SumOrder's code over input ports; one leaf: just that port
  };
  bool valid = false;
  int vc = 0;
  std::uint32_t inputs = 0;  // ports that have a flow
  std::vector<Flow> flows;   // those with an input port, by code
  std::vector<Sum> sums;
  std::array<std::uint8_t, 32> partner{};  // lowest input port with the same field
};

// `words`: row_words of the store.
FredRow decode_row(const FredSwitchShape& shape, std::span<const std::uint32_t> words);

}  // namespace fredsim
