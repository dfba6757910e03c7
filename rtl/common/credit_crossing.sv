// SPDX-License-Identifier: Apache-2.0
// Clock domain crossing of the credits of one virtual channel: as many pulses out as in.
//
// Timing: give_i at an edge of sclk_i is one credit. It is a pulse of one cycle on credit_o after
//   the third edge of dclk_i that samples it, or later if earlier credits wait: one leaves per
//   edge. With equal clocks a credit may come at every edge.
// Method: credits are counted in a Gray code; the count goes through `synchroniser`, whose
//   constraints hold for gray_q; the destination side counts the credits that have left.
// Contract: at most MOST credits of a buffer of MOST slots are in flight (asserted).
// Reset: one per side, synchronous; both are asserted together and may end at any time.
module credit_crossing #(
  /// max credits in flight
  parameter int unsigned MOST = 48
) (
  // source domain
  input  logic sclk_i,
  input  logic srst_ni,
  input  logic give_i,
  // destination domain
  input  logic dclk_i,
  input  logic drst_ni,
  output logic credit_o
);
  // One bit more than MOST needs, so that one surplus credit is detected.
  localparam int unsigned W = $clog2(MOST + 1) + 1;

  logic [W-1:0] given_q, given_d, gray_q, gray_here, given, taken_q;

  assign given_d = given_q + W'(give_i);

  always_ff @(posedge sclk_i) begin
    given_q <= srst_ni ? given_d : '0;
    gray_q <= srst_ni ? given_d ^ (given_d >> 1) : '0;
  end

  synchroniser #(.WIDTH(W)) i_count (.clk_i(dclk_i), .rst_ni(drst_ni), .d_i(gray_q), .q_o(gray_here));

  always_comb begin
    given = gray_here;
    for (int unsigned shift = 1; shift < W; shift = shift * 2) given = given ^ (given >> shift);
  end

  always_ff @(posedge dclk_i) begin
    if (!drst_ni) begin
      taken_q <= '0;
      credit_o <= 1'b0;
    end else begin
      taken_q <= taken_q + W'(given != taken_q);
      credit_o <= given != taken_q;
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge dclk_i) begin : assertions
    if (drst_ni) no_more_on_their_way_than_slots: assert (32'(W'(given - taken_q)) <= MOST);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge dclk_i) begin : covers
    if (drst_ni) begin
      several_on_their_way: cover (given - taken_q > W'(1));
    end
  end
endmodule
