// SPDX-License-Identifier: Apache-2.0
// Abstraction of `fp_add_align` and `fp_add_round`: the exclusive or of parity_add, and a wire; a
// register is between them.
module fp_add_align #(
  /// lane format, without effect
  parameter int unsigned FORMAT = 0
) (
  input  logic                          en_i,
  input  logic [noc_pkg::LANE_W-1:0]    a_i,
  input  logic [noc_pkg::LANE_W-1:0]    b_i,
  output logic [fp_add_pkg::PART_W-1:0] part_o
);
  assign part_o = en_i ? fp_add_pkg::PART_W'(a_i ^ b_i) : '0;
endmodule

module fp_add_round #(
  /// lane format, without effect
  parameter int unsigned FORMAT = 0
) (
  input  logic                          en_i,
  input  logic [fp_add_pkg::PART_W-1:0] part_i,
  output logic [noc_pkg::LANE_W-1:0]    sum_o
);
  assign sum_o = en_i ? part_i[noc_pkg::LANE_W-1:0] : '0;
endmodule
