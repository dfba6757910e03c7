// SPDX-License-Identifier: Apache-2.0
// Reset synchroniser: a reset that comes at any time begins at once and ends with the clock.
//
// Timing: rst_no is low as soon as rst_ni is low, with or without a clock, and stays so until the second edge of clk_i
//   after rst_ni went high (the third, where the first flip-flop was caught in the change). So whatever is reset
//   synchronously by rst_no has seen an edge with the reset, however short rst_ni was.
// Test: with test_mode_i high rst_no is test_rst_ni, so that a scan test has the reset in hand.
// Constraints: no path to the reset pins of the two flip-flops is timed; the recovery time of the second counts from
//   the first one's clock.
module reset_sync (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic test_mode_i,
  input  logic test_rst_ni,
  output logic rst_no
);
  logic first_q, second_q, clear_n;

  assign clear_n = test_mode_i ? test_rst_ni : rst_ni;

  always_ff @(posedge clk_i or negedge clear_n) begin
    if (!clear_n) begin
      first_q <= 1'b0;
      second_q <= 1'b0;
    end else begin
      first_q <= 1'b1;
      second_q <= first_q;
    end
  end

  assign rst_no = test_mode_i ? test_rst_ni : second_q;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    ends_in_order: assert (test_mode_i || !second_q || first_q);
    low_while_asked_for: assert (clear_n || !rst_no);
  end
endmodule
