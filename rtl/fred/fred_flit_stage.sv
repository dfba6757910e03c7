// SPDX-License-Identifier: Apache-2.0
// Register stage of a flit for several receivers: second stage of the odd last input port of
// Fred_m(P), alongside the second halves of the µSwitches (switch.adder_stages 2).
//
// Function: the flit and the valid bits sampled at an edge leave after it. Clock enable and reset
//   as in fred_r_uswitch.
module fred_flit_stage #(
  /// Number of receivers.
  parameter int unsigned OUTPUTS = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               step_i,
  input  logic [OUTPUTS-1:0] in_valid_i,
  input  logic [FLIT_W-1:0]  in_flit_i,
  output logic [OUTPUTS-1:0] out_valid_o,
  output logic [FLIT_W-1:0]  out_flit_o
);
  logic [OUTPUTS-1:0] valid_q;
  logic [FLIT_W-1:0]  flit_q;

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      valid_q <= rst_ni ? in_valid_i : '0;
      if (in_valid_i != '0) flit_q <= in_flit_i;
    end
  end

  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
endmodule
