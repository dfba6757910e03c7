// SPDX-License-Identifier: Apache-2.0
// Multiplexer (M x 1) without an output register: one output of a D-µSwitch that shares its
// register stage with the levels around it, for switch.adder_stages 2.
//
// Function: as fred_port_mux for configuration, online unicasts, collisions, loading and reset; the
//   output follows the inputs in the same cycle, so there is no clock enable.
module fred_port_select #(
  /// Number of inputs.
  parameter int unsigned M = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Levels of middle sub-networks around this one.
  parameter int unsigned LEVEL = 0,
  /// Side of this output at its D-µSwitch, 0 or 1.
  parameter bit SIDE = 1'b0,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Configuration width in bits, derived.
  localparam int unsigned SEL_W = fred_pkg::sel_w(M)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                load_i,
  input  logic [SEL_W-1:0]    config_i,
  input  logic [M-1:0]        in_valid_i,
  input  logic [M*FLIT_W-1:0] in_flit_i,
  output logic                out_valid_o,
  output logic [FLIT_W-1:0]   out_flit_o
);
  logic [SEL_W-1:0] config_q;
  logic [M-1:0]     take;  // a flit of input j passes

  always_ff @(posedge clk_i) begin : configuration
    if (load_i) config_q <= rst_ni ? config_i : '0;
  end

  for (genvar j = 0; j < M; j = j + 1) begin : gen_input
    logic [FLIT_W-1:0] flit;
    assign flit = in_flit_i[j*FLIT_W +: FLIT_W];
    assign take[j] = in_valid_i[j] && (flit[fred_pkg::ONLINE_BIT] ? flit[fred_pkg::OUT_LSB+LEVEL] == SIDE
                                                                  : config_q == SEL_W'(j + 1));
  end

  // The highest input wins.
  always_comb begin : select
    out_flit_o = in_flit_i[FLIT_W-1:0];
    for (int unsigned j = 1; j < M; j = j + 1) begin
      if (take[j]) out_flit_o = in_flit_i[j*FLIT_W +: FLIT_W];
    end
  end
  assign out_valid_o = take != '0;
endmodule
