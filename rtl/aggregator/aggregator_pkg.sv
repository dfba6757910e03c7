// SPDX-License-Identifier: Apache-2.0
// Constants of the aggregator: its identity, register stages, depths of its queues, rows of its phase store.
//
// The only place where these are written: C++ has them, and the functions at every size, from
//   <rtl/aggregator_pkg.h>, which is made from this file (sc_models/base/rtl_packages.cmake).
// Use: always qualified (aggregator_pkg::X).
// Rows of the phase store: valid, virtual channel, flow of every input and output port, as phased_pkg has them, and
//   nothing behind: what is added follows from the flows.
package aggregator_pkg;

  localparam bit [31:0] AGGREGATOR_ID = 32'hA662_0001;

  // Register stages that keep configuration: the first.
  localparam int unsigned CONFIG_STAGES = 1;

  // Registered stages of the path past the adders.
  localparam int unsigned BYPASS_STAGES = 2;

  // Edges from that at which an adder is given a flit to that which samples the sum behind the interconnect, beside one
  // for every operand.
  localparam int unsigned SUM_EDGES = 4;

  // Flits of a flow that have fired and that no adder has yet, at most.
  localparam int unsigned MAX_WAITING = 3;

  // Operands that an input holds: of flits that wait, and of flits whose adders have not come to this input.
  function automatic int unsigned operand_depth(input int unsigned ports, input int unsigned adders);
    operand_depth = MAX_WAITING + ((adders < ports - 1) ? adders : ports - 1);
  endfunction

  // Words of a row of the phase store, and rows that fit in it.
  function automatic int unsigned row_words(input int unsigned ports);
    row_words = phased_pkg::words_of(phased_pkg::row_config_lsb(ports));
  endfunction

  function automatic int unsigned num_phases(input int unsigned ports);
    num_phases = phased_pkg::phases_of(phased_pkg::row_config_lsb(ports), 1);
  endfunction

endpackage
