// SPDX-License-Identifier: Apache-2.0
// Constants of the FRED switch: its part of the flit header, configuration layout, phase-store
// rows.
//
// Single source: C++ takes the constants, and the functions at every size, from <rtl/fred_pkg.h>,
//   which is generated from this file (sc_models/base/rtl_packages.cmake).
// Use: always qualified (fred_pkg::X). Functions are constant functions of elaboration-time
//   arguments, written as loops with fixed bounds so that Verilator and yosys evaluate them alike.
// Shapes: Fred_m(P), 2 <= P <= 32 ports, 2 <= m <= 4 middle sub-networks (paper §4).
package fred_pkg;

  localparam bit [31:0] FRED_ID = 32'hF2ED_0001;

  // ---- Flit -------------------------------------------------------------------------------------
  // Inside a fred_switch only, zero on every link: the path of an online unicast through the
  // interconnect, chosen by fred_online_paths and obeyed by the µSwitches in place of their
  // configuration.
  localparam int unsigned ONLINE_BIT = 82;  // the flit is an online unicast
  localparam int unsigned OUT_LSB = 83;     // output port, phased_pkg::OUT_W bits
  localparam int unsigned PATH_LSB = 88;    // sub-network per level, outermost first, 2 bits
  localparam int unsigned PATH_W = 8;

  // ---- Interconnect -----------------------------------------------------------------------------
  // Select code of one output of an R- or RD-µSwitch.
  localparam int unsigned USEL_W = 2;
  localparam bit [USEL_W-1:0] USEL_NONE = 2'd0;
  localparam bit [USEL_W-1:0] USEL_IN0 = 2'd1;
  localparam bit [USEL_W-1:0] USEL_IN1 = 2'd2;
  localparam bit [USEL_W-1:0] USEL_SUM = 2'd3;

  // Width of a code with 0 for nothing or 1 + n for one of m items: clog2(m + 1).
  function automatic int unsigned sel_w(input int unsigned m);
    sel_w = $clog2(m + 1);
  endfunction

  // Levels of Fred_m(ports) with middle sub-networks: 0 for two ports, at most 4.
  function automatic int unsigned levels(input int unsigned ports);
    int unsigned p;
    p = ports;
    levels = 0;
    for (int unsigned level = 0; level < 8; level = level + 1) begin
      if (p > 2) begin
        levels = levels + 1;
        p = (p + 1) / 2;
      end
    end
  endfunction

  // Levels of D-µSwitches per register stage: one, or three for adders with two stages. Three
  // multiplexers in a row are no longer than half an adder, and a switch has two stages more
  // instead of four.
  function automatic int unsigned d_levels(input int unsigned adder_stages);
    d_levels = (adder_stages == 1) ? 1 : 3;
  endfunction

  // Register stages of Fred_m(ports) with `level` levels around it: the stages of its adders and of
  // its D-levels; the last D-level may share a stage with the levels around it. The D-level of
  // level l has a register if l is a multiple of d_levels.
  function automatic int unsigned network_stages(input int unsigned ports, input int unsigned adder_stages,
                                                 input int unsigned level);
    int unsigned inner, per_stage;
    inner = levels(ports);
    per_stage = d_levels(adder_stages);
    network_stages = adder_stages * (inner + 1);
    if (inner > 0) begin
      network_stages = network_stages + (level + inner - 1) / per_stage - level / per_stage + 1;
    end
  endfunction

  // Register stages of Fred_m(ports), from its inputs to its outputs; adder_stages: stages of an
  // adder, 1 or 2.
  function automatic int unsigned stages(input int unsigned ports, input int unsigned adder_stages);
    stages = network_stages(ports, adder_stages, 0);
  endfunction

  // µSwitch configuration bits of Fred_m(ports).
  function automatic int unsigned config_bits(input int unsigned ports, input int unsigned m);
    int unsigned p;
    int unsigned networks;  // sub-networks at this level
    p = ports;
    networks = 1;
    config_bits = 0;
    for (int unsigned level = 0; level < 8; level = level + 1) begin
      if (p > 2) begin
        config_bits = config_bits +
                      networks * ((p / 2) * (USEL_W * m + 2 * sel_w(m)) + (p % 2) * 2 * sel_w(m));
        networks = networks * m;
        p = (p + 1) / 2;
      end
    end
    config_bits = config_bits + networks * 2 * USEL_W;
  endfunction

  // ---- Phase store: µSwitch bits behind what phased_pkg says ------------------------------------
  function automatic int unsigned row_bits(input int unsigned ports, input int unsigned m);
    row_bits = phased_pkg::row_config_lsb(ports) + config_bits(ports, m);
  endfunction

  function automatic int unsigned row_words(input int unsigned ports, input int unsigned m);
    row_words = phased_pkg::words_of(row_bits(ports, m));
  endfunction

  function automatic int unsigned num_phases(input int unsigned ports, input int unsigned m);
    num_phases = phased_pkg::phases_of(row_bits(ports, m), 1);
  endfunction

endpackage
