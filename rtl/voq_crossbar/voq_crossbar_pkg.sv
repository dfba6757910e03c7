// SPDX-License-Identifier: Apache-2.0
// Constants of the VOQ crossbar: identity, limits of iSLIP rounds and queues.
//
// Single source: C++ takes the constants, and the function at every size, from
//   <rtl/voq_crossbar_pkg.h>, which is generated from this file
//   (sc_models/base/rtl_packages.cmake).
// Use: always qualified (voq_crossbar_pkg::X).
package voq_crossbar_pkg;

  localparam bit [31:0] VOQ_CROSSBAR_ID = 32'hC0B0_0001;
  localparam int unsigned MAX_ITERATIONS = 4;

  // Virtual output queues of a switch: one for every input, virtual channel and output.
  function automatic int unsigned queues(input int unsigned ports);
    queues = ports * noc_pkg::NUM_VCS * ports;
  endfunction

endpackage
