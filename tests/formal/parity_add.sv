// SPDX-License-Identifier: Apache-2.0
// Abstraction of `fp_add`: exclusive or, for proofs of the origin of operands, independent of the
// arithmetic: a missing operand, or one that counts twice, is visible in the sum.
module fp_add #(
  /// lane format, without effect
  parameter int unsigned FORMAT = 0
) (
  input  logic                       en_i,
  input  logic [noc_pkg::LANE_W-1:0] a_i,
  input  logic [noc_pkg::LANE_W-1:0] b_i,
  output logic [noc_pkg::LANE_W-1:0] sum_o
);
  assign sum_o = en_i ? a_i ^ b_i : '0;
endmodule
