// SPDX-License-Identifier: Apache-2.0
// Receiving end of a link with retransmission: delivers every flit exactly once, in order, and
// requests retransmission of flits that were damaged or lost.
//
// Wire: wire_i with wire_valid_i is sampled at every edge: {check, round, sequence number, flit},
//   link_pkg. The check is evaluated at the next edge: the expected flit is delivered; a duplicate
//   is discarded; a damaged flit, or one behind a gap, is discarded and requested by incrementing
//   the round. Until the expected flit arrives, only a gap in flits of the new round triggers
//   another request, since flits of the old round were already in flight.
// Return channel: back_o, a register, in every cycle: {check, credits given so far, round, next
//   expected sequence number}.
// Switch side: valid_o and flit_o are registers without back-pressure. Bit v of credit_i is one
//   slot of VC v freed; it is counted in back_o after that edge.
// Timing: a flit sampled at an edge is on flit_o after the next one (link_pkg::RX_EDGES: one more
//   edge samples it there), and acknowledged on back_o one edge later.
// Reset: synchronous. Both ends are reset together.
module link_retry_rx #(
  /// flit width in bits
  parameter int unsigned FLIT_W = 128
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  // link
  input  logic                                   wire_valid_i,
  input  logic [FLIT_W+link_pkg::OVERHEAD_W-1:0] wire_i,
  output logic [link_pkg::BACK_W-1:0]            back_o,
  // switch
  output logic                                   valid_o,
  output logic [FLIT_W-1:0]                      flit_o,
  input  logic [noc_pkg::NUM_VCS-1:0]            credit_i,
  /// a flit with a wrong check was discarded
  output logic                                   damaged_o
);
  localparam int unsigned SEQ_W = link_pkg::SEQ_W;
  localparam int unsigned ROUND_W = link_pkg::ROUND_W;
  localparam int unsigned CREDIT_W = link_pkg::CREDITS_W / noc_pkg::NUM_VCS;
  localparam int unsigned DATA_W = FLIT_W + SEQ_W + ROUND_W;

  // ------------------------------------------------------------------ the flit that was sampled
  logic                         here_q;
  logic [DATA_W-1:0]            data_q;
  logic [link_pkg::CHECK_W-1:0] check_q, check;
  logic                         intact, is_next, is_old, is_of_round;
  logic [SEQ_W-1:0]             seq, ahead;

  always_ff @(posedge clk_i) begin
    here_q <= rst_ni && wire_valid_i;
    if (wire_valid_i) {check_q, data_q} <= wire_i;
  end

  link_check #(.DATA_W(DATA_W)) i_check (.data_i(data_q), .check_o(check));

  // ------------------------------------------------------------------ acceptance
  logic [SEQ_W-1:0]   expected_q;
  logic [ROUND_W-1:0] round_q;
  logic               asked_q;  // retransmission of the expected flit requested
  logic               pass, ask;

  assign intact = here_q && check == check_q;
  assign seq = data_q[FLIT_W +: SEQ_W];
  assign ahead = seq - expected_q;
  assign is_next = ahead == '0;
  assign is_old = ahead[SEQ_W-1];
  assign is_of_round = data_q[FLIT_W+SEQ_W +: ROUND_W] == round_q;
  assign pass = intact && is_next;
  assign ask = here_q && (intact ? !is_next && !is_old && (!asked_q || is_of_round) : !asked_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      expected_q <= '0;
      round_q <= '0;
      asked_q <= 1'b0;
      valid_o <= 1'b0;
      damaged_o <= 1'b0;
    end else begin
      if (pass) expected_q <= expected_q + SEQ_W'(1);
      if (ask) round_q <= round_q + ROUND_W'(1);
      if (pass || ask) asked_q <= ask;
      valid_o <= pass;
      damaged_o <= here_q && !intact;
    end
    if (pass) flit_o <= data_q[FLIT_W-1:0];
  end

  // ------------------------------------------------------------------ back
  logic [link_pkg::CREDITS_W-1:0]   given_q, given;  // credits of VC v begin at CREDIT_W*v
  logic [link_pkg::BACK_DATA_W-1:0] back;
  logic [link_pkg::CHECK_W-1:0]     back_check;

  always_comb begin : credits
    for (int unsigned v = 0; v < noc_pkg::NUM_VCS; v++) begin
      given[CREDIT_W*v +: CREDIT_W] = given_q[CREDIT_W*v +: CREDIT_W] + CREDIT_W'(credit_i[v]);
    end
  end

  assign back = {given, round_q, expected_q};

  link_check #(.DATA_W(link_pkg::BACK_DATA_W)) i_back_check (.data_i(back), .check_o(back_check));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      given_q <= '0;
      back_o <= '0;  // an invalid check
    end else begin
      given_q <= given;
      back_o <= {back_check, back};
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && here_q) one_of_both: assert (!(pass && ask));
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni && here_q) begin
      comes_twice: cover (intact && is_old);
      gap_in_the_new_round: cover (intact && ask && asked_q);
    end
  end
endmodule
