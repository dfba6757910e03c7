// SPDX-License-Identifier: Apache-2.0
// Device under test of tb_fp_add: many adders side by side, so that one evaluation checks many
// pairs.
module tb_fp_add_top #(
  /// Adders side by side; adder n has bits [16n +: 16] of every vector.
  parameter int unsigned ADDERS = 64,
  /// Lane format: noc_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16
) (
  input  logic                 en_i,
  input  logic [16*ADDERS-1:0] a_i,
  input  logic [16*ADDERS-1:0] b_i,
  output logic [16*ADDERS-1:0] sum_o
);
  for (genvar n = 0; n < ADDERS; n = n + 1) begin : gen_adder
    fp_add #(.FORMAT(FORMAT)) i_fp_add (.en_i, .a_i(a_i[16*n +: 16]), .b_i(b_i[16*n +: 16]), .sum_o(sum_o[16*n +: 16]));
  end
endmodule
