// SPDX-License-Identifier: Apache-2.0
// Matcher of online unicasts, beside the phase in use (§5: the default header index): which head-of-line flits leave
// at an edge.
//
// One round of request, grant and accept, from registers. What the phase does in this cycle comes late and only takes
//   away.
//   request  A head-of-line flit that is an online unicast with an output port asks for it: inside a packet always; a
//            packet start if the staging of (output, VC) has room for a packet, no online packet is open there, and
//            the phase neither is inside a packet there nor has flits of that VC under way (under_way_i). None asks
//            for an output that is closed (closed_i). An input whose last flit moved in the last cycle, with the next
//            one of that packet there now, does not ask for VCs of lower priority: it would win nothing and keep
//            outputs from others.
//   grant    Every output grants one head-of-line flit: phased_matcher_output.
//   accept   An input accepts the grant of its highest VC (VC_ORDER). That head-of-line flit moves, unless the
//            phase uses the input or the output in this cycle.
// Throughput, alone in the switch: a permutation 1.0; uniform on one VC as any matcher with one queue per input has
//   it, 0.61 at 12 ports (all head-of-line flits differ in their input, so one round finds all there is). On several
//   VCs less than more rounds would find: 0.73 in place of 0.78 with three VCs that always have packets.
// Fairness: VCs by priority. A packet start whose input and output are free whenever it is granted waits, of its VC,
//   for at most P - 1 other packets at its output. A grant whose input the phase has taken is lost for this cycle.
//   If another input requested that output too, an input that loses its grant to the phase skips the next cycle with
//   probability 1/2 (a shift register that steps in cycles in which several inputs request one output): so it does not
//   keep the output from the others while a phase runs, at most 17 cycles at a time, and no rhythm of the phase keeps
//   it from the cycles that the phase leaves it.
// APART_LEVELS: the two sub-networks of a Fred_2(P) cannot give every matching its paths without looking at all of it.
//   There a flit takes, at every level, the sub-network of its input's bit of that level (fred_online_paths): then
//   two flits meet only behind the D-µSwitches, if their outputs differ up to some bit only, below the number of
//   levels, and their inputs agree up to that bit. Of two grants of which that is true one is dropped, as if its
//   output were taken: that of the later output, counted from one that moves on by one in every cycle with drops.
//   And flits move only in cycles in which the phase fires nothing.
// Timing: request_i to under_way_vc_i are early, phase_pop_i to phase_fires_i may come late. pop_o to
//   reserve_vc_o are of this cycle; move_o and phase_*_o follow its edge.
//   Stalls of a cycle are on stall_*_o after the next edge but one.
// idle_o: without head-of-line flits an edge changes nothing.
module phased_matcher #(
  /// ports of the switch, 2 to 32
  parameter int unsigned P = 12,
  /// levels of the interconnect at which flits are kept apart; 0: it has paths for every matching
  parameter int unsigned APART_LEVELS = 0,
  /// virtual channels by priority (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // head-of-line flits, that of VC v at input p in bit 4p+v: asks, to which port, last flit of its
  // packet
  input  logic [VCS*P-1:0]                   request_i,
  input  logic [phased_pkg::OUT_W*VCS*P-1:0] out_i,
  input  logic [VCS*P-1:0]                   tail_i,
  // room for a packet of VC v at output p, bit 4p+v; where the phase is inside a packet, and its VC
  input  logic [VCS*P-1:0]                   room_i,
  input  logic [P-1:0]                       phase_held_i,
  input  logic [noc_pkg::VC_W-1:0]           phase_vc_i,
  // outputs to which nothing may go; those to which flits of phases are in flight, and their VC
  input  logic [P-1:0]                       closed_i,
  input  logic [P-1:0]                       under_way_i,
  input  logic [noc_pkg::VC_W-1:0]           under_way_vc_i,
  // inputs and outputs of the flits that the phase fires in this cycle, and whether there are any
  input  logic [P-1:0]                       phase_pop_i,
  input  logic [P-1:0]                       phase_reserve_i,
  input  logic                               phase_fires_i,
  // head-of-line flits that leave, and the outputs they go to
  output logic [P-1:0]                       pop_o,
  output logic [noc_pkg::VC_W*P-1:0]         pop_vc_o,
  output logic [P-1:0]                       reserve_o,
  output logic [noc_pkg::VC_W*P-1:0]         reserve_vc_o,
  // an online packet is open at (output, VC), bit 4p+v
  output logic [VCS*P-1:0]                   locked_o,
  // after the edge: bit P*input + output of every flit that left; inputs and outputs that the phase used
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

  // Low when there are no requests: lets the simulator skip this logic; tied high for synthesis, where it would only
  // put all requests in front of every output.
  logic enable;
`ifdef SYNTHESIS
  assign enable = 1'b1;
`else
  assign enable = request_i != '0;
`endif

  // ------------------------------------------------------------------ request
  // (input, VC) inside a packet; of which the last cycle moved a flit that does not end it. Inputs that skip
  // this cycle.
  logic [VCS*P-1:0]   begun_q, streams_q;
  logic [P-1:0]       rest_q;
  // Bit of head-of-line flit 4p+v; port p and VC v: P*v+p; head-of-line flit and output: P*(4p+v)+o;
  // output and head-of-line flit: P*(4o+v)+p.
  logic [VCS*P-1:0]   below, no_room;
  logic [VCS*P-1:0]   room_by_vc, open_by_vc, start_by_vc, tail_by_vc;
  logic [VCS*P*P-1:0] want, ask;

  // Outputs at which a packet may start, and that have room for one.
  always_comb begin : outputs_by_vc
    room_by_vc = '0;
    open_by_vc = '0;
    if (enable) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        for (int unsigned o = 0; o < P; o++) begin
          room_by_vc[P*v + o] = room_i[VCS*o + v];
          open_by_vc[P*v + o] = room_i[VCS*o + v] && !locked_o[VCS*o + v] &&
                                !(phase_held_i[o] && phase_vc_i == VC_W'(v)) &&
                                !(under_way_i[o] && under_way_vc_i == VC_W'(v));
        end
      end
    end
  end

  always_comb begin : below_a_stream
    below = '0;
    if (streams_q != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned high = 0; high < VCS; high++) begin
          for (int unsigned low = high + 1; low < VCS; low++) begin
            if (streams_q[VCS*p + 32'(VC_ORDER[VC_W*high +: VC_W])] &&
                request_i[VCS*p + 32'(VC_ORDER[VC_W*high +: VC_W])]) begin
              below[VCS*p + 32'(VC_ORDER[VC_W*low +: VC_W])] = 1'b1;
            end
          end
        end
      end
    end
  end

  // no_room: a packet start without room. want: the output, if the head-of-line flit may go there.
  always_comb begin : look_at_outputs
    logic [P-1:0] to;
    no_room = '0;
    want = '0;
    to = '0;
    if (enable) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          to = request_i[VCS*p + v] ? P'(1) << out_i[OUT_W*(VCS*p + v) +: OUT_W] : '0;
          no_room[VCS*p + v] = to != '0 && !begun_q[VCS*p + v] && (to & room_by_vc[P*v +: P]) == '0;
          if (!begun_q[VCS*p + v]) to = to & open_by_vc[P*v +: P];
          if (!below[VCS*p + v] && !rest_q[p]) want[P*(VCS*p + v) +: P] = to & ~closed_i;
        end
      end
    end
  end

  always_comb begin : ask_outputs
    ask = '0;
    if (enable) begin
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          for (int unsigned p = 0; p < P; p++) ask[P*(VCS*o + v) + p] = want[P*(VCS*p + v) + o];
        end
      end
    end
  end

  always_comb begin : by_vc
    start_by_vc = '0;
    tail_by_vc = '0;
    if (enable) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        for (int unsigned p = 0; p < P; p++) begin
          start_by_vc[P*v + p] = !begun_q[VCS*p + v];
          tail_by_vc[P*v + p] = tail_i[VCS*p + v];
        end
      end
    end
  end

  // ------------------------------------------------------------------ grant
  logic [P*P-1:0]   grant;                // bit P*output + input
  logic [VCS*P-1:0] grant_vc;             // bit 4*output + VC
  logic [P-1:0]     contended;
  logic [P-1:0]     dropped;              // if flits are kept apart: outputs whose flit would meet that of another
  logic [P-1:0]     taken_in, taken_out;  // late: inputs and outputs that the phase takes away
  logic             stop;                 // late: all of them

  for (genvar o = 0; o < P; o++) begin : gen_output
    phased_matcher_output #(.P(P), .VC_ORDER(VC_ORDER)) i_output (
      .clk_i,
      .rst_ni,
      .enable_i   (enable),
      .ask_i      (ask[VCS*P*o +: VCS*P]),
      .start_i    (start_by_vc),
      .tail_i     (tail_by_vc),
      .grant_o    (grant[P*o +: P]),
      .grant_vc_o (grant_vc[VCS*o +: VCS]),
      .contended_o(contended[o]),
      .taken_i    (taken_out[o] || dropped[o] || stop),
      .move_i     (reserve_o[o]),
      .locked_o   (locked_o[VCS*o +: VCS])
    );
  end

  if (APART_LEVELS > 0) begin : gen_apart
    localparam int unsigned CLASSES = 1 << APART_LEVELS;
    // Grants of each output, for each n + 1 low bits: indexed by those bits of an input's number, high if it
    // grants such an input.
    logic [P*APART_LEVELS*CLASSES-1:0] low;
    logic [P-1:0]                      later_q;  // outputs from the first one on, which rotates; none: all

    always_comb begin : low_bits
      low = '0;
      if (enable) begin
        for (int unsigned o = 0; o < P; o++) begin
          for (int unsigned n = 0; n < APART_LEVELS; n++) begin
            for (int unsigned p = 0; p < P; p++) begin
              if (grant[P*o + p]) low[CLASSES*(APART_LEVELS*o + n) + p % (2 << n)] = 1'b1;
            end
          end
        end
      end
    end

    // The highest bit in which two outputs differ is their level: from there on they share the D-µSwitches. Flits for
    // them share a sub-network there if their inputs, two different ones, agree up to that bit. From one-hot grants,
    // which is sooner than from numbers of inputs.
    always_comb begin : meet
      logic agree;
      dropped = '0;
      agree = 1'b0;
      if (enable) begin
        for (int unsigned o = 0; o < P; o++) begin
          for (int unsigned q = 0; q < P; q++) begin
            if (o != q && $clog2((o ^ q) + 1) <= APART_LEVELS) begin
              agree = (low[CLASSES*(APART_LEVELS*o + $clog2((o ^ q) + 1) - 1) +: CLASSES] &
                       low[CLASSES*(APART_LEVELS*q + $clog2((o ^ q) + 1) - 1) +: CLASSES]) != '0;
              if (agree && (grant[P*o +: P] & grant[P*q +: P]) == '0 &&
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

  // ------------------------------------------------------------------ accept
  logic [VCS*P-1:0] got, accept;  // bit 4*input + VC
  logic [P*P-1:0]   move;         // bit P*input + output
  logic [P-1:0]     lost;         // inputs whose accepted grant the phase took, from others too
  logic [P-1:0]     pop_rivals;   // inputs whose accepted grant is of an output that others ask for

  always_comb begin : accept_one
    got = '0;
    accept = '0;
    pop_vc_o = '0;
    if (enable) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned o = 0; o < P; o++) begin
          if (grant[P*o + p] && !dropped[o]) got[VCS*p +: VCS] = got[VCS*p +: VCS] | grant_vc[VCS*o +: VCS];
        end
        pop_vc_o[VC_W*p +: VC_W] = noc_pkg::first_vc(VC_ORDER, got[VCS*p +: VCS]);
        if (got[VCS*p +: VCS] != '0) accept[VCS*p +: VCS] = VCS'(1) << pop_vc_o[VC_W*p +: VC_W];
      end
    end
  end

  // The late signals come last, each once.
  always_comb begin : move_one
    logic accepted;
    move = '0;
    pop_o = '0;
    reserve_o = '0;
    reserve_vc_o = '0;
    pop_rivals = '0;
    accepted = 1'b0;
    if (enable) begin
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned p = 0; p < P; p++) begin
          accepted = grant[P*o + p] && !dropped[o] && (grant_vc[VCS*o +: VCS] & accept[VCS*p +: VCS]) != '0;
          move[P*p + o] = accepted && !taken_in[p] && !taken_out[o] && !stop;
          if (accepted && !taken_out[o]) pop_o[p] = 1'b1;
          if (accepted && !taken_in[p]) reserve_o[o] = 1'b1;
          if (accepted && contended[o]) pop_rivals[p] = 1'b1;
        end
        for (int unsigned v = 0; v < VCS; v++) begin
          if (grant_vc[VCS*o + v]) reserve_vc_o[VC_W*o +: VC_W] = VC_W'(v);
        end
      end
      // If the phase takes no output of its own away, an input that has got any grant accepts one: known sooner.
      if (APART_LEVELS > 0) begin
        for (int unsigned p = 0; p < P; p++) pop_o[p] = got[VCS*p +: VCS] != '0;
      end
    end
    if (stop) pop_o = '0;
    if (stop) reserve_o = '0;
    pop_o = pop_o & ~taken_in;
    reserve_o = reserve_o & ~taken_out;
    lost = pop_rivals & phase_pop_i;
  end

  // ------------------------------------------------------------------ state
  logic [16:0] dice_q;  // x^17 + x^14 + 1

  always_ff @(posedge clk_i) begin : update
    if (!rst_ni) begin
      begun_q <= '0;
      streams_q <= '0;
      rest_q <= '0;
      dice_q <= 17'd1;
      move_o <= '0;
      phase_in_o <= '0;
      phase_out_o <= '0;
    end else begin
      move_o <= move;
      phase_in_o <= phase_pop_i;
      phase_out_o <= phase_reserve_i;
      streams_q <= '0;
      rest_q <= '0;
      if (enable) begin
        // Drawn from only where a loser may be: so unicasts alone leave it as it is.
        if (contended != '0 && phase_pop_i != '0) dice_q <= {dice_q[15:0], dice_q[16] ^ dice_q[13]};
        for (int unsigned p = 0; p < P; p++) begin
          for (int unsigned v = 0; v < VCS; v++) begin
            if (pop_o[p] && accept[VCS*p + v]) begin
              begun_q[VCS*p + v] <= !tail_i[VCS*p + v];
              streams_q[VCS*p + v] <= !tail_i[VCS*p + v];
            end
          end
          rest_q[p] <= lost[p] && dice_q[0];
        end
      end
    end
  end

  // ------------------------------------------------------------------ stalls
  // Counted of the last cycle: head-of-line flits that lacked room, and all others that wanted to move.
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

  assign idle_o = move_o == '0 && streams_q == '0 && rest_q == '0 && no_room_q == '0 && ready_q == '0 &&
                  stall_credit_o == '0 && stall_arbiter_o == '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] wrong, many;
    if (rst_ni) fires_when_it_pops: assert (phase_fires_i == (phase_pop_i != '0));
    if (rst_ni && (pop_o != '0 || reserve_o != '0)) begin
      for (int unsigned p = 0; p < P; p++) begin
        wrong[p] = pop_o[p] && !request_i[VCS*p + 32'(pop_vc_o[VC_W*p +: VC_W])];
        many[p] = (move[P*p +: P] & (move[P*p +: P] - P'(1))) != '0;
      end
      pop_takes_a_front: assert (wrong == '0);
      one_output_per_flit: assert (many == '0 && $countones(pop_o) == $countones(reserve_o));
      phase_goes_first: assert ((pop_o & phase_pop_i) == '0 && (reserve_o & phase_reserve_i) == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      packet_start_without_room: cover (no_room != '0);
      packet_streams_past_lower_vcs: cover ((below & request_i) != '0);
      several_inputs_ask_for_an_output: cover (contended != '0);
      grant_lost_to_the_phase: cover (lost != '0);
      loser_rests: cover (rest_q != '0);
      several_flits_move: cover ((pop_o & (pop_o - P'(1))) != '0);
    end
  end
endmodule
