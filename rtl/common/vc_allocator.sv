// SPDX-License-Identifier: Apache-2.0
// VC allocator of a switch: one round of request, grant and accept between input and output ports.
//
// Request  Bit P*vc_index(p, v) + o of request_i: the head-of-line flit of VC v at input p requests
//          output o. A flit requests one output at most.
// Grant    Every requested (output, VC) has a winner: the first requesting input at or after the
//          turn of (output, VC), cyclically. Every output grants the winner of one VC: the highest
//          one (VC_ORDER) with a winner; VCs of last_i come after all others. grant_o, bit P*p + o;
//          grant_vc_o, bit vc_index(o, v).
// Accept   Every input accepts the grant of its highest VC. Grants of outputs in drop_i are not
//          accepted. accept_o, bit P*p + o, at most one per input and per output; accept_vc_o, bit
//          vc_index(p, v); pop_o and pop_vc_o: an input accepts a grant, and the VC of it (0
//          without one).
// Turns    advance_i, bit vc_index(o, v): at the edge the turn of (output, VC) moves to the input
//          after its winner. High only with a winner (asserted). After reset all turns are at input
//          0.
// Timing: all outputs are combinational; the turns are the only registers. drop_i may depend on
//   grant_o, and advance_i on all outputs.
module vc_allocator #(
  /// number of switch ports
  parameter int unsigned P = 10,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // requests
  input  logic [VCS*P*P-1:0] request_i,
  // grants
  input  logic [VCS*P-1:0]   last_i,
  output logic [P*P-1:0]     grant_o,
  output logic [VCS*P-1:0]   grant_vc_o,
  input  logic [VCS*P-1:0]   advance_i,
  // accepted grants
  input  logic [P-1:0]       drop_i,
  output logic [P*P-1:0]     accept_o,
  output logic [VCS*P-1:0]   accept_vc_o,
  output logic [P-1:0]       pop_o,
  output logic [VC_W*P-1:0]  pop_vc_o
);
  // Inputs with requests, and VCs with a head-of-line request: let the simulator skip the logic of
  // the remaining ones; tied high for synthesis.
  logic [P-1:0]   enable;
  logic [VCS-1:0] enable_vc;
`ifdef SYNTHESIS
  assign enable = '1;
  assign enable_vc = '1;
`else
  for (genvar p = 0; p < P; p++) begin : gen_enable
    assign enable[p] = request_i[P*noc_pkg::vc_index(p, 0) +: VCS*P] != '0;
  end

  always_comb begin : enables
    enable_vc = '0;
    for (int unsigned p = 0; p < P; p++) begin
      if (enable[p]) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          if (request_i[P*noc_pkg::vc_index(p, v) +: P] != '0) enable_vc[v] = 1'b1;
        end
      end
    end
  end
`endif

  // Vectors of a bit per output.
  logic [VCS*P*P-1:0] in_turn_q;       // indexed as request_i: at or after the turn; none of
                                       // (output, VC): as good as all
  logic [P-1:0]       any [VCS];       // some input requests, likewise one in turn
  logic [P-1:0]       any_in_turn [VCS];
  logic [P-1:0]       winner [VCS*P];  // (input, VC) is the winner

  always_comb begin : winners
    logic [P-1:0] earlier, earlier_in_turn;  // an input before this one requests, likewise one in
                                             // turn
    earlier = '0;
    earlier_in_turn = '0;
    for (int unsigned v = 0; v < VCS; v++) begin
      any[v] = '0;
      any_in_turn[v] = '0;
    end
    for (int unsigned q = 0; q < VCS * P; q++) winner[q] = '0;
    for (int unsigned v = 0; v < VCS; v++) begin
      if (enable_vc[v]) begin
        for (int unsigned p = 0; p < P; p++) begin
          if (enable[p]) begin
            any[v] = any[v] | request_i[P*noc_pkg::vc_index(p, v) +: P];
            any_in_turn[v] = any_in_turn[v] | (request_i[P*noc_pkg::vc_index(p, v) +: P] &
                                               in_turn_q[P*noc_pkg::vc_index(p, v) +: P]);
          end
        end
        earlier = '0;
        earlier_in_turn = '0;
        for (int unsigned p = 0; p < P; p++) begin
          if (enable[p]) begin
            winner[noc_pkg::vc_index(p, v)] = request_i[P*noc_pkg::vc_index(p, v) +: P] &
                                              ((in_turn_q[P*noc_pkg::vc_index(p, v) +: P] & ~earlier_in_turn) |
                                               ~(any_in_turn[v] | earlier));
            earlier = earlier | request_i[P*noc_pkg::vc_index(p, v) +: P];
            earlier_in_turn = earlier_in_turn | (request_i[P*noc_pkg::vc_index(p, v) +: P] &
                                                 in_turn_q[P*noc_pkg::vc_index(p, v) +: P]);
          end
        end
      end
    end
  end

  // ------------------------------------------------------------------ turns
  logic [P-1:0] advance [VCS];
  always_comb begin : advances
    for (int unsigned v = 0; v < VCS; v++) begin
      advance[v] = '0;
      if (enable_vc[v]) begin
        for (int unsigned o = 0; o < P; o++) advance[v][o] = advance_i[noc_pkg::vc_index(o, v)];
      end
    end
  end

  always_ff @(posedge clk_i) begin : turns
    logic [P-1:0] earlier, earlier_in_turn;  // an input before this one requests, likewise one in
                                             // turn
    if (!rst_ni) begin
      in_turn_q <= '0;
    end else begin
      for (int unsigned v = 0; v < VCS; v++) begin
        if (advance[v] != '0) begin
          earlier = '0;
          earlier_in_turn = '0;
          for (int unsigned p = 0; p < P; p++) begin
            in_turn_q[P*noc_pkg::vc_index(p, v) +: P] <=
                (advance[v] & ((any_in_turn[v] & earlier_in_turn) | (~any_in_turn[v] & earlier))) |
                (~advance[v] & in_turn_q[P*noc_pkg::vc_index(p, v) +: P]);
            earlier = earlier | request_i[P*noc_pkg::vc_index(p, v) +: P];
            earlier_in_turn = earlier_in_turn | (request_i[P*noc_pkg::vc_index(p, v) +: P] &
                                                 in_turn_q[P*noc_pkg::vc_index(p, v) +: P]);
          end
        end
      end
    end
  end

  // ------------------------------------------------------------------ grants
  logic [P-1:0] fresh [VCS];  // requested, and not of last_i
  logic [P-1:0] grant [VCS];  // the output grants this VC

  always_comb begin : grants
    logic [P-1:0] any_fresh, higher_fresh, higher_any;
    any_fresh = '0;
    higher_fresh = '0;
    higher_any = '0;
    grant_vc_o = '0;
    for (int unsigned v = 0; v < VCS; v++) begin
      fresh[v] = '0;
      grant[v] = '0;
    end
    if (enable != '0) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        if (enable_vc[v]) begin
          for (int unsigned o = 0; o < P; o++) fresh[v][o] = any[v][o] && !last_i[noc_pkg::vc_index(o, v)];
          any_fresh = any_fresh | fresh[v];
        end
      end
      for (int unsigned rank = 0; rank < VCS; rank++) begin
        grant[VC_ORDER[VC_W*rank +: VC_W]] = (fresh[VC_ORDER[VC_W*rank +: VC_W]] & ~higher_fresh) |
                                             (any[VC_ORDER[VC_W*rank +: VC_W]] & ~any_fresh & ~higher_any);
        higher_fresh = higher_fresh | fresh[VC_ORDER[VC_W*rank +: VC_W]];
        higher_any = higher_any | any[VC_ORDER[VC_W*rank +: VC_W]];
      end
      for (int unsigned v = 0; v < VCS; v++) begin
        if (enable_vc[v]) begin
          for (int unsigned o = 0; o < P; o++) grant_vc_o[noc_pkg::vc_index(o, v)] = grant[v][o];
        end
      end
    end
  end

  // ------------------------------------------------------------------ accept
  always_comb begin : granted_flits
    grant_o = '0;
    for (int unsigned p = 0; p < P; p++) begin
      if (enable[p]) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          grant_o[P*p +: P] = grant_o[P*p +: P] | (winner[noc_pkg::vc_index(p, v)] & grant[v]);
        end
      end
    end
  end

  always_comb begin : accepts
    logic [VCS-1:0] got, accept;  // VCs of one input
    accept_o = '0;
    accept_vc_o = '0;
    pop_o = '0;
    pop_vc_o = '0;
    got = '0;
    accept = '0;
    for (int unsigned p = 0; p < P; p++) begin
      if (enable[p]) begin
        for (int unsigned v = 0; v < VCS; v++) got[v] = (winner[noc_pkg::vc_index(p, v)] & grant[v] & ~drop_i) != '0;
        if (got != '0) begin
          pop_o[p] = 1'b1;
          accept = noc_pkg::first_of(VC_ORDER, got);
          pop_vc_o[VC_W*p +: VC_W] = noc_pkg::onehot_vc(accept);
          accept_vc_o[noc_pkg::vc_index(p, 0) +: VCS] = accept;
          for (int unsigned v = 0; v < VCS; v++) begin
            if (accept[v]) begin
              accept_o[P*p +: P] = accept_o[P*p +: P] | (winner[noc_pkg::vc_index(p, v)] & grant[v] & ~drop_i);
            end
          end
        end
      end
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] used, used_twice;  // outputs
    logic         one_winner;        // every requested (output, VC) has one winner
    logic         one_each;          // no input accepts two
    logic         winner_advances;   // turns move only with a winner
    logic         thermometers;      // turns are thermometer codes
    if (rst_ni && enable != '0) begin
      used_twice = '0;
      one_winner = 1'b1;
      one_each = 1'b1;
      winner_advances = 1'b1;
      thermometers = 1'b1;
      for (int unsigned v = 0; v < VCS; v++) begin
        used = '0;
        for (int unsigned p = 0; p < P; p++) begin
          one_winner = one_winner && (used & winner[noc_pkg::vc_index(p, v)]) == '0;
          used = used | winner[noc_pkg::vc_index(p, v)];
          if (p > 0) begin
            thermometers = thermometers && (in_turn_q[P*noc_pkg::vc_index(p - 1, v) +: P] &
                                            ~in_turn_q[P*noc_pkg::vc_index(p, v) +: P]) == '0;
          end
        end
        one_winner = one_winner && used == any[v];
        winner_advances = winner_advances && (advance[v] & ~any[v]) == '0;
      end
      used = '0;
      for (int unsigned p = 0; p < P; p++) begin
        used_twice = used_twice | (used & accept_o[P*p +: P]);
        used = used | accept_o[P*p +: P];
        one_each = one_each && $onehot0(accept_o[P*p +: P]) && pop_o[p] == (accept_o[P*p +: P] != '0);
      end
      one_winner_per_output_and_vc: assert (one_winner);
      advance_has_a_winner: assert (winner_advances);
      turns_are_thermometers: assert (thermometers);
      input_accepts_one: assert (one_each);
      output_is_accepted_by_one: assert (used_twice == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    logic in_turn, round;  // a turn moves, of a winner in turn or of another one
    logic yields;          // a VC of last_i is not granted
    if (rst_ni && enable != '0) begin
      in_turn = 1'b0;
      round = 1'b0;
      yields = 1'b0;
      for (int unsigned v = 0; v < VCS; v++) begin
        in_turn = in_turn || (advance[v] & any_in_turn[v]) != '0;
        round = round || (advance[v] & ~any_in_turn[v]) != '0;
        yields = yields || (any[v] & ~fresh[v] & ~grant[v]) != '0;
      end
      an_input_in_turn_wins: cover (in_turn);
      turn_goes_round: cover (round);
      last_vc_yields: cover (yields);
      grant_is_not_accepted: cover (grant_o != accept_o);
      several_are_accepted: cover ((pop_o & (pop_o - P'(1))) != '0);
    end
  end
endmodule
