// SPDX-License-Identifier: Apache-2.0
// Bit synchroniser into another clock domain: two flip-flops in a row per bit. A chip puts the
// synchroniser cell of its library here.
//
// Timing: q_o follows d_i at the second edge of clk_i that samples it, or one edge later if the
//   first flip-flop sampled the change.
// Contract: d_i comes straight from flip-flops of the source domain. Bits cross independently: at
//   most one bit of a bus changes per edge of its own clock (a Gray code), and its bits arrive
//   within one period of that clock of each other. This needs a max-delay constraint from the
//   flip-flops behind d_i to the first flip-flops here. All other timing paths between the two
//   domains are cut.
// Reset: synchronous, to zero.
module synchroniser #(
  /// number of bits
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
