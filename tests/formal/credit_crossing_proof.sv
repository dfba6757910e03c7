// SPDX-License-Identifier: Apache-2.0
// Proof of credit_crossing: as many credits leave as came, none is created or lost; all of them
// have left after three edges of the other side's clock, one more for a flip-flop that sampled a
// changing bit, and one per credit.
//
// Environment: two clocks of any frequencies in any phase, also with simultaneous edges; flip-flops
//   that sample a changing bit (caught_synchroniser). At most MOST credits in flight. Resets as in
//   two_resets.
module credit_crossing_proof #(
  /// credits in flight, max
  parameter int unsigned MOST = 2
) (
  input logic sclk_i,
  input logic srst_ni,
  input logic give_i,
  input logic dclk_i,
  input logic drst_ni
);
  localparam int unsigned W = $clog2(MOST + 1) + 1;
  localparam int unsigned EDGES = 4 + MOST;

  (* gclk *) logic moment;
  logic         on, credit, sreset, dreset;
  logic [W-1:0] given_q, left_q, way;

  credit_crossing #(.MOST(MOST)) i_dut (.sclk_i, .srst_ni, .give_i, .dclk_i, .drst_ni, .credit_o(credit));

  two_resets i_resets (
    .a_clk_i  (sclk_i),
    .a_rst_ni (srst_ni),
    .b_clk_i  (dclk_i),
    .b_rst_ni (drst_ni),
    .on_o     (on),
    .a_reset_o(sreset),
    .b_reset_o(dreset)
  );

  // Credits that came, and credits that left, as sampled at an edge. At most MOST are in between.
  always_ff @(posedge sclk_i) given_q <= srst_ni ? given_q + W'(give_i) : '0;
  always_ff @(posedge dclk_i) left_q <= drst_ni ? left_q + W'(credit) : '0;
  assign way = given_q - left_q;

  always_comb begin : environment
    assume (!give_i || (on && srst_ni && 32'(way) < MOST));
  end

  // Edges of the other side's clock since the last credit came: up to EDGES.
  logic [W-1:0] last_q;
  logic         dclk_q, drst_q;
  logic [3:0]   edges, edges_q;

  always_comb begin
    edges = edges_q;
    if (dclk_i && !dclk_q && 32'(edges_q) < EDGES) edges = edges_q + 4'd1;
    if (given_q != last_q || !drst_q) edges = '0;
  end
  always_ff @(posedge moment) begin
    last_q <= given_q;
    dclk_q <= dclk_i;
    drst_q <= drst_ni;
    edges_q <= edges;
  end

  (* hierconn *) logic [W-1:0] \i_dut.given_q , \i_dut.taken_q , \i_dut.gray_q ;
  (* hierconn *) logic [W-1:0] \i_dut.i_count.before_q , \i_dut.i_count.first_q , \i_dut.i_count.q_o ;
  logic [W-1:0] first, here, taken;

  assign taken = left_q + W'(credit);

  gray_crossing #(.W(W)) i_given (
    .on_i    (on),
    .last_i  (taken),
    .count_i (given_q),
    .gray_i  (i_dut.gray_q),
    .before_i(i_dut.i_count.before_q),
    .first_i (i_dut.i_count.first_q),
    .second_i(i_dut.i_count.q_o),
    .first_o (first),
    .second_o(here)
  );

  always_comb begin : assertions
    invariant_sreset: assert (!sreset || (given_q == '0 && i_dut.given_q == '0 && i_dut.gray_q == '0));
    invariant_dreset: assert (!dreset || (left_q == '0 && !credit && i_dut.taken_q == '0 &&
                                          i_dut.i_count.first_q == '0 &&
                                          i_dut.i_count.q_o == '0));
    if (on) begin
      invariant_counts: assert (i_dut.given_q == given_q && i_dut.taken_q == taken);
      invariant_seen: assert ((edges < 4'd2 || first == given_q) && (edges < 4'd3 || here == given_q));
      invariant_leaving: assert (edges < 4'd3 || taken == given_q || 32'(W'(given_q - taken)) + 32'(edges) <= MOST + 3);
      invariant_edges: assert (32'(edges) <= EDGES);
      none_is_created: assert (!credit || way != '0);
      none_too_many: assert (32'(way) <= MOST);
      none_is_lost: assert (32'(edges) < EDGES || way == '0);
    end
  end
endmodule
