// SPDX-License-Identifier: Apache-2.0
// Brings bits into another clock domain: two flip-flops in a row for each bit. A chip puts its library's synchroniser
// cell here.
//
// Timing: q_o follows d_i at the second edge of clk_i that sees it; one edge later where the first flip-flop was caught
//   in a change.
// Contract: d_i comes straight from flip-flops of the other domain. Bits are taken over each for itself: of a bus at
//   most one bit changes per edge of its own clock (a Gray code), and its bits arrive within one period of that clock
//   of each other: a maximum delay in the constraints, from the flip-flops behind d_i to the first ones here. Other
//   timing paths between the two domains are cut.
// Reset: synchronous, to zero.
module synchroniser #(
  /// bits
  parameter int unsigned WIDTH = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [WIDTH-1:0] d_i,
  output logic [WIDTH-1:0] q_o
);
  logic [WIDTH-1:0] first_q;

  always_ff @(posedge clk_i) begin
    first_q <= rst_ni ? d_i : '0;
    q_o <= rst_ni ? first_q : '0;
  end
endmodule
