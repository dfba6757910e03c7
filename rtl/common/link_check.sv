// SPDX-License-Identifier: Apache-2.0
// CRC of a word on a link: the remainder of its bits as a polynomial, inverted, so that an all-zero
// word with an all-zero check is not intact.
//
// Structure: bit i of data_i is the coefficient of x^(CHECK_W + i). Each bit of the check is the
//   parity of a constant subset of the data bits: XOR trees, no chain.
// Detection: every error of up to 3 bits in a flit of 256 lanes (CRC-32C), every burst of up to
//   CHECK_W bits, and all but one in 2^CHECK_W of other errors.
// Timing: combinational.
module link_check #(
  /// word width in bits
  parameter int unsigned DATA_W = 128,
  /// check width in bits
  parameter int unsigned CHECK_W = link_pkg::CHECK_W,
  /// polynomial, without its highest term
  parameter bit [CHECK_W-1:0] POLYNOMIAL = link_pkg::CHECK_POLYNOMIAL
) (
  input  logic [DATA_W-1:0]  data_i,
  output logic [CHECK_W-1:0] check_o
);
  // Data bits whose parity is the given bit of the check.
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
