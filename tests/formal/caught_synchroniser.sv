// SPDX-License-Identifier: Apache-2.0
// Abstraction of `synchroniser`: its first flip-flops may sample a changing bit. Each bit of d_i
// that changed just before an edge is sampled as old or new, independently of the other bits.
module synchroniser #(
  /// bits
  parameter int unsigned WIDTH = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [WIDTH-1:0] d_i,
  output logic [WIDTH-1:0] q_o
);
  (* gclk *) logic moment;
  (* anyseq *) logic [WIDTH-1:0] late;
  logic [WIDTH-1:0] first_q, before_q;

  always_ff @(posedge moment) before_q <= d_i;

  always_ff @(posedge clk_i) begin
    first_q <= rst_ni ? (late & before_q) | (~late & d_i) : '0;
    q_o <= rst_ni ? first_q : '0;
  end
endmodule
