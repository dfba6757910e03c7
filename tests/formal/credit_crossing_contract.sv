// SPDX-License-Identifier: Apache-2.0
// Abstraction of `credit_crossing`: the properties that credit_crossing_proof proves. A credit that
// was given leaves at any edge of the other side's clock.
module credit_crossing #(
  /// credits in flight, max
  parameter int unsigned MOST = 48
) (
  input  logic sclk_i,
  input  logic srst_ni,
  input  logic give_i,
  input  logic dclk_i,
  input  logic drst_ni,
  output logic credit_o
);
  localparam int unsigned W = $clog2(MOST + 1) + 1;

  (* anyseq *) logic late;
  logic [W-1:0] given_q, taken_q;
  logic         leaves;

  assign leaves = given_q != taken_q && !late;

  always_ff @(posedge sclk_i) given_q <= srst_ni ? given_q + W'(give_i) : '0;
  always_ff @(posedge dclk_i) begin
    taken_q <= drst_ni ? taken_q + W'(leaves) : '0;
    credit_o <= drst_ni && leaves;
  end
endmodule
