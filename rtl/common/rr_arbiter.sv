// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: grants the first request at or after its turn, cyclically.
//
// Timing: grant_o, one-hot or zero, follows request_i in the same cycle. With advance_i at an edge
//   the turn moves to the request after the granted one; without it, and without a grant, it stays.
//   After reset the turn is at 0.
// Fairness: a request that stays high until it is granted with advance_i waits for at most N - 1
//   such grants to other requests.
module rr_arbiter #(
  /// number of requests, 1 or more
  parameter int unsigned N = 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [N-1:0] request_i,
  input  logic         advance_i,
  output logic [N-1:0] grant_o
);
  // Thermometer mask of the requests at or after the turn. After the last request it is zero, which
  // acts like all ones.
  logic [N-1:0] in_turn_q;

  always_comb begin : pick
    logic [N-1:0] first;
    grant_o = '0;
    first = '0;
    if (request_i != '0) begin
      first = request_i & in_turn_q;
      if (first == '0) first = request_i;
      // Isolates the lowest set bit: the carry of the negation leaves it and the bits below it
      // unchanged.
      grant_o = first & (~first + N'(1));
    end
  end

  always_ff @(posedge clk_i) begin : turn
    if (!rst_ni) in_turn_q <= '0;
    else if (advance_i && request_i != '0) in_turn_q <= ~(grant_o | (grant_o - N'(1)));
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && request_i != '0) begin
      grants_one: assert (grant_o != '0 && (grant_o & (grant_o - N'(1))) == '0);
      grants_one_that_asks: assert ((grant_o & ~request_i) == '0);
      turn_is_a_thermometer: assert (((~in_turn_q) & (~in_turn_q + N'(1))) == '0);
    end
  end
endmodule
