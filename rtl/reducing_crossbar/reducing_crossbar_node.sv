// SPDX-License-Identifier: Apache-2.0
// Node of an adder tree of a reducing crossbar: passes its left flit, its right flit, their sum, or
// nothing.
//
// Function: with two valid inputs the output is their sum: header of the left one, lanes added
//   element-wise by one adder per lane, bits above the last lane zero. With one valid input the
//   output is that flit, unchanged.
// Timing: one register stage, no back-pressure. In simulation the adders are quiet except with two
//   valid inputs; in hardware they follow the flits, used or not (fp_add). Without a valid input
//   out_flit_o holds.
// Reset (synchronous): output not valid. Flit registers are not reset.
module reducing_crossbar_node #(
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: noc_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              left_valid_i,
  input  logic [FLIT_W-1:0] left_flit_i,
  input  logic              right_valid_i,
  input  logic [FLIT_W-1:0] right_flit_i,
  output logic              out_valid_o,
  output logic [FLIT_W-1:0] out_flit_o
);
  logic              add;
  logic [FLIT_W-1:0] sum_flit;

  assign add = left_valid_i && right_valid_i;
  assign sum_flit[noc_pkg::HEADER_W-1:0] = left_flit_i[noc_pkg::HEADER_W-1:0];

  for (genvar lane = 0; lane < LANES; lane++) begin : gen_lane
    localparam int unsigned LSB = noc_pkg::HEADER_W + lane * noc_pkg::LANE_W;
    fp_add #(.FORMAT(FORMAT)) i_fp_add (
      .en_i (add),
      .a_i  (left_flit_i[LSB +: noc_pkg::LANE_W]),
      .b_i  (right_flit_i[LSB +: noc_pkg::LANE_W]),
      .sum_o(sum_flit[LSB +: noc_pkg::LANE_W])
    );
  end
  if (LANES % 2 == 1) begin : gen_pad
    assign sum_flit[FLIT_W-1 -: noc_pkg::LANE_W] = '0;
  end

  always_ff @(posedge clk_i) begin
    out_valid_o <= rst_ni && (left_valid_i || right_valid_i);
  end

  gated_choice #(.WIDTH(FLIT_W)) i_flit (
    .clk_i,
    .load_i({1'b0, add, left_valid_i, right_valid_i}),
    .d0_i  (right_flit_i),
    .d1_i  (left_flit_i),
    .d2_i  (sum_flit),
    .d3_i  ('0),
    .q_o   (out_flit_o)
  );
endmodule
