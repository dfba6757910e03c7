// SPDX-License-Identifier: Apache-2.0
// Constants of the switches with a phase store: the part of a row that all kinds share.
//
// Single source: C++ takes the constants, and the functions at every size, from <rtl/phased_pkg.h>,
//   which is generated from this file (sc_models/base/rtl_packages.cmake).
// Use: always qualified (phased_pkg::X).
// Shapes: 2 to 32 ports.
package phased_pkg;

  // Width of an output port index.
  localparam int unsigned OUT_W = 5;

  // ---- Phase store: one row per phase -----------------------------------------------------------
  // Bits: [0] valid, [2:1] vc, flow of every input port, flow of every output port, then the
  // configuration of the interconnect. The flow of a port is flow_w bits: 0 = none, f + 1 = flow f.
  localparam int unsigned ROW_VALID_BIT = 0;
  localparam int unsigned ROW_VC_LSB = 1;
  localparam int unsigned ROW_FLOWS_LSB = 3;
  localparam int unsigned PHASE_STORE_WORDS = 384;  // 1.5 KB (§6.2.3), for each phase in use
  localparam int unsigned MAX_PHASES = 255;         // PHASE_ONLINE is not a row

  function automatic int unsigned flow_w(input int unsigned ports);
    flow_w = $clog2(ports + 1);
  endfunction

  function automatic int unsigned row_in_flow_lsb(input int unsigned ports, input int unsigned port);
    row_in_flow_lsb = ROW_FLOWS_LSB + port * flow_w(ports);
  endfunction

  function automatic int unsigned row_out_flow_lsb(input int unsigned ports, input int unsigned port);
    row_out_flow_lsb = ROW_FLOWS_LSB + (ports + port) * flow_w(ports);
  endfunction

  function automatic int unsigned row_config_lsb(input int unsigned ports);
    row_config_lsb = ROW_FLOWS_LSB + 2 * ports * flow_w(ports);
  endfunction

  // Words of a row of the given width, and number of such rows in the store.
  function automatic int unsigned words_of(input int unsigned bits);
    words_of = (bits + 31) / 32;
  endfunction

  function automatic int unsigned phases_of(input int unsigned bits, input int unsigned in_use);
    phases_of = in_use * PHASE_STORE_WORDS / words_of(bits);
    if (phases_of > MAX_PHASES) phases_of = MAX_PHASES;
  endfunction

endpackage
