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
//   least fred_pkg::stages(P) + 1 cycles apart, so that the wave has passed.
// Errors: error_join_o: the flits joined by a flow differ in tag or tail; error_phase_o: a candidate is
//   not programmed, is of another VC, or has no flow at that port.
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
  // input units
  output logic                 active_o,
  output logic [1:0]           vc_o,
  output logic [7:0]           phase_o,
  input  logic [P-1:0]         match_i,
  input  logic [P-1:0]         match_tail_i,
  input  logic [32*P-1:0]      match_tag_i,
  input  logic [4*P-1:0]       front_valid_i,
  input  logic [32*P-1:0]      front_phase_i,
  output logic [P-1:0]         pop_o,
  // output units; room of VC v at output p is bit v*P+p
  input  logic [4*P-1:0]       room_i,
  output logic [P-1:0]         reserve_o,
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

  // Active phase: which ports each flow joins and feeds, and which flows are inside a packet.
  logic               active_q;
  logic [1:0]         vc_q;
  logic [7:0]         phase_q;
  logic [P-1:0]       flow_in_q [P];
  logic [P-1:0]       flow_out_q [P];
  logic [7:0]         flow_adds_q [P];
  logic [PORT_W-1:0]  partner_q [P];  // of a port: lowest input port of its flow
  logic [P-1:0]       used_q;
  logic [P-1:0]       open_q;

  logic                 loading_q;
  logic [7:0]           next_phase_q;
  logic [LOCK_W-1:0]    lock_q;
  logic [YIELD_W-1:0]   silent_q;
  logic [QUANTUM_W-1:0] busy_q;
  logic [PORT_W-1:0]    pointer_q [4];

  // ------------------------------------------------------------------ candidates
  logic [P-1:0] other [4];      // fronts that do not belong to the active phase
  logic [PORT_W-1:0] cand_port [4];
  logic [3:0]   cand_ready;
  logic [3:0]   cand_wrong;

  always_comb begin
    table_read_o = '0;
    table_phase_o = '0;
    for (int unsigned v = 0; v < 4; v++) begin
      other[v] = front_valid_i[v*P +: P];
      if (active_q && vc_q == 2'(v)) other[v] = other[v] & ~match_i;
      cand_port[v] = pointer_q[v];
      if (other[v] != '0) begin
        table_read_o[v] = 1'b1;
        // Lowest port at or after the pointer, else the lowest port: scan downwards, the last hit wins.
        for (int p = P - 1; p >= 0; p--) begin
          if (other[v][p]) cand_port[v] = PORT_W'(p);
        end
        for (int p = P - 1; p >= 0; p--) begin
          if (other[v][p] && PORT_W'(p) >= pointer_q[v]) cand_port[v] = PORT_W'(p);
        end
        table_phase_o[8*v +: 8] = front_phase_i[32'(cand_port[v])*32 + 8*v +: 8];
      end
    end
  end

  logic [P-1:0] cand_used, cand_blocked;
  always_comb begin
    cand_ready = '0;
    cand_wrong = '0;
    cand_used = '0;
    cand_blocked = '0;
    for (int unsigned v = 0; v < 4; v++) begin
      if (table_read_o[v]) begin
        cand_used = '0;
        cand_blocked = '0;
        for (int unsigned p = 0; p < P; p++) begin
          for (int unsigned f = 0; f < P; f++) begin
            if (table_i[v*TABLE_W + 3 + p*FLOW_W +: FLOW_W] == FLOW_W'(f + 1)) begin
              cand_used[f] = 1'b1;
              if (!other[v][p] || front_phase_i[p*32 + 8*v +: 8] != table_phase_o[8*v +: 8]) begin
                cand_blocked[f] = 1'b1;
              end
            end
            if (table_i[v*TABLE_W + 3 + (P + p)*FLOW_W +: FLOW_W] == FLOW_W'(f + 1) &&
                !room_i[v*P + p]) begin
              cand_blocked[f] = 1'b1;
            end
          end
        end
        cand_ready[v] = (cand_used & ~cand_blocked) != '0;
        cand_wrong[v] = !table_i[v*TABLE_W] || table_i[v*TABLE_W + 1 +: 2] != 2'(v) ||
                        table_i[v*TABLE_W + 3 + 32'(cand_port[v])*FLOW_W +: FLOW_W] == '0;
        if (cand_wrong[v]) cand_ready[v] = 1'b0;
      end
    end
  end

  // ------------------------------------------------------------------ decision
  // Rank of a VC: 0 is the highest priority; control (3), MP (0), PP (1), DP (2).
  logic [1:0] rank_now, pick_vc;
  logic       silent, expired, change;
  assign rank_now = vc_q + 2'd1;
  assign silent = silent_q == YIELD_W'(YIELD) && open_q == '0;
  assign expired = busy_q == QUANTUM_W'(QUANTUM);

  always_comb begin
    change = 1'b0;
    pick_vc = 2'd0;
    if (cand_ready != '0 && !loading_q && lock_q == '0) begin
      pick_vc = cand_ready[3] ? 2'd3 : cand_ready[0] ? 2'd0 : cand_ready[1] ? 2'd1 : 2'd2;
      change = !active_q || silent || (pick_vc + 2'd1 < rank_now) ||
               (pick_vc == vc_q && expired);
    end
  end

  // ------------------------------------------------------------------ flow join
  logic [P-1:0] room, fire, ready_in, partly_in, no_room, open_d;
  logic [7:0]   adds;

  always_comb begin
    room = '0;
    fire = '0;
    ready_in = '0;
    partly_in = '0;
    no_room = '0;
    open_d = open_q;
    pop_o = '0;
    reserve_o = '0;
    adds = '0;
    error_join_o = 1'b0;
    if (match_i != '0) begin
      room = room_i[32'(vc_q)*P +: P];
      for (int unsigned f = 0; f < P; f++) begin
        if (used_q[f] && (flow_in_q[f] & match_i) != '0) begin
          ready_in[f] = (flow_in_q[f] & ~match_i) == '0;
          partly_in[f] = !ready_in[f];
          no_room[f] = ready_in[f] && !open_q[f] && (flow_out_q[f] & ~room) != '0;
          fire[f] = ready_in[f] && !no_room[f] && (open_q[f] || !change);
          if (fire[f]) begin
            pop_o = pop_o | flow_in_q[f];
            reserve_o = reserve_o | flow_out_q[f];
            open_d[f] = (flow_in_q[f] & match_tail_i) == '0;
            adds = adds + flow_adds_q[f];
          end
        end
      end
      for (int unsigned p = 0; p < P; p++) begin
        if (pop_o[p] && partner_q[p] != PORT_W'(p) &&
            (match_tag_i[32*p +: 32] != match_tag_i[32'(partner_q[p])*32 +: 32] ||
             match_tail_i[p] != match_tail_i[partner_q[p]])) begin
          error_join_o = 1'b1;
        end
      end
    end
  end

  // ------------------------------------------------------------------ loading a phase
  logic [P-1:0]      flow_in_d [P];
  logic [P-1:0]      flow_out_d [P];
  logic [7:0]        flow_adds_d [P];
  logic [PORT_W-1:0] partner_d [P];

  always_comb begin
    for (int unsigned f = 0; f < P; f++) begin
      flow_in_d[f] = '0;
      flow_out_d[f] = '0;
      flow_adds_d[f] = '0;
      partner_d[f] = PORT_W'(f);
    end
    if (loading_q) begin
      for (int unsigned f = 0; f < P; f++) begin
        for (int p = P - 1; p >= 0; p--) begin
          flow_in_d[f][p] = row_table_i[3 + p*FLOW_W +: FLOW_W] == FLOW_W'(f + 1);
          flow_out_d[f][p] = row_table_i[3 + (P + p)*FLOW_W +: FLOW_W] == FLOW_W'(f + 1);
        end
        for (int unsigned p = 0; p < P; p++) begin
          if (flow_in_d[f][p]) begin
            flow_adds_d[f] = flow_adds_d[f] + 8'd1;
            // Partner: the lowest port of the same flow.
            for (int q = P - 1; q >= 0; q--) if (flow_in_d[f][q]) partner_d[p] = PORT_W'(q);
          end
        end
        if (flow_adds_d[f] != '0) flow_adds_d[f] = flow_adds_d[f] - 8'd1;
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
      for (int unsigned p = 0; p < P; p++) begin
        flow_in_q[p] <= '0;
        flow_out_q[p] <= '0;
        flow_adds_q[p] <= '0;
        partner_q[p] <= PORT_W'(p);
      end
      for (int unsigned v = 0; v < 4; v++) pointer_q[v] <= '0;
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
        for (int unsigned f = 0; f < P; f++) begin
          flow_in_q[f] <= flow_in_d[f];
          flow_out_q[f] <= flow_out_d[f];
          flow_adds_q[f] <= flow_adds_d[f];
          partner_q[f] <= partner_d[f];
          used_q[f] <= flow_in_d[f] != '0;
        end
      end
      for (int unsigned v = 0; v < 4; v++) begin
        if (table_read_o[v] && !cand_ready[v]) begin
          pointer_q[v] <= (cand_port[v] == PORT_W'(P - 1)) ? '0 : cand_port[v] + PORT_W'(1);
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
  assign row_phase_o = table_phase_o[8*32'(pick_vc) +: 8];
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
    for (int unsigned v = 0; v < 4; v++) begin
      if (table_read_o[v]) begin
        for (int unsigned p = 0; p < P; p++) begin
          if (other[v][p]) stall_phase_o = stall_phase_o + 8'd1;
        end
      end
    end
  end
endmodule
