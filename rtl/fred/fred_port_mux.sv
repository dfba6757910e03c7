// SPDX-License-Identifier: Apache-2.0
// Registered multiplexer (M x 1): one output of a D-µSwitch, or the odd last output port of
// Fred_m(P).
//
// Function: the output follows the input named by the configuration: 0 = nothing, j + 1 = input j;
//   codes above M name nothing. An online unicast at any input passes if it is for this output: bit
//   LEVEL of its output port equals SIDE; otherwise it is for the other output of the D-µSwitch. If
//   several flits pass, the one of the highest input leaves and all remaining ones are lost.
// Timing, clock enable, loading, reset: as fred_r_uswitch.sv.
module fred_port_mux #(
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
  input  logic                step_i,
  input  logic                load_i,
  input  logic [SEL_W-1:0]    config_i,
  input  logic [M-1:0]        in_valid_i,
  input  logic [M*FLIT_W-1:0] in_flit_i,
  output logic                out_valid_o,
  output logic [FLIT_W-1:0]   out_flit_o
);
  logic [SEL_W-1:0]    config_q;
  logic [2:0]          code;  // config_q, extended to the code width of the largest M
  logic                valid_q;
  logic [FLIT_W-1:0]   flit_q;
  // One wire per input, up to the largest M: constant selects of a vector that is only wiring cost
  // a simulator nothing, a vector read in a process does.
  logic [3:0]          in_valid, take;
  logic [4*FLIT_W-1:0] in_flit;
  logic [FLIT_W-1:0]   flit_0, flit_1, flit_2, flit_3;

  assign code = 3'(config_q);
  assign in_valid = 4'(in_valid_i);
  assign in_flit = (4 * FLIT_W)'(in_flit_i);
  assign flit_0 = in_flit[0*FLIT_W +: FLIT_W];
  assign flit_1 = in_flit[1*FLIT_W +: FLIT_W];
  assign flit_2 = in_flit[2*FLIT_W +: FLIT_W];
  assign flit_3 = in_flit[3*FLIT_W +: FLIT_W];

  // High if a flit of input j passes.
  always_comb begin : taken
    take = '0;
    if (in_valid_i != '0) begin
      take[0] = in_valid[0] && (flit_0[fred_pkg::ONLINE_BIT] ? flit_0[fred_pkg::OUT_LSB+LEVEL] == SIDE : code == 3'd1);
      take[1] = in_valid[1] && (flit_1[fred_pkg::ONLINE_BIT] ? flit_1[fred_pkg::OUT_LSB+LEVEL] == SIDE : code == 3'd2);
      take[2] = in_valid[2] && (flit_2[fred_pkg::ONLINE_BIT] ? flit_2[fred_pkg::OUT_LSB+LEVEL] == SIDE : code == 3'd3);
      take[3] = in_valid[3] && (flit_3[fred_pkg::ONLINE_BIT] ? flit_3[fred_pkg::OUT_LSB+LEVEL] == SIDE : code == 3'd4);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) config_q <= rst_ni ? config_i : '0;
  end

  always_ff @(posedge clk_i) begin
    if (step_i) valid_q <= rst_ni && take != '0;
  end

  gated_choice #(.WIDTH(FLIT_W)) i_flit (
    .clk_i,
    .load_i(take & {4{step_i}}),
    .d0_i  (flit_0),
    .d1_i  (flit_1),
    .d2_i  (flit_2),
    .d3_i  (flit_3),
    .q_o   (flit_q)
  );

  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
endmodule
