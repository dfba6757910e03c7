// Control unit of a fred_switch: flow join, choice of phase, pre-emption (§4, §5.4).
//
// Flow join: a flow of the active phase fires when every one of its input ports shows a flit of that
//   phase and every one of its output ports has room. Head flits ask for room for a whole packet
//   (virtual cut-through), body flits find it reserved. All flows of a phase fire independently, one
//   flit per cycle each.
// Choice of phase: for every VC one candidate a cycle is looked up: the phase at the front of an input
//   port (round robin over the ports, moving on while the candidate is not ready), other than the
//   active phase. A candidate is ready when at least one of its flows could fire. (The paper says "when
//   all ports hold a packet"; with an up and a down flow in one phase that would wait for the result of
//   what it holds back, so readiness is per flow here.) Priority: control, MP, PP, DP. The switch
//   changes to a ready candidate
//     of higher priority than the active phase: at once,
//     of equal priority: when the active phase has been silent for YIELD cycles between packets, or has
//       been busy for QUANTUM cycles,
//     of lower priority: when the active phase has been silent for YIELD cycles between packets;
//   always at a packet boundary of every flow: from the decision on no head flit fires, and the change
//   happens when no flow is in the middle of a packet. The pre-empted phase's packets wait.
// Timing: the decision, when no packet is open, reads the row (1 cycle); the next cycle loads it into
//   the flow tables and, as a wave, into the interconnect; the cycle after that flits of the new phase
//   fire. Flits of the old phase under way in the interconnect are not disturbed. Two changes are at
//   least fred_pkg::stages(P) + 2 cycles apart, so that the wave has passed.
//   Until the change happens the decision is taken anew in every cycle: it lapses with the candidate's room.
// Errors: error_join_o: the flits joined by a flow differ in tag or tail; error_phase_o: a candidate is
//   not programmed, is of another VC, or has no flow at that port.
// Online unicasts are not seen here: fred_online gives them what the phase leaves free. An output VC that
//   one of their packets has begun to use counts as an output without room.
// Without flits at the inputs nothing in here changes once idle_o is high.
module fred_control #(
  /// ports of the switch
  parameter int unsigned P = 12,
  /// middle sub-networks
  parameter int unsigned M = 3,
  /// cycles of silence after which the active phase gives way to one of no higher priority
  parameter int unsigned YIELD = 4,
  /// busy cycles after which the active phase gives way to one of equal priority
  parameter int unsigned QUANTUM = 64,
  /// bits of the flow table of a phase, derived
  localparam int unsigned TABLE_W = fred_pkg::row_bits(P, M) - fred_pkg::config_bits(P, M)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // input units; the front of VC v at input p is bit 4p+v
  output logic                 active_o,
  output logic [1:0]           vc_o,
  output logic [7:0]           phase_o,
  input  logic [P-1:0]         match_i,
  input  logic [4*P-1:0]       other_i,
  input  logic [32*P-1:0]      front_phase_i,
  output logic [P-1:0]         pop_o,
  input  logic [P-1:0]         pop_tail_i,
  input  logic [32*P-1:0]      pop_tag_i,
  // output units; room of VC v at output p is bit 4p+v; held: inside a packet of the active phase
  input  logic [P-1:0]         room_now_i,
  input  logic [4*P-1:0]       room_i,
  output logic [P-1:0]         reserve_o,
  input  logic                 held_read_i,
  output logic [P-1:0]         held_o,
  // phase store
  output logic [3:0]           table_read_o,
  output logic [31:0]          table_phase_o,
  input  logic [4*TABLE_W-1:0] table_i,
  output logic                 row_read_o,
  output logic [7:0]           row_phase_o,
  input  logic [TABLE_W-1:0]   row_table_i,
  output logic                 load_o,
  // events of this cycle, for the counters
  output logic [7:0]           reductions_o,
  output logic [7:0]           stall_join_o,
  output logic [7:0]           stall_credit_o,
  output logic [7:0]           stall_phase_o,
  output logic                 error_join_o,
  output logic                 error_phase_o,
  output logic                 idle_o
);
  localparam int unsigned FLOW_W = fred_pkg::sel_w(P);
  localparam int unsigned PORT_W = $clog2(P);
  localparam int unsigned LOCK = fred_pkg::stages(P);
  localparam int unsigned LOCK_W = $clog2(LOCK + 1);
  localparam int unsigned YIELD_W = $clog2(YIELD + 1);
  localparam int unsigned QUANTUM_W = $clog2(QUANTUM + 1);

  // Active phase: which ports each flow joins and feeds (bit f*P+p), additions per flit of each flow, the
  // lowest input port of each input port's flow, which flows exist and which are inside a packet.
  logic                 active_q;
  logic [1:0]           vc_q;
  logic [7:0]           phase_q;
  logic [P*P-1:0]       flow_in_q, flow_out_q;
  logic [8*P-1:0]       flow_adds_q;
  logic [P*PORT_W-1:0]  partner_q;
  logic [P-1:0]         used_q, open_q;

  logic                 loading_q;
  logic [7:0]           next_phase_q;
  logic [LOCK_W-1:0]    lock_q;
  logic [YIELD_W-1:0]   silent_q;
  logic [QUANTUM_W-1:0] busy_q;
  logic [4*PORT_W-1:0]  pointer_q;

  // ------------------------------------------------------------------ candidates
  logic [4*PORT_W-1:0] cand_port;

  always_comb begin
    table_read_o = '0;
    table_phase_o = '0;
    cand_port = '0;
    if (other_i != '0) begin
      for (int unsigned v = 0; v < 4; v++) begin
        // Lowest port at or after the pointer, else the lowest port: scan downwards, the last hit wins.
        for (int p = P - 1; p >= 0; p--) begin
          if (other_i[4*p + v]) begin
            table_read_o[v] = 1'b1;
            cand_port[PORT_W*v +: PORT_W] = PORT_W'(p);
          end
        end
        if (table_read_o[v]) begin
          for (int p = P - 1; p >= 0; p--) begin
            if (other_i[4*p + v] && PORT_W'(p) >= pointer_q[PORT_W*v +: PORT_W]) begin
              cand_port[PORT_W*v +: PORT_W] = PORT_W'(p);
            end
          end
          table_phase_o[8*v +: 8] = front_phase_i[32'(cand_port[PORT_W*v +: PORT_W])*32 + 8*v +: 8];
        end
      end
    end
  end

  // Bit f of these: flow f-1; bit 0 collects the ports without a flow.
  logic [(1<<FLOW_W)-1:0] cand_used, cand_blocked;
  logic [FLOW_W-1:0]      cand_in, cand_out;
  logic [3:0]             cand_ready, cand_wrong;

  always_comb begin
    cand_ready = '0;
    cand_wrong = '0;
    cand_used = '0;
    cand_blocked = '0;
    cand_in = '0;
    cand_out = '0;
    for (int unsigned v = 0; v < 4; v++) begin
      if (table_read_o[v]) begin
        cand_used = '0;
        cand_blocked = '0;
        for (int unsigned p = 0; p < P; p++) begin
          cand_in = table_i[v*TABLE_W + 3 + p*FLOW_W +: FLOW_W];
          cand_out = table_i[v*TABLE_W + 3 + (P + p)*FLOW_W +: FLOW_W];
          cand_used[cand_in] = 1'b1;
          if (!other_i[4*p + v] || front_phase_i[p*32 + 8*v +: 8] != table_phase_o[8*v +: 8]) begin
            cand_blocked[cand_in] = 1'b1;
          end
          if (!room_i[4*p + v]) cand_blocked[cand_out] = 1'b1;
          if (cand_port[PORT_W*v +: PORT_W] == PORT_W'(p) && cand_in == '0) cand_wrong[v] = 1'b1;
        end
        cand_blocked[0] = 1'b1;
        if (!table_i[v*TABLE_W] || table_i[v*TABLE_W + 1 +: 2] != 2'(v)) cand_wrong[v] = 1'b1;
        cand_ready[v] = !cand_wrong[v] && (cand_used & ~cand_blocked) != '0;
      end
    end
  end

  // ------------------------------------------------------------------ decision
  logic [1:0] rank_now, pick_vc;
  logic       silent, expired, change;
  assign rank_now = noc_pkg::vc_rank(vc_q);
  assign silent = silent_q == YIELD_W'(YIELD) && open_q == '0;
  assign expired = busy_q == QUANTUM_W'(QUANTUM);

  always_comb begin
    change = 1'b0;
    pick_vc = 2'd0;
    if (cand_ready != '0 && !loading_q && lock_q == '0) begin
      pick_vc = noc_pkg::first_vc(cand_ready);
      change = !active_q || silent || (noc_pkg::vc_rank(pick_vc) < rank_now) ||
               (pick_vc == vc_q && expired);
    end
  end

  // ------------------------------------------------------------------ flow join
  logic [P-1:0] fire, partly_in, no_room, open_d;
  logic [7:0]   adds;

  always_comb begin
    fire = '0;
    partly_in = '0;
    no_room = '0;
    pop_o = '0;
    reserve_o = '0;
    adds = '0;
    if (match_i != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (used_q[f] && (flow_in_q[f*P +: P] & match_i) != '0) begin
          if ((flow_in_q[f*P +: P] & ~match_i) != '0) partly_in[f] = 1'b1;
          else if (!open_q[f] && (flow_out_q[f*P +: P] & ~room_now_i) != '0) no_room[f] = 1'b1;
          else if (open_q[f] || !change) begin
            fire[f] = 1'b1;
            pop_o = pop_o | flow_in_q[f*P +: P];
            reserve_o = reserve_o | flow_out_q[f*P +: P];
            adds = adds + flow_adds_q[8*f +: 8];
          end
        end
      end
    end
  end

  always_comb begin
    open_d = open_q;
    error_join_o = 1'b0;
    if (fire != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (fire[f]) open_d[f] = (flow_in_q[f*P +: P] & pop_tail_i) == '0;
      end
      if (adds != '0) begin
        for (int unsigned p = 0; p < P; p++) begin
          if (pop_o[p] && partner_q[PORT_W*p +: PORT_W] != PORT_W'(p) &&
              (pop_tag_i[32*p +: 32] != pop_tag_i[32'(partner_q[PORT_W*p +: PORT_W])*32 +: 32] ||
               pop_tail_i[p] != pop_tail_i[partner_q[PORT_W*p +: PORT_W]])) begin
            error_join_o = 1'b1;
          end
        end
      end
    end
  end

  always_comb begin
    held_o = '0;
    if (held_read_i && open_q != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (open_q[f]) held_o = held_o | flow_out_q[f*P +: P];
      end
    end
  end

  // ------------------------------------------------------------------ loading a phase
  logic [P*P-1:0]      flow_in_d, flow_out_d;
  logic [8*P-1:0]      flow_adds_d;
  logic [P*PORT_W-1:0] partner_d;
  logic [FLOW_W-1:0]   load_in, load_out;

  always_comb begin
    flow_in_d = '0;
    flow_out_d = '0;
    flow_adds_d = '0;
    partner_d = '0;
    load_in = '0;
    load_out = '0;
    if (loading_q) begin
      for (int unsigned p = 0; p < P; p++) begin
        load_in = row_table_i[3 + p*FLOW_W +: FLOW_W];
        load_out = row_table_i[3 + (P + p)*FLOW_W +: FLOW_W];
        for (int unsigned f = 0; f < P; f++) begin
          if (load_in == FLOW_W'(f + 1)) begin
            if (flow_in_d[f*P +: P] != '0) flow_adds_d[8*f +: 8] = flow_adds_d[8*f +: 8] + 8'd1;
            flow_in_d[f*P + p] = 1'b1;
          end
          if (load_out == FLOW_W'(f + 1)) flow_out_d[f*P + p] = 1'b1;
        end
        partner_d[PORT_W*p +: PORT_W] = PORT_W'(p);
        for (int q = p - 1; q >= 0; q--) begin
          if (row_table_i[3 + q*FLOW_W +: FLOW_W] == load_in) begin
            partner_d[PORT_W*p +: PORT_W] = PORT_W'(q);
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      vc_q <= '0;
      phase_q <= '0;
      next_phase_q <= '0;
      loading_q <= 1'b0;
      lock_q <= '0;
      silent_q <= YIELD_W'(YIELD);
      busy_q <= '0;
      open_q <= '0;
      used_q <= '0;
      flow_in_q <= '0;
      flow_out_q <= '0;
      flow_adds_q <= '0;
      partner_q <= '0;
      pointer_q <= '0;
    end else begin
      open_q <= open_d;
      loading_q <= row_read_o;
      if (row_read_o) next_phase_q <= row_phase_o;
      if (lock_q != '0) lock_q <= lock_q - LOCK_W'(1);
      if (fire != '0) begin
        silent_q <= '0;
        if (!expired) busy_q <= busy_q + QUANTUM_W'(1);
      end else if (silent_q != YIELD_W'(YIELD)) begin
        silent_q <= silent_q + YIELD_W'(1);
      end
      if (loading_q) begin
        active_q <= 1'b1;
        phase_q <= next_phase_q;
        vc_q <= row_table_i[2:1];
        lock_q <= LOCK_W'(LOCK);
        silent_q <= '0;
        busy_q <= '0;
        flow_in_q <= flow_in_d;
        flow_out_q <= flow_out_d;
        flow_adds_q <= flow_adds_d;
        partner_q <= partner_d;
        for (int unsigned f = 0; f < P; f++) used_q[f] <= flow_in_d[f*P +: P] != '0;
      end
      for (int unsigned v = 0; v < 4; v++) begin
        if (table_read_o[v] && !cand_ready[v]) begin
          pointer_q[PORT_W*v +: PORT_W] <= (cand_port[PORT_W*v +: PORT_W] == PORT_W'(P - 1))
                                               ? '0 : cand_port[PORT_W*v +: PORT_W] + PORT_W'(1);
        end
      end
    end
  end

  // ------------------------------------------------------------------ outputs
  // While a phase is being loaded nothing matches: the tables still hold the old phase.
  assign active_o = active_q && !loading_q;
  assign vc_o = vc_q;
  assign phase_o = phase_q;
  assign row_read_o = change && open_d == '0;
  assign row_phase_o = table_phase_o[32'(pick_vc)*8 +: 8];
  assign load_o = loading_q;
  assign reductions_o = adds;
  assign error_phase_o = cand_wrong != '0;
  assign idle_o = !loading_q && lock_q == '0 && silent_q == YIELD_W'(YIELD);

  always_comb begin
    stall_join_o = '0;
    stall_credit_o = '0;
    stall_phase_o = '0;
    if ((partly_in | no_room) != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (partly_in[f]) stall_join_o = stall_join_o + 8'd1;
        if (no_room[f]) stall_credit_o = stall_credit_o + 8'd1;
      end
    end
    if (other_i != '0) begin
      for (int unsigned i = 0; i < 4 * P; i++) stall_phase_o = stall_phase_o + 8'(other_i[i]);
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] early;
    if (rst_ni && (fire != '0 || loading_q)) begin
      for (int unsigned f = 0; f < P; f++) begin
        early[f] = fire[f] && !open_q[f] && (flow_out_q[f*P +: P] & ~room_now_i) != '0;
      end
      no_flit_in_a_change: assert (!loading_q || fire == '0);
      change_between_packets: assert (!loading_q || open_q == '0);
      wave_has_passed: assert (!loading_q || lock_q == '0);
      joined_flits_are_there: assert ((pop_o & ~match_i) == '0);
      packet_has_room: assert (early == '0);
    end
  end
endmodule
