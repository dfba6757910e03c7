// SPDX-License-Identifier: Apache-2.0
// Arbiters of one virtual channel of a mesh_router: for every output port, round robin over the input ports.
//
// Bits of request_i and winner_o: p*P + o, input port p, output port o. An input asks for one output at most.
// Every output that is asked for has one winner: the first input that asks, at or after the output's turn, cyclically.
// Timing: winner_o and any_o follow request_i in the same cycle. advance_i[o] at an edge sets the turn of output o to
//   the input after its winner; it is high only where there is one (asserted). After reset all turns are at input 0.
module mesh_vc_arbiter #(
  /// ports
  parameter int unsigned P = 10
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic [P*P-1:0] request_i,
  input  logic [P-1:0]   advance_i,
  output logic [P*P-1:0] winner_o,
  output logic [P-1:0]   any_o
);
  // Bit p*P + o: input p is at or after the turn of output o. All of an output low means the same as all high.
  logic [P*P-1:0] in_turn_q;

  logic [P-1:0]   any_turn;                 // over outputs: an input in turn asks
  logic [P*P-1:0] before_turn, before_all;  // an input before p asks: one in turn, any one
  always_comb begin : winners
    any_turn = '0;
    any_o = '0;
    before_turn = '0;
    before_all = '0;
    winner_o = '0;
    if (request_i != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        before_turn[p*P +: P] = any_turn;
        before_all[p*P +: P] = any_o;
        any_turn = any_turn | (request_i[p*P +: P] & in_turn_q[p*P +: P]);
        any_o = any_o | request_i[p*P +: P];
      end
      for (int unsigned p = 0; p < P; p++) begin
        winner_o[p*P +: P] = request_i[p*P +: P] & ((in_turn_q[p*P +: P] & ~before_turn[p*P +: P]) |
                                                    ~(any_turn | before_all[p*P +: P]));
      end
    end
  end

  always_ff @(posedge clk_i) begin : turns
    if (!rst_ni) begin
      in_turn_q <= '0;
    end else if (advance_i != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        in_turn_q[p*P +: P] <= (advance_i & ((any_turn & before_turn[p*P +: P]) |
                                             (~any_turn & before_all[p*P +: P]))) |
                               (~advance_i & in_turn_q[p*P +: P]);
      end
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] once, twice;
    if (rst_ni && (any_o | advance_i) != '0) begin
      once = '0;
      twice = '0;
      for (int unsigned p = 0; p < P; p++) begin
        twice = twice | (once & winner_o[p*P +: P]);
        once = once | winner_o[p*P +: P];
      end
      one_winner_per_output: assert (twice == '0 && once == any_o);
      winners_ask: assert ((winner_o & ~request_i) == '0);
      advance_has_a_winner: assert ((advance_i & ~any_o) == '0);
      turns_are_thermometers: assert ((in_turn_q[P*(P-1)-1:0] & ~in_turn_q[P*P-1:P]) == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      an_input_in_turn_wins: cover ((advance_i & any_turn) != '0);
      turn_goes_round: cover ((advance_i & ~any_turn) != '0);
      several_outputs_have_winners: cover ((any_o & (any_o - P'(1))) != '0);
    end
  end
endmodule
