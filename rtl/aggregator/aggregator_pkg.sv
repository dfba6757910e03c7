// SPDX-License-Identifier: Apache-2.0
// Constants of the aggregator: identity, register stages, queue depths, rows of its phase store.
//
// Single source: C++ takes the constants, and the functions at every size, from
//   <rtl/aggregator_pkg.h>, which is generated from this file (sc_models/base/rtl_packages.cmake).
// Use: always qualified (aggregator_pkg::X).
// Rows of the phase store: valid, virtual channel, flow of every input and output port as in
//   phased_pkg, and no further fields: the operands of a sum follow from the flows.
package aggregator_pkg;

  localparam bit [31:0] AGGREGATOR_ID = 32'hA662_0001;

  // Register stages that hold configuration: only the first.
  localparam int unsigned CONFIG_STAGES = 1;

  // Register stages of the bypass past the adders.
  localparam int unsigned BYPASS_STAGES = 2;

  // Edges from the assignment of a flit to an adder to the edge that samples the sum behind the
  // interconnect, in addition to one edge per operand.
  localparam int unsigned SUM_EDGES = 4;

  // Max flits per flow that have fired and have no adder yet.
  localparam int unsigned MAX_WAITING = 3;

  // Depth of an operand FIFO: flits that wait for an adder, and flits whose adder has not reached
  // this input yet.
  function automatic int unsigned operand_depth(input int unsigned ports, input int unsigned adders);
    operand_depth = MAX_WAITING + ((adders < ports - 1) ? adders : ports - 1);
  endfunction

  // Words of a phase store row, and rows that fit in the store.
  function automatic int unsigned row_words(input int unsigned ports);
    row_words = phased_pkg::words_of(phased_pkg::row_config_lsb(ports));
  endfunction

  function automatic int unsigned num_phases(input int unsigned ports);
    num_phases = phased_pkg::phases_of(phased_pkg::row_config_lsb(ports), 1);
  endfunction

endpackage
