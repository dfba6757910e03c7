// SPDX-License-Identifier: Apache-2.0
// synchroniser: q_o is d_i of two edges before, and zero for two edges from a reset on.
//
// Environment: none.
module synchroniser_proof #(
  /// bits
  parameter int unsigned WIDTH = 2
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [WIDTH-1:0] d_i
);
  logic             once_q = 1'b0, twice_q = 1'b0;  // edges there were
  logic [WIDTH-1:0] q, last_q, before_q;

  synchroniser #(.WIDTH(WIDTH)) i_dut (.clk_i, .rst_ni, .d_i, .q_o(q));

  always_ff @(posedge clk_i) begin
    once_q <= 1'b1;
    twice_q <= once_q;
    last_q <= rst_ni ? d_i : '0;
    before_q <= rst_ni ? last_q : '0;
  end

  (* hierconn *) logic [WIDTH-1:0] \i_dut.first_q ;

  always_comb begin : assertions
    invariant_first: assert (!once_q || i_dut.first_q == last_q);
    invariant_edges: assert (once_q || !twice_q);
    follows_two_edges_later: assert (!twice_q || q == before_q);
  end
endmodule
