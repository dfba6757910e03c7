// SPDX-License-Identifier: Apache-2.0
// Properties of a W-bit count that crosses a `synchroniser` as a Gray code: any sampled value is
// between last_i, a lower bound known to the other side, and the count itself. Numbers are modulo
// 2^W.
module gray_crossing #(
  /// bits of a count
  parameter int unsigned W = 2
) (
  input  logic         on_i,      // has been reset
  input  logic [W-1:0] last_i,
  input  logic [W-1:0] count_i,
  input  logic [W-1:0] gray_i,    // Gray code of the count: d_i of the synchroniser
  input  logic [W-1:0] before_i,  // Gray code of the moment before
  input  logic [W-1:0] first_i,
  input  logic [W-1:0] second_i,  // q_o
  output logic [W-1:0] first_o,   // first sampled count in binary
  output logic [W-1:0] second_o
);
  function automatic logic [W-1:0] binary(input logic [W-1:0] gray);
    binary = gray;
    for (int unsigned shift = 1; shift < W; shift = shift * 2) binary = binary ^ (binary >> shift);
  endfunction

  logic [W-1:0] behind, all, step;

  assign first_o = binary(first_i);
  assign second_o = binary(second_i);
  assign behind = binary(before_i) - first_o;
  assign step = count_i - binary(before_i);
  assign all = count_i - last_i;

  always_comb begin : assertions
    if (on_i) begin
      invariant_gray: assert (binary(gray_i) == count_i);
      invariant_one_step: assert (step <= W'(1));
      invariant_order: assert ((W + 2)'(W'(second_o - last_i)) + (W + 2)'(W'(first_o - second_o)) + (W + 2)'(behind) +
                               (W + 2)'(step) == (W + 2)'(all));
    end
  end
endmodule
