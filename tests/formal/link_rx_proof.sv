// SPDX-License-Identifier: Apache-2.0
// Proof of link_rx: every flit of the link that found room leaves exactly once and in order, at the
// first edge at which it is visible; an overflow is reported from then on. On every virtual channel
// as many credits leave as were given.
//
// Environment: two clocks of any frequencies in any phase. Flits come at any edge. At most CREDITS
//   credits in flight. Resets as in two_resets. The crossings are async_fifo_contract and
//   credit_crossing_contract.
module link_rx_proof #(
  /// flits between the clocks
  parameter int unsigned DEPTH = 8,
  /// credits in flight
  parameter int unsigned CREDITS = 2
) (
  input logic                        rx_clk_i,
  input logic                        rx_rst_ni,
  input logic                        rx_valid_i,
  input logic                        rx_flit_i,
  input logic                        follow_i,  // the flit that comes
  input logic [noc_pkg::NUM_VCS-1:0] rx_credit_i,
  input logic                        clk_i,
  input logic                        rst_ni
);
  localparam int unsigned VCS = noc_pkg::NUM_VCS;
  localparam int unsigned W = $clog2(DEPTH) + 1;
  localparam int unsigned CREDIT_W = $clog2(CREDITS + 1) + 1;

  (* anyconst *) logic [noc_pkg::VC_W-1:0] which;  // virtual channel whose credits are counted
  logic           on, reset, rx_reset, valid, flit, overflow;
  logic [VCS-1:0] credit;

  two_resets i_resets (
    .a_clk_i  (rx_clk_i),
    .a_rst_ni (rx_rst_ni),
    .b_clk_i  (clk_i),
    .b_rst_ni (rst_ni),
    .on_o     (on),
    .a_reset_o(rx_reset),
    .b_reset_o(reset)
  );

  link_rx #(.FLIT_W(1), .DEPTH(DEPTH), .CREDITS(CREDITS)) i_dut (
    .rx_clk_i,
    .rx_rst_ni,
    .rx_valid_i,
    .rx_flit_i,
    .rx_credit_i,
    .rx_overflow_o(overflow),
    .clk_i,
    .rst_ni,
    .valid_o      (valid),
    .flit_o       (flit),
    .credit_o     (credit)
  );

  // Flits that came and found room, and that the switch took; the one that is followed, and how
  // many came before it.
  logic [W-1:0]        in_q, out_q, index_q, inside, used;
  logic                followed_q, followed_flit_q, dropped_q;
  logic [CREDIT_W-1:0] given_q, returned_q, way;

  always_ff @(posedge rx_clk_i) begin
    if (!rx_rst_ni) begin
      in_q <= '0;
      dropped_q <= 1'b0;
      given_q <= '0;
      followed_q <= 1'b0;
    end else begin
      given_q <= given_q + CREDIT_W'(rx_credit_i[which]);
      if (rx_valid_i && 32'(used) == DEPTH) dropped_q <= 1'b1;
      if (rx_valid_i && 32'(used) != DEPTH) begin
        in_q <= in_q + W'(1);
        if (!followed_q || W'(index_q - out_q) >= inside) begin  // none, or it has left
          followed_q <= follow_i;
          followed_flit_q <= rx_flit_i;
          index_q <= in_q;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    out_q <= rst_ni ? out_q + W'(valid) : '0;
    returned_q <= rst_ni ? returned_q + CREDIT_W'(credit[which]) : '0;
  end
  assign inside = in_q - out_q;
  assign way = given_q - returned_q;

  always_comb begin : environment
    assume (rx_credit_i == '0 || (on && rx_rst_ni && rx_credit_i == VCS'(1) << which && 32'(way) < CREDITS));
  end

  (* hierconn *) logic [W-1:0] \i_dut.i_flits.written_q , \i_dut.i_flits.read_q ;
  (* hierconn *) logic [W-1:0] \i_dut.i_flits.written_seen_q , \i_dut.i_flits.read_seen_q ;
  (* hierconn *) logic [DEPTH-1:0] \i_dut.i_flits.word_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[0].i_credits.given_q , \i_dut.gen_vc[0].i_credits.taken_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[1].i_credits.given_q , \i_dut.gen_vc[1].i_credits.taken_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[2].i_credits.given_q , \i_dut.gen_vc[2].i_credits.taken_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[3].i_credits.given_q , \i_dut.gen_vc[3].i_credits.taken_q ;
  logic [VCS*CREDIT_W-1:0] given, taken;
  logic                    kept;

  assign given = {\i_dut.gen_vc[3].i_credits.given_q , \i_dut.gen_vc[2].i_credits.given_q ,
                  \i_dut.gen_vc[1].i_credits.given_q , \i_dut.gen_vc[0].i_credits.given_q };
  assign taken = {\i_dut.gen_vc[3].i_credits.taken_q , \i_dut.gen_vc[2].i_credits.taken_q ,
                  \i_dut.gen_vc[1].i_credits.taken_q , \i_dut.gen_vc[0].i_credits.taken_q };
  assign used = in_q - i_dut.i_flits.read_seen_q;
  assign kept = i_dut.i_flits.word_q[index_q[W-2:0]];

  always_comb begin : assertions
    invariant_rx_reset: assert (!rx_reset || (in_q == '0 && given_q == '0 && !followed_q && !dropped_q && !overflow &&
                                              given == '0 && i_dut.i_flits.written_q == '0 &&
                                              i_dut.i_flits.read_seen_q == '0));
    invariant_reset: assert (!reset || (out_q == '0 && returned_q == '0 && credit == '0 && taken == '0 &&
                                        i_dut.i_flits.read_q == '0 && i_dut.i_flits.written_seen_q == '0));
    if (on) begin
      invariant_numbers: assert (i_dut.i_flits.written_q == in_q && i_dut.i_flits.read_q == out_q);
      invariant_seen: assert (W'(i_dut.i_flits.written_seen_q - out_q) <= inside && inside <= used &&
                              32'(used) <= DEPTH);
      invariant_credits: assert (given == (VCS * CREDIT_W)'(given_q) << (CREDIT_W * 32'(which)) &&
                                 32'(way) <= CREDITS &&
                                 taken == (VCS * CREDIT_W)'(CREDIT_W'(returned_q + CREDIT_W'(credit[which]))) <<
                                 (CREDIT_W * 32'(which)));
      invariant_followed: assert (!followed_q || W'(index_q - out_q) >= inside || kept == followed_flit_q);
      once_each: assert (!valid || inside != '0);
      in_order: assert (!valid || !followed_q || inside == '0 || out_q != index_q || flit == followed_flit_q);
      reports_what_was_dropped: assert (overflow == dropped_q);
      credits_once_each: assert (!credit[which] || way != '0);
      credits_of_their_channel: assert ((credit & ~(VCS'(1) << which)) == '0);
    end
  end
endmodule
