// SPDX-License-Identifier: Apache-2.0
// Scheduler of a VOQ crossbar: selects the head-of-line flits of the virtual output queues that
// leave at an edge. iSLIP, pipelined, by packets.
//
// Eligible: the head-of-line flit of a queue (input i, VC v, output o), always inside a packet; a
//   packet start if the staging of (o, v) has room for a packet and no packet is open there.
//   Packets of a VC are thus never interleaved at an output, and a packet that has begun to move
//   never lacks room (virtual cut-through).
// Rounds: ITERATIONS rounds (voq_round), one per cycle for an edge. The last one, in the cycle
//   before the edge, decides among the flits eligible then; pairs of the earlier rounds have
//   precedence in it if they are still eligible. A late flit thus needs one round only, and no flit
//   is matched twice. An earlier round predicts the edges in between from the pairs with precedence
//   at the next one: a pair inside a packet goes on, a packet that ends frees its VC, a queue whose
//   only flit is about to leave makes no request.
// Packets: an input and an output that moved a flit other than a tail keep precedence as a pair at
//   the next edge, if the next flit of the packet is there.
// VCs have priority in the first round; a pair inside a packet has precedence only within its own
//   VC there. In later rounds pairs with precedence keep it over all VCs, so that a late flit does
//   not break two pairs to make one. With one iteration a flit of a higher VC thus interrupts
//   packets. With more iterations it waits for the end of the packets in progress at its input and
//   output, and may be up to ITERATIONS - 1 edges late.
// Turns, per output and VC, and per input and VC, move to the position after a pair when the pair
//   moves a packet start. With one iteration this is the rule of iSLIP: a grant that is not
//   accepted leaves the turn unchanged. With more iterations later rounds move the turns, too: here
//   they are not later in time, but decide with the newest requests.
// Timing: valid_i to room_i are registers; pop_o, reserve_o and reserve_vc_o are of this cycle,
//   pair_o of the edge before. Stalls of a cycle are on stall_*_o after the next edge but one.
// Stalls: inputs that have a head-of-line flit and move none: credit, if none is eligible and one
//   is a packet start that only lacks room; arbiter otherwise.
// idle_o: without head-of-line flits an edge changes nothing.
module voq_scheduler #(
  /// number of switch ports, 2 to 32
  parameter int unsigned P = 12,
  /// rounds of request, grant and accept, 1 to 4
  parameter int unsigned ITERATIONS = 2,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // queues, bit P*vc_index(input, v) + output: have a head-of-line flit; it ends its packet; have
  // two flits or more
  input  logic [VCS*P*P-1:0]         valid_i,
  input  logic [VCS*P*P-1:0]         tail_i,
  input  logic [VCS*P*P-1:0]         several_i,
  // room for a packet, bit vc_index(output, VC)
  input  logic [VCS*P-1:0]           room_i,
  // head-of-line flits that leave, indexed as valid_i, and their outputs
  output logic [VCS*P*P-1:0]         pop_o,
  output logic [P-1:0]               reserve_o,
  output logic [noc_pkg::VC_W*P-1:0] reserve_vc_o,
  // after the edge: bit P*output + input of every flit that left
  output logic [P*P-1:0]             pair_o,
  // for the counters
  output logic [7:0]                 stall_credit_o,
  output logic [7:0]                 stall_arbiter_o,
  output logic                       idle_o
);
  localparam int unsigned VC_W = noc_pkg::VC_W;

  // Bit indices: queue by output P*vc_index(o, v) + i, (output, VC) vc_index(o, v), pair P*o + i.
  logic [VCS*P*P-1:0] valid, tail, several;
  logic [VCS*P*P-1:0] owner_q;                     // inside a packet
  logic [VCS*P-1:0]   locked_q;                    // a packet is open
  logic [VCS*P*P-1:0] grant_last_q, grant_turn;    // input served last; inputs at or after the turn
  logic [VCS*P*P-1:0] accept_last_q, accept_turn;  // output served last and outputs at or after the
                                                   // turn, bit P*vc_index(i, v) + o
  logic [P*P-1:0]     stream_q;                    // inside a packet with the next flit available
  logic [P-1:0]       stream_in_q, stream_out_q;
  logic               any;

  assign any = valid_i != '0;

  // ------------------------------------------------------------------ eligible
  logic [VCS*P*P-1:0] ask;  // eligible queues

  always_comb begin : by_output
    logic [P*P-1:0] valid_v, tail_v, several_v;     // queues of one VC
    logic [P-1:0]   valid_of, tail_of, several_of;  // queues of one (input, VC)
    for (int unsigned v = 0; v < VCS; v++) begin
      for (int unsigned i = 0; i < P; i++) begin
        valid_of = valid_i[P*noc_pkg::vc_index(i, v) +: P];
        tail_of = tail_i[P*noc_pkg::vc_index(i, v) +: P];
        several_of = several_i[P*noc_pkg::vc_index(i, v) +: P];
        for (int unsigned o = 0; o < P; o++) begin
          valid_v[P*o + i] = valid_of[o];
          tail_v[P*o + i] = tail_of[o];
          several_v[P*o + i] = several_of[o];
        end
      end
      for (int unsigned o = 0; o < P; o++) begin
        valid[P*noc_pkg::vc_index(o, v) +: P] = valid_v[P*o +: P];
        tail[P*noc_pkg::vc_index(o, v) +: P] = tail_v[P*o +: P];
        several[P*noc_pkg::vc_index(o, v) +: P] = several_v[P*o +: P];
      end
    end
  end

  always_comb begin : eligible
    for (int unsigned q = 0; q < VCS * P; q++) begin
      ask[P*q +: P] = valid[P*q +: P] & (owner_q[P*q +: P] | {P{room_i[q] && !locked_q[q]}});
    end
  end

  // ------------------------------------------------------------------ earlier rounds
  logic [P*P-1:0] keep, ahead;  // pairs with precedence in the last round: all; pairs of the round
                                // before it
  logic [P-1:0]   keep_in, keep_out, ahead_in, ahead_out;
  logic           ahead_idle;

  always_comb begin : first_in_the_last_round
    keep = stream_q;
    keep_in = stream_in_q | ahead_in;
    keep_out = stream_out_q | ahead_out;
    for (int unsigned o = 0; o < P; o++) begin
      if (!stream_out_q[o]) keep[P*o +: P] = ahead[P*o +: P] & ~stream_in_q;
    end
  end

  if (ITERATIONS > 1) begin : gen_ahead
    logic [VCS*P*P-1:0]    ask_ahead;
    logic [P*P-1:0]        going_on;  // pairs that the last round leaves inside a packet
    logic [P-1:0]          going_in, going_out;
    logic [ITERATIONS-2:0] pairs_any;

    always_comb begin : foresee
      logic [P-1:0] kept, ends;
      ask_ahead = '0;
      going_on = '0;
      going_in = '0;
      going_out = '0;
      kept = '0;
      ends = '0;
      for (int unsigned o = 0; o < P; o++) begin
        kept = keep[P*o +: P];
        for (int unsigned v = 0; v < VCS; v++) begin
          ends = owner_q[P*noc_pkg::vc_index(o, v) +: P] & kept & valid[P*noc_pkg::vc_index(o, v) +: P] &
                 tail[P*noc_pkg::vc_index(o, v) +: P];
          ask_ahead[P*noc_pkg::vc_index(o, v) +: P] =
              valid[P*noc_pkg::vc_index(o, v) +: P] & (several[P*noc_pkg::vc_index(o, v) +: P] | ~kept) &
              (owner_q[P*noc_pkg::vc_index(o, v) +: P] |
               {P{room_i[noc_pkg::vc_index(o, v)] && (!locked_q[noc_pkg::vc_index(o, v)] || ends != '0)}});
          going_on[P*o +: P] = going_on[P*o +: P] |
                               (kept & ask[P*noc_pkg::vc_index(o, v) +: P] & several[P*noc_pkg::vc_index(o, v) +: P] &
                                ~tail[P*noc_pkg::vc_index(o, v) +: P]);
        end
        going_out[o] = going_on[P*o +: P] != '0;
        going_in = going_in | going_on[P*o +: P];
      end
    end

    for (genvar k = 0; k < ITERATIONS - 1; k++) begin : gen_round
      logic [P*P-1:0]   kept, pair, pair_q, granted;
      logic [P-1:0]     kept_in, kept_out, in, out, in_q, out_q;
      logic [VCS*P-1:0] granted_vc, accepted_vc;

      if (k == 0) begin : gen_first
        assign kept = going_on;
        assign kept_in = going_in;
        assign kept_out = going_out;
      end else begin : gen_next
        assign kept = gen_round[k-1].pair_q;
        assign kept_in = gen_round[k-1].in_q;
        assign kept_out = gen_round[k-1].out_q;
      end

      voq_round #(.P(P), .VC_ORDER(VC_ORDER), .FIRST_OVER_VC((k > 0) ? 1 : 0)) i_round (
        .ask_i        (ask_ahead),
        .keep_i       (kept),
        .kept_in_i    (kept_in),
        .kept_out_i   (kept_out),
        .grant_turn_i (grant_turn),
        .accept_turn_i(accept_turn),
        .pair_o       (pair),
        .grant_o      (granted),
        .grant_vc_o   (granted_vc),
        .accept_vc_o  (accepted_vc)
      );

      always_comb begin : ports
        in = '0;
        for (int unsigned o = 0; o < P; o++) begin
          in = in | pair[P*o +: P];
          out[o] = pair[P*o +: P] != '0;
        end
      end

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          pair_q <= '0;
          in_q <= '0;
          out_q <= '0;
        end else if (any || pairs_any[k]) begin
          pair_q <= pair;
          in_q <= in;
          out_q <= out;
        end
      end

      assign pairs_any[k] = in_q != '0;
      logic unused;
      assign unused = &{1'b0, granted, granted_vc, accepted_vc};
    end

    assign ahead = gen_round[ITERATIONS-2].pair_q;
    assign ahead_in = gen_round[ITERATIONS-2].in_q;
    assign ahead_out = gen_round[ITERATIONS-2].out_q;
    assign ahead_idle = pairs_any == '0;
  end else begin : gen_none
    assign ahead = '0;
    assign ahead_in = '0;
    assign ahead_out = '0;
    assign ahead_idle = 1'b1;
  end

  // ------------------------------------------------------------------ last round
  logic [P*P-1:0]   pair, granted;
  logic [VCS*P-1:0] granted_vc, accepted_vc;

  voq_round #(.P(P), .VC_ORDER(VC_ORDER), .FIRST_OVER_VC((ITERATIONS > 1) ? 1 : 0)) i_last (
    .ask_i        (ask),
    .keep_i       (keep),
    .kept_in_i    (keep_in),
    .kept_out_i   (keep_out),
    .grant_turn_i (grant_turn),
    .accept_turn_i(accept_turn),
    .pair_o       (pair),
    .grant_o      (granted),
    .grant_vc_o   (granted_vc),
    .accept_vc_o  (accepted_vc)
  );

  // State of the flit that an output granted, by (output, VC): starts its packet, ends it, next
  // flit of the queue available.
  logic [VCS*P-1:0] starts, ends, has_next;

  always_comb begin : granted_flits
    logic [P-1:0] at;
    at = '0;
    for (int unsigned o = 0; o < P; o++) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        at = granted_vc[noc_pkg::vc_index(o, v)] ? granted[P*o +: P] : '0;
        starts[noc_pkg::vc_index(o, v)] = (at & ~owner_q[P*noc_pkg::vc_index(o, v) +: P]) != '0;
        ends[noc_pkg::vc_index(o, v)] = (at & tail[P*noc_pkg::vc_index(o, v) +: P]) != '0;
        has_next[noc_pkg::vc_index(o, v)] = (at & several[P*noc_pkg::vc_index(o, v) +: P]) != '0;
      end
    end
  end

  logic [P*P-1:0] to;  // pairs by input, bit P*i + o

  always_comb begin : leave
    logic [P-1:0] granted_v;  // outputs that grant one VC
    reserve_vc_o = '0;
    granted_v = '0;
    for (int unsigned o = 0; o < P; o++) begin
      reserve_o[o] = pair[P*o +: P] != '0;
      for (int unsigned i = 0; i < P; i++) to[P*i + o] = pair[P*o + i];
    end
    for (int unsigned v = 0; v < VCS; v++) begin
      for (int unsigned o = 0; o < P; o++) begin
        granted_v[o] = granted_vc[noc_pkg::vc_index(o, v)];
        if (granted_v[o]) reserve_vc_o[VC_W*o +: VC_W] = VC_W'(v);
      end
      for (int unsigned i = 0; i < P; i++) pop_o[P*noc_pkg::vc_index(i, v) +: P] = to[P*i +: P] & granted_v;
    end
  end

  // The input of a packet is the only one with bits of owner_q set, so each bit follows its own
  // pair.
  always_ff @(posedge clk_i) begin : packets
    if (!rst_ni) begin
      owner_q <= '0;
      locked_q <= '0;
    end else if (any) begin
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          if (granted_vc[noc_pkg::vc_index(o, v)] && reserve_o[o]) begin
            locked_q[noc_pkg::vc_index(o, v)] <= !ends[noc_pkg::vc_index(o, v)];
          end
          if (granted_vc[noc_pkg::vc_index(o, v)]) begin
            owner_q[P*noc_pkg::vc_index(o, v) +: P] <= (owner_q[P*noc_pkg::vc_index(o, v) +: P] & ~pair[P*o +: P]) |
                                                       (pair[P*o +: P] & {P{!ends[noc_pkg::vc_index(o, v)]}});
          end
        end
      end
    end
  end

  logic [VCS*P-1:0] input_starts;  // (input, VC) moves a packet start

  always_comb begin : packet_starts
    logic [P-1:0] from, output_starts;
    from = '0;
    for (int unsigned o = 0; o < P; o++) output_starts[o] = starts[noc_pkg::vc_index(o, 0) +: VCS] != '0;
    for (int unsigned i = 0; i < P; i++) begin
      from = to[P*i +: P] & output_starts;
      for (int unsigned v = 0; v < VCS; v++) begin
        input_starts[noc_pkg::vc_index(i, v)] = accepted_vc[noc_pkg::vc_index(i, v)] && from != '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : last_served
    if (!rst_ni) begin
      grant_last_q <= '0;
      accept_last_q <= '0;
    end else if (any) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          if (starts[noc_pkg::vc_index(p, v)] && reserve_o[p]) begin
            grant_last_q[P*noc_pkg::vc_index(p, v) +: P] <= granted[P*p +: P];
          end
          if (input_starts[noc_pkg::vc_index(p, v)]) accept_last_q[P*noc_pkg::vc_index(p, v) +: P] <= to[P*p +: P];
        end
      end
    end
  end

  // Candidates after the one served last; none if it is the last one or there is none.
  always_comb begin : turns
    for (int unsigned q = 0; q < VCS * P; q++) begin
      grant_turn[P*q +: P] = ~(grant_last_q[P*q +: P] | (grant_last_q[P*q +: P] - P'(1)));
      accept_turn[P*q +: P] = ~(accept_last_q[P*q +: P] | (accept_last_q[P*q +: P] - P'(1)));
    end
  end

  logic [P*P-1:0] stream;
  logic [P-1:0]   stream_in;

  always_comb begin : streams
    stream_in = '0;
    for (int unsigned o = 0; o < P; o++) begin
      stream[P*o +: P] = '0;
      if ((has_next[noc_pkg::vc_index(o, 0) +: VCS] & ~ends[noc_pkg::vc_index(o, 0) +: VCS]) != '0) begin
        stream[P*o +: P] = pair[P*o +: P];
      end
      stream_in = stream_in | stream[P*o +: P];
    end
  end

  always_ff @(posedge clk_i) begin : pairs
    if (!rst_ni) begin
      pair_o <= '0;
      stream_q <= '0;
      stream_in_q <= '0;
      stream_out_q <= '0;
    end else if (any || pair_o != '0) begin
      pair_o <= pair;
      stream_q <= stream;
      stream_in_q <= stream_in;
      for (int unsigned o = 0; o < P; o++) stream_out_q[o] <= stream[P*o +: P] != '0;
    end
  end

  // Stall counts of the last cycle: inputs that lacked room, and all remaining ones with a
  // head-of-line flit.
  logic [P-1:0] short_of_room, has_hol, no_room_q, ready_q, popped;

  always_comb begin : stalled
    logic [P-1:0] able, lacks_room;
    short_of_room = '0;
    has_hol = '0;
    able = '0;
    lacks_room = '0;
    if (any) begin
      for (int unsigned q = 0; q < VCS * P; q++) begin
        able = able | ask[P*q +: P];
        has_hol = has_hol | valid[P*q +: P];
        if (!locked_q[q] && !room_i[q]) lacks_room = lacks_room | valid[P*q +: P];
      end
      short_of_room = lacks_room & ~able;
    end
  end

  always_comb begin : moved
    popped = '0;
    if (pair_o != '0) begin
      for (int unsigned o = 0; o < P; o++) popped = popped | pair_o[P*o +: P];
    end
  end

  always_ff @(posedge clk_i) begin : stalls
    if (!rst_ni) begin
      no_room_q <= '0;
      ready_q <= '0;
      stall_credit_o <= '0;
      stall_arbiter_o <= '0;
    end else begin
      no_room_q <= short_of_room;
      ready_q <= has_hol & ~short_of_room;
      stall_credit_o <= 8'($countones(no_room_q));
      stall_arbiter_o <= 8'($countones(ready_q)) - 8'($countones(popped));
    end
  end

  assign idle_o = ahead_idle && pair_o == '0 && no_room_q == '0 && ready_q == '0 && stall_credit_o == '0 &&
                  stall_arbiter_o == '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0]     many_in, many_out;
    logic [VCS*P-1:0] open, begun_by_others;
    if (rst_ni && any) begin
      for (int unsigned p = 0; p < P; p++) begin
        many_in[p] = $countones(pop_o[P*noc_pkg::vc_index(p, 0) +: VCS*P]) > 1;
        many_out[p] = (pair[P*p +: P] & (pair[P*p +: P] - P'(1))) != '0;
      end
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          open[noc_pkg::vc_index(o, v)] = owner_q[P*noc_pkg::vc_index(o, v) +: P] != '0;
          begun_by_others[noc_pkg::vc_index(o, v)] =
              granted_vc[noc_pkg::vc_index(o, v)] && locked_q[noc_pkg::vc_index(o, v)] &&
              starts[noc_pkg::vc_index(o, v)] && reserve_o[o];
        end
      end
      leaves_are_hol_flits: assert ((pop_o & ~valid_i) == '0);
      one_flit_of_an_input: assert (many_in == '0);
      one_flit_to_an_output: assert (many_out == '0);
      packets_are_not_interleaved: assert (begun_by_others == '0);
      locked_is_owned: assert (open == locked_q);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      packet_goes_on: cover (any && (stream_q & pair) != '0);
      higher_vc_cuts_in: cover (any && (stream_q & ~pair) != '0);
      packet_waits_for_its_flits: cover (locked_q != '0 && pair_o == '0);
      all_outputs_matched: cover (&reserve_o);
      pair_of_an_earlier_round_fails: cover (any && (ahead & ~pair) != '0);
      grant_not_accepted: cover (any && granted != pair);
    end
  end
endmodule
