// SPDX-License-Identifier: Apache-2.0
// Flow join of the active phase: selects the flits that fire at this edge (§4).
//
// Rule: a flow fires when every one of its input ports shows a flit of the phase (match_i) and
//   every one of its output ports has room. Head flits need room for a whole packet (virtual
//   cut-through), body flits find it reserved; hold_i blocks head flits. All flows fire
//   independently, one flit per cycle each.
// Timing: pop_o and reserve_o are for the coming edge. load_i, with the row of a phase on row_i,
//   sets the tables at the edge; nothing fires at that edge (hold_i is high, no packet is open).
// Two phases in use: row_i has the flows of both; slot_i marks, at a load, the input ports of the
//   second phase. hold_i, fire_o and open_o have a bit per phase. A load that keeps one phase
//   leaves the flows of that phase unchanged; only these flows fire at that edge.
// Shapes: flow f of the tables is code f + 1 of a row; masks of ports by flow are fields of P bits.
// Events: stall_join_o, stall_credit_o and reductions_o are of the edge before, from registers.
module phased_join #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// max phases in use at a time, 1 or 2
  parameter int unsigned PHASES_IN_USE = 1,
  /// width of a phase's flow table, derived
  localparam int unsigned TABLE_W = phased_pkg::row_config_lsb(P),
  /// width of a port index, derived
  localparam int unsigned PORT_W = $clog2(P)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     load_i,
  input  logic [TABLE_W-1:0]       row_i,
  input  logic [P-1:0]             slot_i,
  input  logic [PHASES_IN_USE-1:0] hold_i,
  // input units
  input  logic [P-1:0]             match_i,
  input  logic [P-1:0]             tail_i,
  output logic [P-1:0]             pop_o,
  // lowest input port of each input port's flow, by the tables before the last edge: for flits that
  // are being read
  output logic [P*PORT_W-1:0]      partner_o,
  // output units; held: inside a packet
  input  logic [P-1:0]             room_i,
  output logic [P-1:0]             reserve_o,
  output logic [P-1:0]             held_o,
  // status
  output logic [PHASES_IN_USE-1:0] fire_o,
  output logic [PHASES_IN_USE-1:0] open_o,
  output logic [7:0]               reductions_o,
  output logic [7:0]               stall_join_o,
  output logic [7:0]               stall_credit_o
);
  localparam int unsigned FLOW_W = phased_pkg::flow_w(P);

  // Ports that each flow joins and feeds; additions per flit of each flow; lowest input port of
  // each input port's flow; flows that exist and flows inside a packet.
  logic [P*P-1:0]      flow_in_q, flow_out_q;
  logic [P-1:0]        adds_q;    // inputs whose flits are added to the flit of another input
  logic [P*PORT_W-1:0] partner_q, read_partner_q;
  logic                loaded_q;
  logic [P-1:0]        used_q, open_q;
  logic [P-1:0]        second_q;  // flows of the second phase in use

  // ------------------------------------------------------------------ join
  logic [P-1:0] fire, hold, partly_in, no_room, open_d;
  logic [P-1:0] popped_q, partly_in_q, no_room_q;

  assign hold = (second_q & {P{hold_i[PHASES_IN_USE-1]}}) | (~second_q & {P{hold_i[0]}});

  always_comb begin
    fire = '0;
    partly_in = '0;
    no_room = '0;
    pop_o = '0;
    reserve_o = '0;
    open_d = open_q;
    if (match_i != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (used_q[f] && (flow_in_q[P*f +: P] & match_i) != '0) begin
          if ((flow_in_q[P*f +: P] & ~match_i) != '0) partly_in[f] = 1'b1;
          else if (!open_q[f] && (flow_out_q[P*f +: P] & ~room_i) != '0) no_room[f] = 1'b1;
          else if (open_q[f] || !hold[f]) begin
            fire[f] = 1'b1;
            pop_o = pop_o | flow_in_q[P*f +: P];
            reserve_o = reserve_o | flow_out_q[P*f +: P];
            open_d[f] = (flow_in_q[P*f +: P] & tail_i) == '0;
          end
        end
      end
    end
  end

  always_comb begin
    held_o = '0;
    if (open_q != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (open_q[f]) held_o = held_o | flow_out_q[P*f +: P];
      end
    end
  end

  if (PHASES_IN_USE > 1) begin : gen_two
    assign fire_o = {(fire & second_q) != '0, (fire & ~second_q) != '0};
    assign open_o = {(open_q & second_q) != '0, (open_q & ~second_q) != '0};
  end else begin : gen_one
    assign fire_o = fire != '0;
    assign open_o = open_q != '0;
  end
  assign partner_o = read_partner_q;

  // One addition per input of a flow, except the first input.
  assign reductions_o = (popped_q != '0) ? 8'($countones(popped_q & adds_q)) : '0;
  assign stall_join_o = (partly_in_q != '0) ? 8'($countones(partly_in_q)) : '0;
  assign stall_credit_o = (no_room_q != '0) ? 8'($countones(no_room_q)) : '0;

  // ------------------------------------------------------------------ tables of the phase on row_i
  logic [P-1:0]      flow_in_d [P], flow_out_d [P];  // by flow
  logic [P-1:0]      adds_d, second_d;
  logic [PORT_W-1:0] partner_d [P];
  logic [FLOW_W-1:0] in, out;

  always_comb begin
    for (int unsigned p = 0; p < P; p++) begin
      flow_in_d[p] = '0;
      flow_out_d[p] = '0;
      partner_d[p] = '0;
    end
    adds_d = '0;
    second_d = '0;
    in = '0;
    out = '0;
    if (load_i) begin
      for (int unsigned p = 0; p < P; p++) begin
        in = row_i[phased_pkg::row_in_flow_lsb(P, p) +: FLOW_W];
        out = row_i[phased_pkg::row_out_flow_lsb(P, p) +: FLOW_W];
        for (int unsigned f = 0; f < P; f++) begin
          flow_in_d[f][p] = in == FLOW_W'(f + 1);
          flow_out_d[f][p] = out == FLOW_W'(f + 1);
        end
        partner_d[p] = PORT_W'(p);
        for (int q = p - 1; q >= 0; q--) begin
          if (row_i[phased_pkg::row_in_flow_lsb(P, q) +: FLOW_W] == in) partner_d[p] = PORT_W'(q);
        end
        adds_d[p] = partner_d[p] != PORT_W'(p);
      end
      if (PHASES_IN_USE > 1) begin
        for (int unsigned f = 0; f < P; f++) second_d[f] = (flow_in_d[f] & slot_i) != '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q <= '0;
      used_q <= '0;
      second_q <= '0;
      popped_q <= '0;
      partly_in_q <= '0;
      no_room_q <= '0;
      flow_in_q <= '0;
      flow_out_q <= '0;
      adds_q <= '0;
      partner_q <= '0;
      read_partner_q <= '0;
      loaded_q <= 1'b0;
    end else begin
      open_q <= open_d;
      popped_q <= pop_o;
      partly_in_q <= partly_in;
      no_room_q <= no_room;
      loaded_q <= load_i;
      if (loaded_q) read_partner_q <= partner_q;
      if (load_i) begin
        adds_q <= adds_d;
        second_q <= second_d;
        for (int unsigned f = 0; f < P; f++) begin
          flow_in_q[P*f +: P] <= flow_in_d[f];
          flow_out_q[P*f +: P] <= flow_out_d[f];
          used_q[f] <= flow_in_d[f] != '0;
        end
        for (int unsigned p = 0; p < P; p++) partner_q[PORT_W*p +: PORT_W] <= partner_d[p];
      end
    end
  end

  // With one phase in use no flow belongs to the second.
  if (PHASES_IN_USE == 1) begin : gen_no_slot
    logic unused_slot;
    assign unused_slot = &{1'b0, slot_i};
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] early, moved;
    if (rst_ni && (fire != '0 || load_i)) begin
      for (int unsigned f = 0; f < P; f++) begin
        early[f] = fire[f] && !open_q[f] && (flow_out_q[P*f +: P] & ~room_i) != '0;
        moved[f] = flow_in_d[f] != flow_in_q[P*f +: P] || flow_out_d[f] != flow_out_q[P*f +: P] ||
                   second_d[f] != second_q[f];
      end
      no_flit_in_a_change: assert (!load_i || (PHASES_IN_USE > 1 ? (fire & moved) == '0 : fire == '0));
      change_between_packets: assert (!load_i || (PHASES_IN_USE > 1 ? (open_q & moved) == '0 : open_q == '0));
      heads_are_held_back: assert ((fire & hold & ~open_q) == '0);
      joined_flits_are_there: assert ((pop_o & ~match_i) == '0);
      packet_has_room: assert (early == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      waits_for_an_input: cover (partly_in != '0);
      waits_for_room: cover (no_room != '0);
      held_back_before_a_change: cover (hold_i != '0 && match_i != '0 && fire == '0);
      two_flows_at_once: cover ((fire & (fire - P'(1))) != '0);
      flits_are_added: cover (reductions_o != '0);
    end
  end
endmodule
