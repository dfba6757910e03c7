// SPDX-License-Identifier: Apache-2.0
// Environment of a module with two clocks and a reset for each: both are low until each clock had
// an edge with its own, then each one ends at any time and does not come again. on_o: both clocks
// had such an edge, a moment ago or longer. a_reset_o, b_reset_o: the clock had one, and the reset
// has not ended.
module two_resets (
  input  logic a_clk_i,
  input  logic a_rst_ni,
  input  logic b_clk_i,
  input  logic b_rst_ni,
  output logic on_o,
  output logic a_reset_o,
  output logic b_reset_o
);
  (* gclk *) logic moment;
  logic begun_q = 1'b0, a_seen_q = 1'b0, b_seen_q = 1'b0, on_q = 1'b0;
  logic a_rst_q, b_rst_q;

  always_ff @(posedge a_clk_i) if (!a_rst_ni) a_seen_q <= 1'b1;
  always_ff @(posedge b_clk_i) if (!b_rst_ni) b_seen_q <= 1'b1;
  always_ff @(posedge moment) begin
    begun_q <= 1'b1;
    on_q <= a_seen_q && b_seen_q;
    a_rst_q <= a_rst_ni;
    b_rst_q <= b_rst_ni;
  end

  assign on_o = on_q;
  assign a_reset_o = a_seen_q && !a_rst_ni;
  assign b_reset_o = b_seen_q && !b_rst_ni;

  always_comb begin : environment
    if (!begun_q) assume (!a_clk_i && !b_clk_i);
    if (!on_o) assume (!a_rst_ni && !b_rst_ni);
    else assume ((a_rst_ni || !a_rst_q) && (b_rst_ni || !b_rst_q));
  end
endmodule
