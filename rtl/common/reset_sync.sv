// SPDX-License-Identifier: Apache-2.0
// Reset synchroniser: asserts asynchronously, deasserts with the clock.
//
// Timing: rst_no falls as soon as rst_ni falls, with or without a clock, and stays low until the
//   second edge of clk_i after rst_ni rose (the third, if the first flip-flop sampled the change).
//   A register with synchronous reset by rst_no thus sees at least one edge in reset, however short
//   the pulse on rst_ni is.
// Test: with test_mode_i high rst_no is test_rst_ni, so that a scan test controls the reset.
// Constraints: paths to the reset pins of the two flip-flops are not timed; the recovery time of
//   the second counts from the clock of the first.
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
