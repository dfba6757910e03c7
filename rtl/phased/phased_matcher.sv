// SPDX-License-Identifier: Apache-2.0
// Matcher of online unicasts, alongside the phase in use (§5: the default header index): selects
// the head-of-line flits that leave at an edge.
//
// One round of request, grant and accept, from registers. The actions of the phase in this cycle
//   arrive late and only remove moves.
//   request  A head-of-line flit that is an online unicast with an output port requests it: always
//            inside a packet; a packet start if the staging of (output, VC) has room for a packet,
//            no online packet is open there, and the phase is neither inside a packet there nor has
//            flits of that VC in flight (in_flight_i). There are no requests for a closed output
//            (closed_i). An input whose last flit moved in the last cycle, with the next flit of
//            that packet available now, makes no requests on VCs of lower priority: they would win
//            nothing and keep outputs from other inputs.
//   grant    Every output grants one head-of-line flit, by VC (VC_ORDER) and round robin:
//            vc_allocator.
//   accept   Every input accepts one of its grants, likewise. A head-of-line flit with an accepted
//            grant moves, unless the phase uses its input or output in this cycle.
//   turn     The turn of (output, VC) advances when a packet start is granted and the phase does
//            not use the output, even if the head-of-line flit does not move: an input that is
//            otherwise in use does not block other inputs.
// Throughput, alone in the switch: a permutation 1.0; uniform on one VC 0.61 at 12 ports, as any
//   matcher with one queue per input (all head-of-line flits differ in their input, so one round
//   finds every match). On several VCs it is lower than with more rounds: 0.73 in place of 0.78
//   with three VCs that always have packets.
// Fairness: VCs by priority. A packet start whose input and output are free whenever it is granted
//   waits, within its VC, for at most P - 1 other packets at its output. A grant whose input the
//   phase has taken is lost for this cycle. If another input requested that output too, an input
//   that loses its grant to the phase skips the next cycle with probability 1/2 (a shift register
//   that steps in cycles in which several inputs request one output). Such an input thus does not
//   keep the output from other inputs while a phase runs, at most 17 cycles at a time, and no
//   periodic pattern of the phase starves it of the cycles that the phase leaves.
// APART_LEVELS: the two sub-networks of a Fred_2(P) can only route every matching with a global
//   view of it. Without this view a flit takes, at every level, the sub-network given by the bit of
//   its input at that level (fred_online_paths). Two flits then collide only behind the
//   D-µSwitches, if their outputs differ only in bits up to some bit below the number of levels,
//   and their inputs agree up to that bit. One of two such grants is dropped, as if its output were
//   taken: the grant of the later output, counted from an output that advances by one in every
//   cycle with drops. Flits move only in cycles in which the phase fires nothing.
// Timing: request_i to in_flight_vc_i are early, phase_pop_i to phase_fires_i may arrive late.
//   pop_o to reserve_vc_o are of this cycle; move_o and phase_*_o follow its edge. Stalls of a
//   cycle are on stall_*_o after the next edge but one.
// idle_o: without head-of-line flits an edge changes nothing.
module phased_matcher #(
  /// number of switch ports, 2 to 32
  parameter int unsigned P = 12,
  /// levels of the interconnect at which flits are kept apart; 0: it has paths for every matching
  parameter int unsigned APART_LEVELS = 0,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // head-of-line flits, bit vc_index(input, VC): requests, output port, last flit of its packet
  input  logic [VCS*P-1:0]                   request_i,
  input  logic [phased_pkg::OUT_W*VCS*P-1:0] out_i,
  input  logic [VCS*P-1:0]                   tail_i,
  // room for a packet, bit vc_index(output, VC); outputs where the phase is inside a packet, and
  // its VC, one-hot
  input  logic [VCS*P-1:0]                   room_i,
  input  logic [P-1:0]                       phase_held_i,
  input  logic [VCS-1:0]                     phase_vc_i,
  // outputs closed to unicasts; outputs with flits of phases in flight, and the VC of these flits
  input  logic [P-1:0]                       closed_i,
  input  logic [P-1:0]                       in_flight_i,
  input  logic [noc_pkg::VC_W-1:0]           in_flight_vc_i,
  // inputs and outputs of the flits that the phase fires in this cycle; any of them
  input  logic [P-1:0]                       phase_pop_i,
  input  logic [P-1:0]                       phase_reserve_i,
  input  logic                               phase_fires_i,
  // head-of-line flits that leave, bit vc_index(input, VC), and their outputs
  output logic [VCS*P-1:0]                   pop_o,
  output logic [P-1:0]                       reserve_o,
  output logic [noc_pkg::VC_W*P-1:0]         reserve_vc_o,
  // an online packet is open, bit vc_index(output, VC)
  output logic [VCS*P-1:0]                   locked_o,
  // after the edge: bit P*input + output of every flit that left; inputs and outputs that the phase
  // used
  output logic [P*P-1:0]                     move_o,
  output logic [P-1:0]                       phase_in_o,
  output logic [P-1:0]                       phase_out_o,
  // head-of-line flits that stayed, for the counters
  output logic [7:0]                         stall_credit_o,
  output logic [7:0]                         stall_arbiter_o,
  output logic                               idle_o
);
  localparam int unsigned OUT_W = phased_pkg::OUT_W;
  localparam int unsigned VC_W = noc_pkg::VC_W;

  // Low without requests: lets the simulator skip this logic; tied high for synthesis, where it
  // would only add all requests to the path to every output.
  logic enable;
`ifdef SYNTHESIS
  assign enable = 1'b1;
`else
  assign enable = request_i != '0;
`endif

  // (input, VC) inside a packet; (input, VC) that moved a flit other than a tail in the last cycle.
  // Inputs that skip this cycle.
  logic [VCS*P-1:0]   begun_q, streams_q;
  logic [P-1:0]       backoff_q;
  logic [VCS*P-1:0]   below, no_room;  // head-of-line flits
  logic [VCS*P*P-1:0] ask;             // outputs requested by every head-of-line flit
  logic [VCS*P-1:0]   locked_q;        // an online packet is open at (output, VC)
  // Outputs that have room for a packet of a VC; outputs at which one may start, too.
  logic [P-1:0]       room [VCS];
  logic [P-1:0]       open [VCS];

  always_comb begin : outputs_by_vc
    for (int unsigned v = 0; v < VCS; v++) begin
      room[v] = '0;
      open[v] = '0;
    end
    if (enable) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        for (int unsigned o = 0; o < P; o++) begin
          room[v][o] = room_i[noc_pkg::vc_index(o, v)];
          open[v][o] = room_i[noc_pkg::vc_index(o, v)] && !locked_q[noc_pkg::vc_index(o, v)] &&
                       !(phase_held_i[o] && phase_vc_i[v]) &&
                       !(in_flight_i[o] && in_flight_vc_i == VC_W'(v));
        end
      end
    end
  end

  always_comb begin : below_a_stream
    logic [VC_W-1:0] high, low;
    below = '0;
    high = '0;
    low = '0;
    if (streams_q != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned rank = 0; rank < VCS; rank++) begin
          for (int unsigned after = rank + 1; after < VCS; after++) begin
            high = VC_ORDER[VC_W*rank +: VC_W];
            low = VC_ORDER[VC_W*after +: VC_W];
            if (streams_q[noc_pkg::vc_index(p, 32'(high))] && request_i[noc_pkg::vc_index(p, 32'(high))]) begin
              below[noc_pkg::vc_index(p, 32'(low))] = 1'b1;
            end
          end
        end
      end
    end
  end

  // no_room: a packet start without room. ask: the requested output, if the head-of-line flit may
  // go there.
  always_comb begin : look_at_outputs
    logic [P-1:0] to;
    no_room = '0;
    ask = '0;
    to = '0;
    if (enable) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          to = request_i[noc_pkg::vc_index(p, v)] ? P'(1) << out_i[OUT_W*noc_pkg::vc_index(p, v) +: OUT_W] : '0;
          no_room[noc_pkg::vc_index(p, v)] = to != '0 && !begun_q[noc_pkg::vc_index(p, v)] && (to & room[v]) == '0;
          if (!begun_q[noc_pkg::vc_index(p, v)]) to = to & open[v];
          if (!below[noc_pkg::vc_index(p, v)] && !backoff_q[p]) ask[P*noc_pkg::vc_index(p, v) +: P] = to & ~closed_i;
        end
      end
    end
  end

  // ------------------------------------------------------------------ grant, accept
  logic [P*P-1:0]    grant, accept;        // bit P*input + output
  logic [VCS*P-1:0]  grant_vc, advance;    // (output, VC): granted; turn advances
  logic [VCS*P-1:0]  accept_vc;            // head-of-line flits that move unless the phase takes
                                           // the input or output
  logic [P-1:0]      got;                  // inputs that accept a grant
  logic [VC_W*P-1:0] unused_pop_vc;
  logic [P-1:0]      contended;            // outputs requested by several inputs
  logic [P-1:0]      dropped;              // with flits kept apart: outputs whose flit would
                                           // collide with another one
  logic [P-1:0]      taken_in, taken_out;  // late: inputs and outputs that the phase takes
  logic              stop;                 // late: the phase takes all of them

  vc_allocator #(.P(P), .VC_ORDER(VC_ORDER)) i_vc_allocator (
    .clk_i,
    .rst_ni,
    .request_i  (ask),
    .last_i     ({VCS * P{1'b0}}),
    .grant_o    (grant),
    .grant_vc_o (grant_vc),
    .advance_i  (advance),
    .drop_i     (dropped),
    .accept_o   (accept),
    .accept_vc_o(accept_vc),
    .pop_o      (got),
    .pop_vc_o   (unused_pop_vc)
  );

  // A packet start is granted only with no packet open, another flit only on its own open packet
  // (asserted).
  always_comb begin : advances
    advance = '0;
    if (enable) begin
      for (int unsigned o = 0; o < P; o++) begin
        if (!taken_out[o] && !dropped[o] && !stop) begin
          advance[noc_pkg::vc_index(o, 0) +: VCS] =
              grant_vc[noc_pkg::vc_index(o, 0) +: VCS] & ~locked_q[noc_pkg::vc_index(o, 0) +: VCS];
        end
      end
    end
  end

  always_comb begin : contention
    logic [P-1:0] asked, by;
    contended = '0;
    asked = '0;
    by = '0;
    if (enable) begin
      for (int unsigned p = 0; p < P; p++) begin
        by = '0;
        for (int unsigned v = 0; v < VCS; v++) by = by | ask[P*noc_pkg::vc_index(p, v) +: P];
        contended = contended | (asked & by);
        asked = asked | by;
      end
    end
  end

  if (APART_LEVELS > 0) begin : gen_apart
    localparam int unsigned CLASSES = 1 << APART_LEVELS;
    // Grant of each output, a bit per input. Likewise, for each n + 1 low bits of an input index,
    // indexed by these bits: high if the output grants such an input.
    logic [P-1:0]       granted [P];
    logic [CLASSES-1:0] low [P*APART_LEVELS];
    logic [P-1:0]       later_q;  // outputs from the first one on, which rotates; none: all

    always_comb begin : low_bits
      for (int unsigned o = 0; o < P; o++) begin
        granted[o] = '0;
        for (int unsigned n = 0; n < APART_LEVELS; n++) low[APART_LEVELS*o + n] = '0;
      end
      if (enable) begin
        for (int unsigned p = 0; p < P; p++) begin
          for (int unsigned o = 0; o < P; o++) begin
            if (grant[P*p + o]) begin
              granted[o][p] = 1'b1;
              for (int unsigned n = 0; n < APART_LEVELS; n++) low[APART_LEVELS*o + n][p % (2 << n)] = 1'b1;
            end
          end
        end
      end
    end

    // The highest bit in which two outputs differ is their level: from there on they share the
    // D-µSwitches. Their flits share a sub-network there if their inputs, two different ones, agree
    // up to that bit. Computed from one-hot grants, which arrive earlier than input indices.
    always_comb begin : conflicts
      logic agree;
      dropped = '0;
      agree = 1'b0;
      if (enable) begin
        for (int unsigned o = 0; o < P; o++) begin
          for (int unsigned q = 0; q < P; q++) begin
            if (o != q && $clog2((o ^ q) + 1) <= APART_LEVELS) begin
              agree = (low[APART_LEVELS*o + $clog2((o ^ q) + 1) - 1] &
                       low[APART_LEVELS*q + $clog2((o ^ q) + 1) - 1]) != '0;
              if (agree && (granted[o] & granted[q]) == '0 &&
                  ((later_q[o] != later_q[q]) ? later_q[q] : q < o)) dropped[o] = 1'b1;
            end
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin : rotate
      if (!rst_ni) later_q <= '1;
      else if (dropped != '0) later_q <= (later_q << 1 == '0) ? '1 : later_q << 1;
    end

    assign taken_in = '0;
    assign taken_out = '0;
    assign stop = phase_fires_i;
  end else begin : gen_all
    logic unused_fires;
    assign unused_fires = phase_fires_i;
    assign dropped = '0;
    assign taken_in = phase_pop_i;
    assign taken_out = phase_reserve_i;
    assign stop = 1'b0;
  end

  // ------------------------------------------------------------------ move
  logic [P*P-1:0] move;   // bit P*input + output
  logic [P-1:0]   tails;  // outputs whose accepted flit ends its packet
  logic [P-1:0]   pop;    // inputs that a head-of-line flit leaves
  logic [P-1:0]   lost;   // inputs whose accepted grant the phase took, contended ones too

  // The late signals come last, each once.
  always_comb begin : move_one
    logic [P-1:0] pop_rivals;  // inputs whose accepted grant is of a contended output
    move = '0;
    pop = '0;
    reserve_o = '0;
    reserve_vc_o = '0;
    tails = '0;
    pop_rivals = '0;
    if (enable) begin
      for (int unsigned p = 0; p < P; p++) begin
        if (!taken_in[p] && !stop) move[P*p +: P] = accept[P*p +: P] & ~taken_out;
        // With APART_LEVELS the phase takes no single output, so an input with any grant accepts
        // one: known earlier.
        pop[p] = (APART_LEVELS > 0) ? got[p] : (accept[P*p +: P] & ~taken_out) != '0;
        if (!taken_in[p]) reserve_o = reserve_o | accept[P*p +: P];
        pop_rivals[p] = (accept[P*p +: P] & contended) != '0;
        if ((accept_vc[noc_pkg::vc_index(p, 0) +: VCS] & tail_i[noc_pkg::vc_index(p, 0) +: VCS]) != '0) begin
          tails = tails | accept[P*p +: P];
        end
      end
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          if (grant_vc[noc_pkg::vc_index(o, v)]) reserve_vc_o[VC_W*o +: VC_W] = VC_W'(v);
        end
      end
    end
    if (stop) pop = '0;
    if (stop) reserve_o = '0;
    pop = pop & ~taken_in;
    for (int unsigned p = 0; p < P; p++) begin
      pop_o[noc_pkg::vc_index(p, 0) +: VCS] = pop[p] ? accept_vc[noc_pkg::vc_index(p, 0) +: VCS] : '0;
    end
    reserve_o = reserve_o & ~taken_out;
    lost = pop_rivals & phase_pop_i;
  end

  // ------------------------------------------------------------------ state
  logic [16:0] dice_q;  // x^17 + x^14 + 1

  always_ff @(posedge clk_i) begin : update
    if (!rst_ni) begin
      begun_q <= '0;
      locked_q <= '0;
      streams_q <= '0;
      backoff_q <= '0;
      dice_q <= 17'd1;
      move_o <= '0;
      phase_in_o <= '0;
      phase_out_o <= '0;
    end else begin
      move_o <= move;
      phase_in_o <= phase_pop_i;
      phase_out_o <= phase_reserve_i;
      streams_q <= '0;
      backoff_q <= '0;
      if (enable) begin
        // Steps only if a loser may skip: unicasts alone leave it unchanged.
        if (contended != '0 && phase_pop_i != '0) dice_q <= {dice_q[15:0], dice_q[16] ^ dice_q[13]};
        for (int unsigned p = 0; p < P; p++) begin
          for (int unsigned v = 0; v < VCS; v++) begin
            if (pop[p] && accept_vc[noc_pkg::vc_index(p, v)]) begin
              begun_q[noc_pkg::vc_index(p, v)] <= !tail_i[noc_pkg::vc_index(p, v)];
              streams_q[noc_pkg::vc_index(p, v)] <= !tail_i[noc_pkg::vc_index(p, v)];
            end
          end
          backoff_q[p] <= lost[p] && dice_q[0];
        end
        for (int unsigned o = 0; o < P; o++) begin
          for (int unsigned v = 0; v < VCS; v++) begin
            if (reserve_o[o] && grant_vc[noc_pkg::vc_index(o, v)]) locked_q[noc_pkg::vc_index(o, v)] <= !tails[o];
          end
        end
      end
    end
  end

  assign locked_o = locked_q;

  // Stall counts of the last cycle: head-of-line flits that lacked room, and all remaining ones
  // that requested a move.
  logic [VCS*P-1:0] no_room_q, ready_q;
  logic [P-1:0]     popped;

  always_comb begin : moved
    popped = '0;
    if (move_o != '0) begin
      for (int unsigned p = 0; p < P; p++) popped[p] = move_o[P*p +: P] != '0;
    end
  end

  always_ff @(posedge clk_i) begin : stalls
    if (!rst_ni) begin
      no_room_q <= '0;
      ready_q <= '0;
      stall_credit_o <= '0;
      stall_arbiter_o <= '0;
    end else begin
      no_room_q <= no_room;
      ready_q <= request_i & ~no_room;
      stall_credit_o <= (no_room_q != '0) ? 8'($countones(no_room_q)) : '0;
      stall_arbiter_o <= (ready_q != '0) ? 8'($countones(ready_q)) - 8'($countones(popped)) : '0;
    end
  end

  assign idle_o = move_o == '0 && streams_q == '0 && backoff_q == '0 && no_room_q == '0 && ready_q == '0 &&
                  stall_credit_o == '0 && stall_arbiter_o == '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] wrong, many, granted;
    logic [P-1:0] starts, goes_on, open_packet;  // outputs: grant a packet start; grant another
                                                 // flit; a packet is open there
    if (rst_ni) fires_when_it_pops: assert (phase_fires_i == (phase_pop_i != '0));
    if (rst_ni && (pop != '0 || reserve_o != '0)) begin
      for (int unsigned p = 0; p < P; p++) begin
        wrong[p] = (pop_o[noc_pkg::vc_index(p, 0) +: VCS] & ~request_i[noc_pkg::vc_index(p, 0) +: VCS]) != '0 ||
                   pop[p] != $onehot(pop_o[noc_pkg::vc_index(p, 0) +: VCS]);
        many[p] = (move[P*p +: P] & (move[P*p +: P] - P'(1))) != '0;
      end
      pop_takes_a_hol: assert (wrong == '0);
      one_output_per_flit: assert (many == '0 && $countones(pop) == $countones(reserve_o));
      phase_goes_first: assert ((pop & phase_pop_i) == '0 && (reserve_o & phase_reserve_i) == '0);
    end
    if (rst_ni && enable) begin
      starts = '0;
      goes_on = '0;
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          granted = '0;
          for (int unsigned o = 0; o < P; o++) begin
            granted[o] = grant[P*p + o] && grant_vc[noc_pkg::vc_index(o, v)] && ask[P*noc_pkg::vc_index(p, v) + o];
          end
          if (begun_q[noc_pkg::vc_index(p, v)]) goes_on = goes_on | granted;
          else starts = starts | granted;
        end
      end
      for (int unsigned o = 0; o < P; o++) begin
        open_packet[o] = (grant_vc[noc_pkg::vc_index(o, 0) +: VCS] & locked_q[noc_pkg::vc_index(o, 0) +: VCS]) != '0;
      end
      start_on_a_closed_vc: assert ((starts & open_packet) == '0);
      body_on_an_open_vc: assert ((goes_on & ~open_packet) == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      packet_start_without_room: cover (no_room != '0);
      packet_streams_past_lower_vcs: cover ((below & request_i) != '0);
      several_inputs_ask_for_an_output: cover (contended != '0);
      grant_lost_to_the_phase: cover (lost != '0);
      loser_backs_off: cover (backoff_q != '0);
      several_flits_move: cover ((pop & (pop - P'(1))) != '0);
    end
  end
endmodule
