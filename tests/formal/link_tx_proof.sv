// SPDX-License-Identifier: Apache-2.0
// Proof of link_tx: every flit of the switch leaves exactly once and in order, none finds the
// crossing full; on every virtual channel as many credits leave as were given.
//
// Environment: two clocks of any frequencies in any phase. The switch launches arbitrary flits if
//   ready_o was high, LAUNCH_EDGES edges before they are on its pins; the link takes them at
//   arbitrary edges. At most CREDITS credits in flight. Resets as in two_resets. The crossings are
//   async_fifo_contract and credit_crossing_contract.
module link_tx_proof #(
  /// flits between the clocks
  parameter int unsigned DEPTH = 8,
  /// edges from the decision of a launch to the pins
  parameter int unsigned LAUNCH_EDGES = 1,
  /// credits in flight
  parameter int unsigned CREDITS = 2
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input logic                        tx_clk_i,
  input logic                        tx_rst_ni,
  input logic                        launch_i,
  input logic                        flit_i,
  input logic                        follow_i,  // the flit that comes
  input logic [noc_pkg::NUM_VCS-1:0] credit_i,
  input logic                        tx_ready_i
);
  localparam int unsigned VCS = noc_pkg::NUM_VCS;
  localparam int unsigned W = $clog2(DEPTH) + 1;
  localparam int unsigned CREDIT_W = $clog2(CREDITS + 1) + 1;

  (* anyconst *) logic [noc_pkg::VC_W-1:0] which;  // virtual channel whose credits are counted
  logic                    on, reset, tx_reset, ready, tx_valid, tx_flit;
  logic [VCS-1:0]          tx_credit;
  logic [LAUNCH_EDGES-1:0] launched_q;
  logic                    valid;

  two_resets i_resets (
    .a_clk_i  (clk_i),
    .a_rst_ni (rst_ni),
    .b_clk_i  (tx_clk_i),
    .b_rst_ni (tx_rst_ni),
    .on_o     (on),
    .a_reset_o(reset),
    .b_reset_o(tx_reset)
  );

  link_tx #(.FLIT_W(1), .DEPTH(DEPTH), .LAUNCH_EDGES(LAUNCH_EDGES), .CREDITS(CREDITS)) i_dut (
    .clk_i,
    .rst_ni,
    .ready_o    (ready),
    .valid_i    (valid),
    .flit_i,
    .credit_i,
    .tx_clk_i,
    .tx_rst_ni,
    .tx_ready_i,
    .tx_valid_o (tx_valid),
    .tx_flit_o  (tx_flit),
    .tx_credit_o(tx_credit)
  );

  always_ff @(posedge clk_i) launched_q <= rst_ni ? LAUNCH_EDGES'({launched_q, launch_i && ready}) : '0;
  assign valid = launched_q[LAUNCH_EDGES-1];

  // Flits that came, and that were sampled on the link; the one that is followed, and how many came
  // before it.
  logic [W-1:0]        in_q, out_q, index_q, inside;
  logic                followed_q, followed_flit_q;
  logic [CREDIT_W-1:0] given_q, returned_q, way;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_q <= '0;
      given_q <= '0;
      followed_q <= 1'b0;
    end else begin
      given_q <= given_q + CREDIT_W'(credit_i[which]);
      if (valid) begin
        in_q <= in_q + W'(1);
        if (!followed_q || W'(index_q - out_q) >= inside) begin  // none, or it has left
          followed_q <= follow_i;
          followed_flit_q <= flit_i;
          index_q <= in_q;
        end
      end
    end
  end
  always_ff @(posedge tx_clk_i) begin
    out_q <= tx_rst_ni ? out_q + W'(tx_valid) : '0;
    returned_q <= tx_rst_ni ? returned_q + CREDIT_W'(tx_credit[which]) : '0;
  end
  assign inside = in_q - out_q;
  assign way = given_q - returned_q;

  always_comb begin : environment
    assume (credit_i == '0 || (on && rst_ni && credit_i == VCS'(1) << which && 32'(way) < CREDITS));
  end

  (* hierconn *) logic [W-1:0] \i_dut.i_flits.written_q , \i_dut.i_flits.read_q ;
  (* hierconn *) logic [W-1:0] \i_dut.i_flits.written_seen_q , \i_dut.i_flits.read_seen_q ;
  (* hierconn *) logic [DEPTH-1:0] \i_dut.i_flits.word_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[0].i_credits.given_q , \i_dut.gen_vc[0].i_credits.taken_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[1].i_credits.given_q , \i_dut.gen_vc[1].i_credits.taken_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[2].i_credits.given_q , \i_dut.gen_vc[2].i_credits.taken_q ;
  (* hierconn *) logic [CREDIT_W-1:0] \i_dut.gen_vc[3].i_credits.given_q , \i_dut.gen_vc[3].i_credits.taken_q ;
  logic [VCS*CREDIT_W-1:0] given, taken;
  logic [W-1:0]            read, unread, used;
  logic                    kept;

  assign given = {\i_dut.gen_vc[3].i_credits.given_q , \i_dut.gen_vc[2].i_credits.given_q ,
                  \i_dut.gen_vc[1].i_credits.given_q , \i_dut.gen_vc[0].i_credits.given_q };
  assign taken = {\i_dut.gen_vc[3].i_credits.taken_q , \i_dut.gen_vc[2].i_credits.taken_q ,
                  \i_dut.gen_vc[1].i_credits.taken_q , \i_dut.gen_vc[0].i_credits.taken_q };
  assign read = i_dut.i_flits.read_q;
  assign unread = in_q - read;
  assign used = in_q - i_dut.i_flits.read_seen_q;
  assign kept = i_dut.i_flits.word_q[index_q[W-2:0]];

  always_comb begin : assertions
    invariant_reset: assert (!reset || (in_q == '0 && given_q == '0 && !followed_q && !ready && launched_q == '0 &&
                                        given == '0 &&
                                        i_dut.i_flits.written_q == '0 && i_dut.i_flits.read_seen_q == '0));
    invariant_tx_reset: assert (!tx_reset || (out_q == '0 && returned_q == '0 && !tx_valid && tx_credit == '0 &&
                                              read == '0 && taken == '0 && i_dut.i_flits.written_seen_q == '0));
    if (on) begin
      invariant_numbers: assert (i_dut.i_flits.written_q == in_q && read == W'(out_q + W'(tx_valid)));
      invariant_seen: assert (W'(i_dut.i_flits.written_seen_q - read) <= unread && unread <= used);
      invariant_room: assert (32'(used) + 32'($countones(launched_q)) + 32'(ready) <= DEPTH);
      invariant_credits: assert (given == (VCS * CREDIT_W)'(given_q) << (CREDIT_W * 32'(which)) &&
                                 32'(way) <= CREDITS &&
                                 taken == (VCS * CREDIT_W)'(CREDIT_W'(returned_q + CREDIT_W'(tx_credit[which]))) <<
                                 (CREDIT_W * 32'(which)));
      invariant_followed: assert (!followed_q || W'(index_q - out_q) >= inside ||
                                  (index_q == out_q && tx_valid ? tx_flit : kept) == followed_flit_q);
      once_each: assert (!tx_valid || inside != '0);
      in_order: assert (!tx_valid || !followed_q || inside == '0 || out_q != index_q || tx_flit == followed_flit_q);
      credits_once_each: assert (!tx_credit[which] || way != '0);
      credits_of_their_channel: assert ((tx_credit & ~(VCS'(1) << which)) == '0);
    end
  end
endmodule
