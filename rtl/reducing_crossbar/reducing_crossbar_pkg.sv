// SPDX-License-Identifier: Apache-2.0
// Constants of the reducing crossbar: identity, register stages, rows of its phase store.
//
// Single source: C++ takes the constants, and the functions at every size, from
//   <rtl/reducing_crossbar_pkg.h>, which is generated from this file
//   (sc_models/base/rtl_packages.cmake).
// Use: always qualified (reducing_crossbar_pkg::X).
// Rows of the phase store: valid, virtual channel, flow of every input and output port as in
//   phased_pkg, and no further fields: the inputs that an output adds follow from the flows.
package reducing_crossbar_pkg;

  localparam bit [31:0] REDUCING_CROSSBAR_ID = 32'h2EDC_0001;

  // Register stages that hold configuration: only the first.
  localparam int unsigned CONFIG_STAGES = 1;

  // Register stages of a crossbar: the selection of inputs, then the levels of the adder trees.
  function automatic int unsigned stages(input int unsigned ports);
    stages = 1 + $clog2(ports);
  endfunction

  // Words of a phase store row, and rows that fit in the store.
  function automatic int unsigned row_words(input int unsigned ports);
    row_words = phased_pkg::words_of(phased_pkg::row_config_lsb(ports));
  endfunction

  function automatic int unsigned num_phases(input int unsigned ports);
    num_phases = phased_pkg::phases_of(phased_pkg::row_config_lsb(ports), 1);
  endfunction

endpackage
