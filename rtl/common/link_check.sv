// SPDX-License-Identifier: Apache-2.0
// The check of a word that goes over a link: the remainder of its bits as a polynomial, inverted, so that a word of
// zeros with a check of zeros is not intact.
//
// Bit i of data_i stands for x^(CHECK_W + i). Each bit of the check is the parity of a constant choice of the data's
// bits: trees of XOR gates, no chain.
// Detects: every error of up to 3 bits in a flit of 256 lanes (CRC-32C), every burst of up to CHECK_W bits; of other
//   errors all but one in 2^CHECK_W.
// Timing: combinational.
module link_check #(
  /// bits of the word
  parameter int unsigned DATA_W = 128,
  /// bits of the check
  parameter int unsigned CHECK_W = link_pkg::CHECK_W,
  /// polynomial, without its highest term
  parameter bit [CHECK_W-1:0] POLYNOMIAL = link_pkg::CHECK_POLYNOMIAL
) (
  input  logic [DATA_W-1:0]  data_i,
  output logic [CHECK_W-1:0] check_o
);
  // The data's bits in the parity that is one bit of the check.
  function automatic logic [DATA_W-1:0] chosen(input logic [CHECK_W-1:0] of_check);
    logic [CHECK_W-1:0] power;  // x^(CHECK_W + i), modulo the polynomial
    power = POLYNOMIAL;
    chosen = '0;
    for (int unsigned i = 0; i < DATA_W; i = i + 1) begin
      chosen[i] = (power & of_check) != '0;
      power = power[CHECK_W-1] ? {power[CHECK_W-2:0], 1'b0} ^ POLYNOMIAL : {power[CHECK_W-2:0], 1'b0};
    end
  endfunction

  for (genvar j = 0; j < CHECK_W; j++) begin : gen_bit
    localparam bit [DATA_W-1:0] CHOSEN = chosen(CHECK_W'(1) << j);
    assign check_o[j] = ~^(data_i & CHOSEN);
  end
endmodule
