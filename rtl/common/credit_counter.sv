// SPDX-License-Identifier: Apache-2.0
// Credit counter of one virtual channel at the sending end of a link: free slots at the receiver.
//
// Timing: has_credit_o and credits_o are registers. give_i at an edge adds one credit, spend_i
//   takes one; both at once leave the count unchanged. write_i sets the count and overrides give_i
//   and spend_i at the same edge. A credit can be spent at the edge at which it comes: the parent
//   spends one only if has_credit_o or give_i is high (asserted).
// Count: CREDIT_W bits, wraps.
module credit_counter #(
  /// credits after reset
  parameter int unsigned DEPTH = 48,
  /// width of a credit count, derived
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                give_i,
  input  logic                spend_i,
  input  logic                write_i,
  input  logic [CREDIT_W-1:0] wdata_i,
  output logic                has_credit_o,
  output logic [CREDIT_W-1:0] credits_o
);
  logic [CREDIT_W-1:0] credits_q;
  logic                has_credit_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credits_q <= CREDIT_W'(DEPTH);
      has_credit_q <= DEPTH != 0;
    end else if (write_i) begin
      credits_q <= wdata_i;
      has_credit_q <= wdata_i != '0;
    end else if (give_i != spend_i) begin
      credits_q <= give_i ? credits_q + CREDIT_W'(1) : credits_q - CREDIT_W'(1);
      has_credit_q <= give_i ? credits_q != '1 : credits_q != CREDIT_W'(1);
    end
  end

  assign has_credit_o = has_credit_q;
  assign credits_o = credits_q;

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && spend_i) spend_has_a_credit: assert (has_credit_q || give_i);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      none_left: cover (!has_credit_q);
      spent_as_it_comes: cover (!has_credit_q && give_i && spend_i);
      written: cover (write_i);
    end
  end
endmodule
