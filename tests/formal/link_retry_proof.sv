// SPDX-License-Identifier: Apache-2.0
// Proof of link_retry_tx and link_retry_rx in series: with any losses or damage on the wires, in
// both directions, flits are delivered in order, each at most once and none before its
// predecessors, and undelivered flits are kept; every credit given arrives once, within
// CREDITS_CLEAN edges once no more words are damaged; a link is dead once the oldest flit was
// retransmitted more than MAX_RETRIES times, and not before. Not proved: how soon a lost flit is
// retransmitted.
//
// Environment: arbitrary flits while ready_o is high, and MARGIN more after it has fallen; the wire
//   takes flits at arbitrary edges (pacing); any flit is lost, or damaged in any of its bits; any
//   word of the return channel is damaged, which the check detects (small_link). Arbitrary credits;
//   for the virtual channel that is counted at most as many as the other side can count. Both ends
//   share a clock, and a wire takes an edge each way; a reset comes at the beginning.
module link_retry_proof #(
  /// flits that are kept
  parameter int unsigned DEPTH = 4,
  /// flits after ready_o has fallen
  parameter int unsigned MARGIN = 1,
  /// edges without an acknowledgement
  parameter int unsigned TIMEOUT = 8,
  /// how often the oldest flit may be retransmitted
  parameter int unsigned MAX_RETRIES = 2,
  /// edges without damage or new credits after which none is in flight
  parameter int unsigned CREDITS_CLEAN = 6
) (
  input logic                        clk_i,
  input logic                        come_i,
  input logic                        flit_i,
  input logic                        follow_i,  // the flit that comes
  input logic                        take_i,    // pacing
  input logic                        lose_i,
  input logic                        damage_i,
  input logic                        damage_back_i,
  input logic [5:0]                  noise_i,   // replaces a damaged flit
  input logic [12:0]                 noise_back_i,
  input logic [noc_pkg::NUM_VCS-1:0] credit_i
);
  localparam int unsigned VCS = noc_pkg::NUM_VCS;
  localparam int unsigned WIRE_W = 1 + link_pkg::OVERHEAD_W;
  localparam int unsigned BACK_W = link_pkg::BACK_W;
  localparam int unsigned MOST = 3;  // credits in flight
  localparam int unsigned W = 4;     // bits of all numbers of flits

  (* anyconst *) logic [noc_pkg::VC_W-1:0] which;  // virtual channel whose credits are counted
  logic              started_q = 1'b0;
  logic              ready, valid, wire_valid, wire_again, valid_out, flit_out, damaged, dead;
  logic [WIRE_W-1:0] wire_out, wire_q;
  logic [BACK_W-1:0] back_out, back_q;
  logic              wire_valid_q;
  logic [VCS-1:0]    credit_out;
  logic [2:0]        after_q;  // flits after ready has fallen
  logic [5:0]        clean_q;  // edges without damage or new credits, up to CREDITS_CLEAN

  link_retry_tx #(.FLIT_W(1), .DEPTH(DEPTH), .MARGIN(MARGIN), .TIMEOUT(TIMEOUT), .MAX_RETRIES(MAX_RETRIES)) i_tx (
    .clk_i,
    .rst_ni      (started_q),
    .ready_o     (ready),
    .valid_i     (valid),
    .flit_i,
    .credit_o    (credit_out),
    .wire_ready_i(take_i),
    .wire_valid_o(wire_valid),
    .wire_o      (wire_out),
    .back_i      (back_q),
    .wire_again_o(wire_again),
    .dead_o      (dead)
  );
  link_retry_rx #(.FLIT_W(1)) i_rx (
    .clk_i,
    .rst_ni      (started_q),
    .wire_valid_i(wire_valid_q),
    .wire_i      (wire_q),
    .back_o      (back_out),
    .valid_o     (valid_out),
    .flit_o      (flit_out),
    .credit_i,
    .damaged_o   (damaged)
  );

  assign valid = come_i && started_q && (ready || 32'(after_q) < MARGIN);

  // The wires: an edge each way.
  always_ff @(posedge clk_i) begin
    wire_valid_q <= started_q && wire_valid && !lose_i;
    wire_q <= damage_i ? {1'b0, noise_i} : wire_out;
    back_q <= (damage_back_i || !started_q) ? {1'b0, noise_back_i} : back_out;
  end

  // Flits and credits that came and went; the flit that is followed, and how many came before it.
  logic [W-1:0] in_q, out_q, index_q, inside;
  logic         followed_q, followed_flit_q;
  logic [2:0]   way_q;  // credits
  logic         clean;

  assign inside = in_q - out_q;
  assign clean = !damage_back_i && !credit_i[which];

  always_comb begin : environment
    assume (!credit_i[which] || (started_q && 32'(way_q) < MOST));
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      in_q <= '0;
      out_q <= '0;
      way_q <= '0;
      followed_q <= 1'b0;
      after_q <= '0;
      clean_q <= '0;
    end else begin
      in_q <= in_q + W'(valid);
      out_q <= out_q + W'(valid_out);
      way_q <= way_q + 3'(credit_i[which]) - 3'(credit_out[which]);
      if (ready) after_q <= '0;
      else if (valid) after_q <= after_q + 3'd1;
      if (!clean) clean_q <= '0;
      else if (32'(clean_q) != CREDITS_CLEAN) clean_q <= clean_q + 6'd1;
      if (valid && (!followed_q || W'(index_q - out_q) >= inside)) begin  // none followed
        followed_q <= follow_i;
        followed_flit_q <= flit_i;
        index_q <= in_q;
      end
    end
  end

  // Invariant of both ends. Sequence numbers, from old to new: the oldest unacknowledged flit, the
  // acknowledged number on the return channel, the number expected by the receiver, the highest
  // number sent when a flit in flight was sent, the highest number sent, the next number. All of
  // them lie within less than the range of the numbers.
  localparam int unsigned SEQ_W = link_pkg::SEQ_W;
  (* hierconn *) logic [SEQ_W-1:0] \i_tx.base_q , \i_tx.next_q , \i_tx.fresh_q , \i_tx.come_q , \i_tx.seq_q ;
  (* hierconn *) logic [$clog2(TIMEOUT+1)-1:0] \i_tx.time_q ;
  (* hierconn *) logic [$clog2(MAX_RETRIES+2)-1:0] \i_tx.retries_q ;
  (* hierconn *) logic \i_tx.again_q ;
  (* hierconn *) logic \i_tx.taken_q , \i_tx.waited_q , \i_tx.new_q , \i_tx.kept ;
  (* hierconn *) logic \i_tx.i_kept.mem_q[0] , \i_tx.i_kept.mem_q[1] , \i_tx.i_kept.mem_q[2] , \i_tx.i_kept.mem_q[3] ;
  (* hierconn *) logic [1:0] \i_tx.gen_vc[0].given_q , \i_tx.gen_vc[1].given_q , \i_tx.gen_vc[2].given_q ,
                             \i_tx.gen_vc[3].given_q ;
  (* hierconn *) logic [1:0] \i_tx.gen_vc[0].owed_q , \i_tx.gen_vc[1].owed_q , \i_tx.gen_vc[2].owed_q ,
                             \i_tx.gen_vc[3].owed_q ;
  (* hierconn *) logic \i_rx.here_q , \i_rx.check_q ;
  (* hierconn *) logic [5:0] \i_rx.data_q ;
  (* hierconn *) logic [SEQ_W-1:0] \i_rx.expected_q ;
  (* hierconn *) logic [7:0] \i_rx.given_q ;

  // Undamaged flits in flight, from the sender on: valid, number, flit; highest number sent and
  // number acknowledged when each was sent.
  logic [3:0]         there, flits;
  logic [4*SEQ_W-1:0] numbers, sent, done;
  logic [3*SEQ_W-1:0] sent_q;
  logic [4*SEQ_W-1:0] done_q;
  // Return channel: expected number and credits given, by word, the younger one first.
  logic [2*SEQ_W-1:0] reported_q;
  logic [3:0]         given_back_q;
  logic [SEQ_W-1:0]   base, expected;
  logic [1:0]         given, counted, owed;
  logic [7:0]         all_counted, all_owed;
  logic [3:0]         memory;

  assign base = i_tx.base_q;
  assign expected = i_rx.expected_q;
  assign there = {i_rx.here_q && i_rx.check_q, wire_valid_q && wire_q[WIRE_W-1], wire_valid, i_tx.taken_q};
  assign flits = {i_rx.data_q[0], wire_q[0], wire_out[0], i_tx.waited_q ? i_tx.kept : i_tx.new_q};
  assign numbers = {i_rx.data_q[1 +: SEQ_W], wire_q[1 +: SEQ_W], wire_out[1 +: SEQ_W], i_tx.seq_q};
  assign sent = {sent_q, i_tx.fresh_q};
  assign done = done_q;
  assign memory = {\i_tx.i_kept.mem_q[3] , \i_tx.i_kept.mem_q[2] , \i_tx.i_kept.mem_q[1] , \i_tx.i_kept.mem_q[0] };
  assign all_counted = {\i_tx.gen_vc[3].given_q , \i_tx.gen_vc[2].given_q , \i_tx.gen_vc[1].given_q ,
                        \i_tx.gen_vc[0].given_q };
  assign all_owed = {\i_tx.gen_vc[3].owed_q , \i_tx.gen_vc[2].owed_q , \i_tx.gen_vc[1].owed_q ,
                     \i_tx.gen_vc[0].owed_q };
  assign given = i_rx.given_q[2*32'(which) +: 2];
  assign counted = all_counted[2*32'(which) +: 2];
  assign owed = all_owed[2*32'(which) +: 2];

  always_ff @(posedge clk_i) begin
    sent_q <= started_q ? (3 * SEQ_W)'(sent) : '0;
    done_q <= started_q ? (4 * SEQ_W)'({done_q, base}) : '0;
    reported_q <= started_q ? {reported_q[SEQ_W-1:0], expected} : '0;
    given_back_q <= started_q ? {given_back_q[1:0], given_d} : '0;
  end
  logic [1:0] given_d;
  assign given_d = given + 2'(credit_i[which]);

  // Not in order: a number that is not where it must be, a flit on its way that is another one than
  // it should be.
  logic             wrong_sent, wrong_number, wrong_flit;
  logic [SEQ_W-1:0] index;
  logic             waits;  // the flit that is followed has not passed the receiver

  assign index = index_q[SEQ_W-1:0];
  assign waits = followed_q && W'(index_q - out_q) < inside && !(valid_out && index_q == out_q);
  always_comb begin
    wrong_sent = SEQ_W'(i_tx.fresh_q - expected) > SEQ_W'(i_tx.come_q - expected);
    wrong_number = 1'b0;
    wrong_flit = waits && SEQ_W'(i_tx.come_q - base) > SEQ_W'(DEPTH);
    for (int unsigned k = 0; k < 4; k++) begin
      if (k != 0 && SEQ_W'(sent[SEQ_W*k +: SEQ_W] - expected) >
          SEQ_W'(sent[SEQ_W*(k-1) +: SEQ_W] - expected)) wrong_sent = 1'b1;
      if (SEQ_W'(sent[SEQ_W*k +: SEQ_W] - done[SEQ_W*k +: SEQ_W]) > SEQ_W'(DEPTH)) wrong_sent = 1'b1;
      if (SEQ_W'(expected - done[SEQ_W*k +: SEQ_W]) >
          SEQ_W'(sent[SEQ_W*k +: SEQ_W] - done[SEQ_W*k +: SEQ_W])) wrong_sent = 1'b1;
      if (there[k] && SEQ_W'(numbers[SEQ_W*k +: SEQ_W] - done[SEQ_W*k +: SEQ_W]) >=
          SEQ_W'(sent[SEQ_W*k +: SEQ_W] - done[SEQ_W*k +: SEQ_W])) wrong_number = 1'b1;
      if (there[k] && waits && numbers[SEQ_W*k +: SEQ_W] == index && flits[k] != followed_flit_q) wrong_flit = 1'b1;
    end
    if (waits && memory[index[1:0]] != followed_flit_q) wrong_flit = 1'b1;
  end

  // Retransmissions of the oldest flit without acknowledgement, up to one time too many.
  localparam int unsigned RETRIES_W = $clog2(MAX_RETRIES + 2);
  logic [RETRIES_W-1:0] retries, retries_q;
  logic [SEQ_W-1:0]     base_q;
  logic                 is_dead_q;
  always_comb begin
    retries = (base != base_q) ? '0 : retries_q;
    if (i_tx.taken_q && i_tx.again_q && i_tx.seq_q == base && 32'(retries) <= MAX_RETRIES) retries = retries + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    retries_q <= started_q ? retries : '0;
    base_q <= started_q ? base : '0;
    is_dead_q <= started_q && (is_dead_q || 32'(retries) > MAX_RETRIES);
  end

  always_comb begin : invariants
    if (started_q) begin
      invariant_counts: assert (in_q[SEQ_W-1:0] == i_tx.come_q && SEQ_W'(out_q + W'(valid_out)) == expected &&
                                32'(inside) == 32'(SEQ_W'(i_tx.come_q - expected)) + 32'(valid_out));
      invariant_kept: assert (SEQ_W'(i_tx.come_q - base) <= SEQ_W'(DEPTH) &&
                              SEQ_W'(expected - base) <= SEQ_W'(i_tx.fresh_q - base) &&
                              SEQ_W'(i_tx.fresh_q - base) <= SEQ_W'(i_tx.come_q - base) &&
                              SEQ_W'(i_tx.next_q - base) <= SEQ_W'(i_tx.fresh_q - base));
      invariant_sent: assert (!wrong_sent);
      invariant_numbers: assert (!wrong_number && (!wire_valid || wire_out[WIRE_W-1]));
      invariant_flits: assert (!wrong_flit);
      invariant_room: assert ((!ready || SEQ_W'(i_tx.come_q - base) < SEQ_W'(DEPTH - MARGIN)) &&
                              32'(SEQ_W'(i_tx.come_q - base)) <= DEPTH - MARGIN + 32'(ready ? 0 : after_q) &&
                              32'(after_q) <= MARGIN);
      invariant_retries: assert (retries == i_tx.retries_q);
      invariant_back: assert (SEQ_W'(reported_q[SEQ_W +: SEQ_W] - base) <= SEQ_W'(reported_q[0 +: SEQ_W] - base) &&
                              SEQ_W'(reported_q[0 +: SEQ_W] - base) <= SEQ_W'(expected - base) &&
                              (!back_out[BACK_W-1] || back_out[SEQ_W-1:0] == reported_q[0 +: SEQ_W]) &&
                              (!back_q[BACK_W-1] || back_q[SEQ_W-1:0] == reported_q[SEQ_W +: SEQ_W]));
      invariant_time: assert (32'(i_tx.time_q) < TIMEOUT && 32'(clean_q) <= CREDITS_CLEAN);
      invariant_credits: assert (32'(way_q) == 32'(2'(given - given_back_q[3:2])) +
                                 32'(2'(given_back_q[3:2] - counted)) +
                                 32'(owed) + 32'(credit_out[which]) &&
                                 32'(way_q) <= MOST && given_back_q[1:0] == given &&
                                 (!back_out[BACK_W-1] || back_out[SEQ_W+2+2*32'(which) +: 2] == given_back_q[1:0]) &&
                                 (!back_q[BACK_W-1] || back_q[SEQ_W+2+2*32'(which) +: 2] == given_back_q[3:2]));
    end
  end

  always_comb begin : assertions
    if (started_q) begin
      once_each: assert (!valid_out || inside != '0);
      in_order: assert (!valid_out || !followed_q || inside == '0 || out_q != index_q || flit_out == followed_flit_q);
      no_credit_is_created: assert (!credit_out[which] || way_q != '0);
      dead_after_the_last_retry: assert (dead == is_dead_q);
      no_credit_is_lost: assert (32'(clean_q) < CREDITS_CLEAN || way_q == '0);
    end
  end
endmodule
