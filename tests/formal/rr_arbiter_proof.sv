// SPDX-License-Identifier: Apache-2.0
// Proof of rr_arbiter: the grant equals a reference, the first request at or after the turn; a
// request that stays until it is granted with advance_i waits for at most N - 1 other grants.
//
// Environment: none; arbitrary requests and advances, a reset comes at any time.
module rr_arbiter_proof #(
  /// requests
  parameter int unsigned N = 4
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [N-1:0] request_i,
  input logic         advance_i
);
  localparam int unsigned W = $clog2(N + 1);

  (* anyconst *) logic [W-1:0] who;  // an arbitrary request
  (* hierconn *) logic [N-1:0] \i_dut.in_turn_q ;
  logic         started_q = 1'b0;
  logic [N-1:0] grant, expected, advanced;
  logic [W-1:0] turn_q, next, waited_q, ahead;

  rr_arbiter #(.N(N)) i_dut (.clk_i, .rst_ni, .request_i, .advance_i, .grant_o(grant));

  always_comb begin : environment
    assume (32'(who) < N);
    if (!started_q) assume (!rst_ni);
  end

  always_comb begin : reference
    expected = '0;
    next = turn_q;
    for (int unsigned i = 0; i < 2 * N; i++) begin
      if (i >= 32'(turn_q) && expected == '0 && request_i[i%N]) begin
        expected[i%N] = 1'b1;
        next = W'((i + 1) % N);
      end
    end
    advanced = advance_i ? grant : '0;
    ahead = (who >= turn_q) ? who - turn_q : who + W'(N) - turn_q;  // requests whose turn comes
                                                                    // first
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) turn_q <= '0;
    else if (advance_i) turn_q <= next;
    if (!rst_ni || !request_i[who] || advanced[who]) waited_q <= '0;
    else if (advanced != '0) waited_q <= waited_q + W'(1);
  end

  always_comb begin : assertions
    if (started_q) begin
      invariant_turn: assert (32'(turn_q) < N && (i_dut.in_turn_q == {N{1'b1}} << turn_q ||
                                                  (turn_q == '0 && i_dut.in_turn_q == '0)));
      invariant_waited: assert (32'(waited_q) + 32'(ahead) < N);
      waits_for_fewer_than_n: assert (32'(waited_q) < N);
      if (rst_ni) grants_the_first_in_turn: assert (grant == expected);
    end
  end
endmodule
