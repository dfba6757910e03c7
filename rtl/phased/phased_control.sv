// SPDX-License-Identifier: Apache-2.0
// Control unit of a switch with phases: phase selection, pre-emption, and the join of the active
// phase's flows (§4, §5.4).
//
// Flow join: phased_join. Candidates, at most one per VC, from the head-of-line flits of the input
//   buffers: phased_candidates.
// Phase selection: by priority of the VCs, VC_ORDER. The switch decides for the candidate of
//   highest priority:
//   - higher than the active phase: at once;
//   - equal: when the active phase has been silent for YIELD cycles between packets, or busy for
//     QUANTUM cycles;
//   - lower: when the active phase has been silent for YIELD cycles between packets.
//   Silent means that nothing fires and that the interconnect holds back no flit of the phase
//   (wait_i). A decision is final. After it no head flit fires, and the change takes place when no
//   flow is inside a packet. The packets of the pre-empted phase wait.
// Timing: the change takes place at the first edge, after that of the decision, with no packet open
//   before it. It loads the row into the flow tables, signals it to the interconnect (change_o,
//   change_row_o), which keeps its configuration, and clears all candidates; from then on flits of
//   the new phase fire. Two edges later the configuration enters the interconnect as a wave
//   (load_o), ahead of these flits, which reach it three edges after they fired. Flits of the old
//   phase in flight are not disturbed. Changes are at least CONFIG_STAGES + 1 edges apart, so that
//   the wave has passed before the configuration changes.
// Two phases in use: PHASES_IN_USE = 2 adds a second slot for a phase that shares nothing with the
//   phase in the first slot: no port, no flow code, no field of the interconnect's configuration
//   (phased_candidates). Each slot counts its own silent and busy cycles, and yields by the rules
//   above. A candidate replaces the phases with which it shares something; if there are none, it
//   takes an empty slot, or else the first slot that yields. The decision is for the candidate of
//   highest priority to which all phases that it replaces yield; only the head flits of these
//   phases wait for the change. The tables and the configuration are then the OR of both rows.
//   Ports that no phase uses belong to the first slot.
// Row writes: rows may be written while other phases are in use. A write to the row of the active
//   phase (write_i) ends that phase: its next packets load the new row. A write inside a packet, or
//   at an edge at which a flit fires, does not end it. The writer makes sure that no packet of the
//   phase is in the switch.
// Errors: error_phase_o: a candidate is not programmed, is of another VC, or has no flow at that
//   port.
// Online unicasts are invisible here: phased_matcher gives them the resources that the phase leaves
//   free. An output VC that one of their packets has begun to use counts as an output without room.
// Events (reductions_o, stall_*_o) are of the edge before, from registers.
// idle_o: once high, no state changes without flits at the inputs.
module phased_control #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// row width of the phase store: flows, then the configuration of the interconnect
  parameter int unsigned ROW_W = phased_pkg::row_config_lsb(P),
  /// register stages of the interconnect that hold configuration
  parameter int unsigned CONFIG_STAGES = 1,
  /// max phases in use at a time, 1 or 2
  parameter int unsigned PHASES_IN_USE = 1,
  /// see phased_candidates
  parameter int unsigned CONFIG_FIELD_W = 1,
  /// silent cycles after which the active phase yields to a phase of equal or lower priority
  parameter int unsigned YIELD = 4,
  /// busy cycles after which the active phase yields to a phase of equal priority
  parameter int unsigned QUANTUM = 64,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// width of a port index, derived
  localparam int unsigned PORT_W = $clog2(P),
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W,
  /// width of a phase index, derived
  localparam int unsigned PHASE_W = noc_pkg::PHASE_W
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  // phases in use, by slot; slots of the inputs and outputs
  output logic [PHASES_IN_USE-1:0]         active_o,
  output logic [VC_W*PHASES_IN_USE-1:0]    vc_o,
  output logic [VCS-1:0]                   first_vc_o,  // VC of slot 0, one-hot
  output logic [PHASE_W*PHASES_IN_USE-1:0] phase_o,
  output logic [P-1:0]                     in_slot_o,
  output logic [P-1:0]                     out_slot_o,
  // input units; head-of-line flits by noc_pkg::vc_index
  input  logic [P-1:0]                     match_i,
  input  logic [PHASES_IN_USE-1:0]         wait_i,
  input  logic [P-1:0]                     tail_i,
  input  logic [VCS*P-1:0]                 other_i,
  input  logic [VCS*PHASE_W*P-1:0]         hol_phase_i,
  output logic [P-1:0]                     pop_o,
  output logic [P*PORT_W-1:0]              partner_o,
  // output units; room by noc_pkg::vc_index; fire: pop_o is not zero; held: inside a packet of a
  // phase in use
  input  logic [VCS*P-1:0]                 room_i,
  output logic [P-1:0]                     reserve_o,
  output logic                             fire_o,
  output logic [P-1:0]                     held_o,
  // phase store
  input  logic                             free_i,
  output logic                             read_o,
  output logic [PHASE_W-1:0]               read_phase_o,
  input  logic [ROW_W-1:0]                 row_i,
  input  logic                             write_i,
  input  logic [PHASE_W-1:0]               write_phase_i,
  // change at this edge, to this row; configuration wave of the interconnect
  output logic                             change_o,
  output logic [ROW_W-1:0]                 change_row_o,
  output logic                             load_o,
  // events, for the counters
  output logic [7:0]                       reductions_o,
  output logic [7:0]                       stall_join_o,
  output logic [7:0]                       stall_credit_o,
  output logic [7:0]                       stall_phase_o,
  output logic                             error_phase_o,
  output logic                             idle_o
);
  localparam int unsigned SLOTS = PHASES_IN_USE;
  localparam int unsigned TABLE_W = phased_pkg::row_config_lsb(P);
  // Edges after a change at which no change is decided.
  localparam int unsigned LOCK = (CONFIG_STAGES > 2) ? CONFIG_STAGES - 1 : 1;
  localparam int unsigned LOCK_W = $clog2(LOCK + 1);
  localparam int unsigned YIELD_W = $clog2(YIELD + 1);
  localparam int unsigned QUANTUM_W = $clog2(QUANTUM + 1);

  if (PHASES_IN_USE < 1 || PHASES_IN_USE > 2) begin : gen_range
    $fatal(1, "phased_control: found PHASES_IN_USE=%0d; allowed: 1 or 2", PHASES_IN_USE);
  end

  // State of each slot.
  logic [SLOTS-1:0]           active_q;
  logic [VC_W*SLOTS-1:0]      vc_q;
  logic [VCS-1:0]             first_vc_q;        // slot 0, one-hot: for the matcher, where it is on
                                                 // the critical path
  logic [PHASE_W*SLOTS-1:0]   phase_q;
  logic [YIELD_W*SLOTS-1:0]   silent_q;
  logic [QUANTUM_W*SLOTS-1:0] busy_q;
  logic [SLOTS-1:0]           replaced, target;  // slots whose phases the decision replaces; slot
                                                 // that it takes
  logic [VC_W-1:0]            next_vc_q;
  logic [PHASE_W-1:0]         next_phase_q;
  logic                       decided_q;         // a decision waits for the ends of packets
  logic                       changed_q, load_q;
  logic [LOCK_W-1:0]          lock_q;
  logic [VCS*P-1:0]           other_q;

  // ------------------------------------------------------------------ candidates
  logic [VCS-1:0]         candidate;
  logic [VCS*PHASE_W-1:0] candidate_phase;
  logic [VCS*ROW_W-1:0]   candidate_rows;
  logic [VCS*SLOTS-1:0]   clash;
  logic [SLOTS*ROW_W-1:0] used_rows;
  logic [SLOTS-1:0]       open;
  logic                   change;

  phased_candidates #(
    .P             (P),
    .ROW_W         (ROW_W),
    .PHASES_IN_USE (PHASES_IN_USE),
    .CONFIG_FIELD_W(CONFIG_FIELD_W)
  ) i_candidates (
    .clk_i,
    .rst_ni,
    .search_i   (!decided_q),
    .clear_i    (change),
    .candidate_o(candidate),
    .phase_o    (candidate_phase),
    .rows_o     (candidate_rows),
    .error_o    (error_phase_o),
    .used_i     (active_q),
    .used_rows_i(used_rows),
    .clash_o    (clash),
    .other_i,
    .hol_phase_i,
    .room_i,
    .free_i,
    .read_o,
    .read_phase_o,
    .row_i
  );

  // ------------------------------------------------------------------ decision
  logic [SLOTS-1:0] silent, expired, fire, rewritten;
  logic [VC_W-1:0]  pick;
  logic             decide;

  for (genvar s = 0; s < SLOTS; s++) begin : gen_slot
    assign silent[s] = silent_q[YIELD_W*s +: YIELD_W] == YIELD_W'(YIELD) && !open[s];
    assign expired[s] = busy_q[QUANTUM_W*s +: QUANTUM_W] == QUANTUM_W'(QUANTUM);
    assign rewritten[s] = write_i && write_phase_i == phase_q[PHASE_W*s +: PHASE_W] && !open[s] && !fire[s];
  end

  if (SLOTS > 1) begin : gen_places
    // Per VC: slots whose phases the candidate replaces, and the slot it takes; high if all
    // replaced phases yield.
    logic [SLOTS-1:0] leaves [VCS], to [VCS];
    logic [VCS-1:0]   able;
    logic [SLOTS-1:0] replaced_q, target_q;

    for (genvar v = 0; v < VCS; v++) begin : gen_vc
      logic             second;  // takes the second slot, with neither phase in the way
      logic [SLOTS-1:0] in_way, gives_way;
      for (genvar s = 0; s < SLOTS; s++) begin : gen_gives_way
        logic higher;
        assign higher = noc_pkg::vc_rank(VC_ORDER, VC_W'(v)) < noc_pkg::vc_rank(VC_ORDER, vc_q[VC_W*s +: VC_W]);
        assign gives_way[s] = !active_q[s] || silent[s] || higher || (VC_W'(v) == vc_q[VC_W*s +: VC_W] && expired[s]);
      end
      assign in_way = clash[SLOTS*v +: SLOTS] & active_q;
      assign second = active_q[0] && (!active_q[1] || !gives_way[0]);
      assign to[v] = (in_way == 2'b10 || (in_way == 2'b00 && second)) ? 2'b10 : 2'b01;
      assign leaves[v] = (in_way == 2'b00) ? to[v] : in_way;
      assign able[v] = candidate[v] && (leaves[v] & ~gives_way) == '0;
    end
    assign pick = noc_pkg::first_vc(VC_ORDER, able);
    assign decide = able != '0 && !decided_q && lock_q == '0;

    always_ff @(posedge clk_i) begin : slots
      if (!rst_ni) begin
        replaced_q <= '0;
        target_q <= '0;
      end else if (decide) begin
        replaced_q <= leaves[pick];
        target_q <= to[pick];
      end
    end
    assign replaced = replaced_q;
    assign target = target_q;
  end else begin : gen_place
    // A phase that yields to any candidate yields to the one of highest priority.
    logic higher, unused_clash;
    assign unused_clash = &{1'b0, clash};
    assign pick = noc_pkg::first_vc(VC_ORDER, candidate);
    assign higher = noc_pkg::vc_rank(VC_ORDER, pick) < noc_pkg::vc_rank(VC_ORDER, vc_q);
    assign decide = candidate != '0 && !decided_q && lock_q == '0 &&
                    (!active_q || silent || higher || (pick == vc_q && expired));
    assign replaced = 1'b1;
    assign target = 1'b1;
  end
  assign change = decided_q && (open & replaced) == '0;

  always_ff @(posedge clk_i) begin : choice
    if (!rst_ni) begin
      active_q <= '0;
      vc_q <= '0;
      first_vc_q <= VCS'(1);
      phase_q <= '0;
      next_phase_q <= '0;
      next_vc_q <= '0;
      decided_q <= 1'b0;
      changed_q <= 1'b0;
      load_q <= 1'b0;
      lock_q <= '0;
    end else begin
      if (decide) begin
        next_phase_q <= candidate_phase[PHASE_W*32'(pick) +: PHASE_W];
        next_vc_q <= pick;
      end
      decided_q <= decide || (decided_q && !change);
      changed_q <= change;
      load_q <= changed_q;
      if (lock_q != '0) lock_q <= lock_q - LOCK_W'(1);
      if (change) lock_q <= LOCK_W'(LOCK);
      for (int unsigned s = 0; s < SLOTS; s++) begin
        if (change && target[s]) begin
          active_q[s] <= 1'b1;
          phase_q[PHASE_W*s +: PHASE_W] <= next_phase_q;
          vc_q[VC_W*s +: VC_W] <= next_vc_q;
          if (s == 0) first_vc_q <= VCS'(1) << next_vc_q;
        end else if (rewritten[s] || (change && replaced[s])) begin
          active_q[s] <= 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : activity
    if (!rst_ni) begin
      silent_q <= {SLOTS{YIELD_W'(YIELD)}};
      busy_q <= '0;
      other_q <= '0;
    end else begin
      for (int unsigned s = 0; s < SLOTS; s++) begin
        if ((change && target[s]) || fire[s]) silent_q[YIELD_W*s +: YIELD_W] <= '0;
        else if (!wait_i[s] && silent_q[YIELD_W*s +: YIELD_W] != YIELD_W'(YIELD)) begin
          silent_q[YIELD_W*s +: YIELD_W] <= silent_q[YIELD_W*s +: YIELD_W] + YIELD_W'(1);
        end
        if (change && target[s]) busy_q[QUANTUM_W*s +: QUANTUM_W] <= '0;
        else if (fire[s] && !expired[s]) begin
          busy_q[QUANTUM_W*s +: QUANTUM_W] <= busy_q[QUANTUM_W*s +: QUANTUM_W] + QUANTUM_W'(1);
        end
      end
      if ((other_i | other_q) != '0) other_q <= other_i;
    end
  end

  // ------------------------------------------------------------------ rows in use
  logic [ROW_W-1:0] next_row;
  logic [P-1:0]     in_slot;  // slot of the ports after the change

  assign next_row = candidate_rows[ROW_W*32'(next_vc_q) +: ROW_W];

  if (SLOTS > 1) begin : gen_rows
    localparam int unsigned FLOW_W = phased_pkg::flow_w(P);
    logic [SLOTS*ROW_W-1:0] row_q;
    logic [ROW_W-1:0]       stays;   // row of the phase that stays
    logic [TABLE_W-1:0]     second;  // flows of the phase in the second slot after the change
    logic [P-1:0]           in_slot_q, out_slot_q, out_slot;

    // A phase stays unless the change replaces it, or its row has been written.
    assign stays = (active_q[0] && !replaced[0]) ? row_q[0 +: ROW_W]
                                                 : (active_q[1] && !replaced[1]) ? row_q[ROW_W +: ROW_W] : '0;
    assign second = target[1] ? next_row[TABLE_W-1:0]
                              : (active_q[1] && !replaced[1]) ? row_q[ROW_W +: TABLE_W] : '0;
    logic unused_vc;
    assign unused_vc = &{1'b0, second[phased_pkg::ROW_FLOWS_LSB-1:0]};
    for (genvar p = 0; p < P; p++) begin : gen_port
      assign in_slot[p] = second[phased_pkg::row_in_flow_lsb(P, p) +: FLOW_W] != '0;
      assign out_slot[p] = second[phased_pkg::row_out_flow_lsb(P, p) +: FLOW_W] != '0;
    end

    always_ff @(posedge clk_i) begin : update
      if (!rst_ni) begin
        in_slot_q <= '0;
        out_slot_q <= '0;
      end else if (change) begin
        in_slot_q <= in_slot;
        out_slot_q <= out_slot;
        for (int unsigned s = 0; s < SLOTS; s++) begin
          if (target[s]) row_q[ROW_W*s +: ROW_W] <= next_row;
        end
      end
    end

    always_ff @(posedge clk_i) begin : share_nothing
      logic [2*P-1:0] both;
      if (rst_ni && change) begin
        for (int unsigned p = 0; p < 2 * P; p++) begin
          both[p] = next_row[phased_pkg::ROW_FLOWS_LSB + p*FLOW_W +: FLOW_W] != '0 &&
                    stays[phased_pkg::ROW_FLOWS_LSB + p*FLOW_W +: FLOW_W] != '0;
        end
        phases_share_no_port: assert (both == '0);
        one_slot_is_taken: assert ($onehot(target) && (target & ~replaced) == '0);
      end
    end

    assign used_rows = row_q;
    assign change_row_o = next_row | stays;
    assign in_slot_o = in_slot_q;
    assign out_slot_o = out_slot_q;
  end else begin : gen_row
    assign used_rows = '0;
    assign change_row_o = next_row;
    assign in_slot = '0;
    assign in_slot_o = '0;
    assign out_slot_o = '0;
  end

  // ------------------------------------------------------------------ flow join
  logic [P-1:0] room;

  for (genvar p = 0; p < P; p++) begin : gen_room
    logic [VC_W-1:0] vc;
    assign vc = out_slot_o[p] ? vc_q[VC_W*(SLOTS-1) +: VC_W] : vc_q[0 +: VC_W];
    assign room[p] = room_i[noc_pkg::vc_index(p, 32'(vc))];
  end

  phased_join #(.P(P), .PHASES_IN_USE(PHASES_IN_USE)) i_join (
    .clk_i,
    .rst_ni,
    .load_i(change),
    .row_i (change_row_o[TABLE_W-1:0]),
    .slot_i(in_slot),
    .hold_i({SLOTS{decided_q}} & replaced),
    .match_i,
    .tail_i,
    .pop_o,
    .partner_o,
    .room_i(room),
    .reserve_o,
    .held_o,
    .fire_o(fire),
    .open_o(open),
    .reductions_o,
    .stall_join_o,
    .stall_credit_o
  );

  // ------------------------------------------------------------------ outputs
  assign fire_o = fire != '0;
  assign active_o = active_q;
  assign vc_o = vc_q;
  assign first_vc_o = first_vc_q;
  assign phase_o = phase_q;
  assign change_o = change;
  assign load_o = load_q;
  assign stall_phase_o = (other_q != '0) ? 8'($countones(other_q)) : '0;
  assign idle_o = !decided_q && !changed_q && !load_q && lock_q == '0 && silent_q == {SLOTS{YIELD_W'(YIELD)}} &&
                  other_q == '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && change) wave_has_passed: assert (lock_q == '0);
    if (rst_ni) first_vc_is_of_slot_0: assert (first_vc_q == VCS'(1) << vc_q[0 +: VC_W]);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    logic pre_empts;
    pre_empts = noc_pkg::vc_rank(VC_ORDER, pick) < noc_pkg::vc_rank(VC_ORDER, vc_q[0 +: VC_W]);
    if (rst_ni) begin
      pre_emption: cover (decide && active_q[0] && pre_empts);
      phase_gives_way_by_silence: cover (decide && active_q[0] && silent[0]);
      phase_gives_way_by_quantum: cover (decide && active_q[0] && !silent[0] && pick == vc_q[0 +: VC_W]);
      decision_waits_for_the_end_of_packets: cover (decided_q && (open & replaced) != '0);
      row_of_the_active_phase_is_written: cover ((active_q & rewritten) != '0 && !change);
    end
  end
endmodule
