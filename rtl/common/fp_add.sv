// SPDX-License-Identifier: Apache-2.0
// Floating-point adder of one reduction lane, combinational, FP16 or BF16.
//
// Function: sum_o = a_i + b_i in the same cycle, IEEE 754 round to nearest even, with subnormal
//   inputs and outputs. A NaN input or Inf - Inf gives the canonical quiet NaN (FP16 0x7E00, BF16
//   0x7FC0). +0 + -0 = +0, x - x = +0, -0 + -0 = -0. Commutative bit for bit.
// en_i: low forces sum_o to 0 and keeps the logic quiet in simulation. In hardware it does not:
//   synthesis moves the gates to the output (docs/studies/synthesis.md).
// Not supported: exception flags and other rounding modes. The halves, fp_add_align and
//   fp_add_round, are used separately if a register comes between them.
module fp_add #(
  /// Lane format: noc_pkg::FORMAT_FP16 (5-bit exponent) or noc_pkg::FORMAT_BF16 (8-bit exponent).
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16
) (
  input  logic                       en_i,
  input  logic [noc_pkg::LANE_W-1:0] a_i,
  input  logic [noc_pkg::LANE_W-1:0] b_i,
  output logic [noc_pkg::LANE_W-1:0] sum_o
);
  logic [fp_add_pkg::PART_W-1:0] part;

  fp_add_align #(.FORMAT(FORMAT)) i_align (.en_i, .a_i, .b_i, .part_o(part));
  fp_add_round #(.FORMAT(FORMAT)) i_round (.en_i, .part_i(part), .sum_o);
endmodule
