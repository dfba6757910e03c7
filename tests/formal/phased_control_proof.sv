// SPDX-License-Identifier: Apache-2.0
// Proof of phased_control: no flit fires in a phase change, which comes between packets and at
// least CONFIG_STAGES + 1 edges after the previous one; the wave follows a change by two edges;
// only head-of-line flits of the active phase leave. The loaded row is the row of the phase that is
// active from then on; candidates and look-ups end with it. A decision has one of the contract's
// reasons, recomputed here: no active phase, higher priority of the candidate, silence, or the
// quantum.
//
// Environment: head-of-line flits of the input units, of four phases with any rows, that stay until
//   they leave; packets of at most two flits, whose second flit is available when the first has
//   left; outputs with or without room arbitrarily. Rows are not written. A reset comes at the
//   beginning. Not proved: how soon a phase of higher priority is served. With two phases in use
//   the assertions of the module itself apply; the ones here are for one.
module phased_control_proof #(
  /// number of ports
  parameter int unsigned P = 2,
  /// register stages of the interconnect that keep configuration
  parameter int unsigned STAGES = 3,
  /// see phased_control
  parameter int unsigned YIELD = 2,
  /// see phased_control
  parameter int unsigned QUANTUM = 2,
  /// see phased_control
  parameter int unsigned PHASES_IN_USE = 1,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// bits of a row, derived
  localparam int unsigned ROW_W = phased_pkg::row_config_lsb(P)
) (
  input logic                     clk_i,
  input logic [VCS*P-1:0]         come_i,    // a head-of-line flit where there is none
  input logic [2*VCS*P-1:0]       phase_i,   // its phase
  input logic [VCS*P-1:0]         single_i,  // it is a packet of one flit
  input logic [VCS*P-1:0]         room_i,
  input logic [PHASES_IN_USE-1:0] wait_i
);
  localparam int unsigned VC_W = noc_pkg::VC_W;
  localparam int unsigned PHASE_W = noc_pkg::PHASE_W;

  (* anyconst *) logic [4*ROW_W-1:0] rows;
  logic                             started_q = 1'b0;
  logic                             read, fire, change, load, idle, error;
  logic [PHASES_IN_USE-1:0]         actives;
  logic [VC_W*PHASES_IN_USE-1:0]    vcs;
  logic [PHASE_W*PHASES_IN_USE-1:0] phases;
  logic                             active;  // active phase in the first slot
  logic [VC_W-1:0]                  vc;
  logic [PHASE_W-1:0]               phase, read_phase;
  logic [P-1:0]                     match, tail, pop, reserve, held, in_slot, out_slot;
  logic [VCS*P-1:0]                 other;
  logic [VCS*PHASE_W*P-1:0]         hol_phase;
  logic [ROW_W-1:0]                 row_q, change_row;
  logic [P*$clog2(P)-1:0]           partner;
  logic [7:0]                       reductions, stall_join, stall_credit, stall_phase;

  // Head-of-line flits by noc_pkg::vc_index: there, phase, last flit of its packet.
  logic [VCS*P-1:0]   valid_q, tail_q;
  logic [2*VCS*P-1:0] phase_q;

  assign active = actives[0];
  assign vc = vcs[0 +: VC_W];
  assign phase = phases[0 +: PHASE_W];

  for (genvar p = 0; p < P; p++) begin : gen_port
    // Indexed by the slot of the port.
    logic               used;
    logic [VC_W-1:0]    of_vc;
    logic [PHASE_W-1:0] of_phase;
    assign used = in_slot[p] ? actives[PHASES_IN_USE-1] : active;
    assign of_vc = in_slot[p] ? vcs[VC_W*(PHASES_IN_USE-1) +: VC_W] : vc;
    assign of_phase = in_slot[p] ? phases[PHASE_W*(PHASES_IN_USE-1) +: PHASE_W] : phase;
    for (genvar v = 0; v < VCS; v++) begin : gen_vc
      localparam int unsigned F = noc_pkg::vc_index(p, v);
      logic matches;
      assign hol_phase[PHASE_W*F +: PHASE_W] = PHASE_W'(phase_q[2*F +: 2]);
      assign matches = used && of_vc == VC_W'(v) && PHASE_W'(phase_q[2*F +: 2]) == of_phase;
      assign other[F] = valid_q[F] && !matches;

      always_ff @(posedge clk_i) begin
        if (!started_q) begin
          valid_q[F] <= 1'b0;
        end else if (valid_q[F] && pop[p] && of_vc == VC_W'(v)) begin
          valid_q[F] <= !tail_q[F];
          tail_q[F] <= 1'b1;
        end else if (!valid_q[F] && come_i[F]) begin
          valid_q[F] <= 1'b1;
          tail_q[F] <= single_i[F];
          phase_q[2*F +: 2] <= phase_i[2*F +: 2];
        end
      end
    end
    assign match[p] = used && valid_q[noc_pkg::vc_index(p, 32'(of_vc))] &&
                      PHASE_W'(phase_q[2*noc_pkg::vc_index(p, 32'(of_vc)) +: 2]) == of_phase;
    assign tail[p] = tail_q[noc_pkg::vc_index(p, 32'(of_vc))];
  end

  phased_control #(
    .P            (P),
    .CONFIG_STAGES(STAGES),
    .YIELD        (YIELD),
    .QUANTUM      (QUANTUM),
    .PHASES_IN_USE(PHASES_IN_USE)
  ) i_dut (
    .clk_i,
    .rst_ni        (started_q),
    .active_o      (actives),
    .vc_o          (vcs),
    .phase_o       (phases),
    .match_i       (match),
    .wait_i,
    .tail_i        (tail),
    .other_i       (other),
    .hol_phase_i   (hol_phase),
    .pop_o         (pop),
    .partner_o     (partner),
    .room_i,
    .reserve_o     (reserve),
    .fire_o        (fire),
    .held_o        (held),
    .in_slot_o     (in_slot),
    .out_slot_o    (out_slot),
    .free_i        (1'b1),
    .read_o        (read),
    .read_phase_o  (read_phase),
    .row_i         (row_q),
    .write_i       (1'b0),
    .write_phase_i ({PHASE_W{1'b0}}),
    .change_o      (change),
    .change_row_o  (change_row),
    .load_o        (load),
    .reductions_o  (reductions),
    .stall_join_o  (stall_join),
    .stall_credit_o(stall_credit),
    .stall_phase_o (stall_phase),
    .error_phase_o (error),
    .idle_o        (idle)
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (read) row_q <= rows[ROW_W*32'(read_phase[1:0]) +: ROW_W];
  end

  localparam int unsigned LOCK = (STAGES > 2) ? STAGES - 1 : 1;
  (* hierconn *) logic \i_dut.decided_q , \i_dut.changed_q , \i_dut.i_candidates.read_q ;
  (* hierconn *) logic [PHASES_IN_USE-1:0] \i_dut.open ;
  (* hierconn *) logic [VC_W-1:0] \i_dut.next_vc_q ;
  (* hierconn *) logic [PHASE_W-1:0] \i_dut.next_phase_q , \i_dut.i_candidates.phase_q ;
  (* hierconn *) logic [VCS-1:0] \i_dut.candidate ;
  (* hierconn *) logic [VCS*PHASE_W-1:0] \i_dut.candidate_phase ;
  (* hierconn *) logic [VCS*ROW_W-1:0] \i_dut.candidate_rows ;
  (* hierconn *) logic [$clog2(YIELD+1)*PHASES_IN_USE-1:0] \i_dut.silent_q ;
  (* hierconn *) logic [$clog2(QUANTUM+1)*PHASES_IN_USE-1:0] \i_dut.busy_q ;
  (* hierconn *) logic [$clog2(LOCK+1)-1:0] \i_dut.lock_q ;

  logic [4:0] since_q;  // edges since a change, up to 31
  logic       changed_q, before_q;

  always_comb begin : environment
    // Flits that a flow joins are of packets of the same length.
    for (int unsigned p = 0; p < P; p++) begin
      for (int unsigned q = 0; q < p; q++) assume (!match[p] || !match[q] || tail[p] == tail[q]);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      since_q <= '1;
      changed_q <= 1'b0;
      before_q <= 1'b0;
    end else begin
      since_q <= change ? 5'd1 : (since_q == '1) ? since_q : since_q + 5'd1;
      changed_q <= change;
      before_q <= changed_q;
    end
  end

  // Silent cycles and busy cycles of the active phase, as far as they count; their values before
  // the last edge, and the other inputs of a decision.
  logic [7:0]       silent_q, busy_q, silent_before_q, busy_before_q;
  logic             active_before_q, open_before_q, decided_before_q;
  logic [VC_W-1:0]  vc_before_q;
  logic [ROW_W-1:0] loaded_q, loaded_row;  // by the last change; of the active phase
  logic             reason;

  always_ff @(posedge clk_i) begin : history
    silent_before_q <= silent_q;
    busy_before_q <= busy_q;
    active_before_q <= active;
    vc_before_q <= vc;
    open_before_q <= i_dut.open[0];
    decided_before_q <= started_q && i_dut.decided_q;
    if (change) loaded_q <= change_row;
    if (!started_q) begin
      silent_q <= 8'(YIELD);
      busy_q <= '0;
    end else begin
      if (change || fire) silent_q <= '0;
      else if (!wait_i[0] && silent_q != 8'(YIELD)) silent_q <= silent_q + 8'd1;
      if (change) busy_q <= '0;
      else if (fire && busy_q != 8'(QUANTUM)) busy_q <= busy_q + 8'd1;
    end
  end

  assign loaded_row = rows[ROW_W*32'(phase[1:0]) +: ROW_W];
  assign reason = !active_before_q || (silent_before_q == 8'(YIELD) && !open_before_q) ||
                  noc_pkg::vc_rank(noc_pkg::DEFAULT_VC_ORDER, i_dut.next_vc_q) <
                  noc_pkg::vc_rank(noc_pkg::DEFAULT_VC_ORDER, vc_before_q) ||
                  (i_dut.next_vc_q == vc_before_q && busy_before_q == 8'(QUANTUM));

  // The row of a candidate is the row of its phase, and fits its virtual channel.
  logic [VCS-1:0] candidate_wrong;
  for (genvar v = 0; v < VCS; v++) begin : gen_candidate
    logic [ROW_W-1:0]   row;
    logic [PHASE_W-1:0] of;
    assign row = i_dut.candidate_rows[ROW_W*v +: ROW_W];
    assign of = i_dut.candidate_phase[PHASE_W*v +: PHASE_W];
    assign candidate_wrong[v] = i_dut.candidate[v] &&
                                (of > PHASE_W'(3) || row != rows[ROW_W*32'(of[1:0]) +: ROW_W] ||
                                 row[phased_pkg::ROW_VC_LSB +: VC_W] != VC_W'(v));
  end

  always_comb begin : assertions
    if (started_q) begin
      invariant_lock: assert (32'(i_dut.lock_q) <= LOCK && 32'(i_dut.lock_q) + 32'(since_q) >= LOCK + 1);
      invariant_decided: assert (!i_dut.decided_q || (i_dut.lock_q == '0 && 32'(since_q) >= LOCK + 2));
      invariant_changed: assert (i_dut.changed_q == changed_q);
      invariant_counts: assert (8'(i_dut.silent_q) == silent_q && silent_q <= 8'(YIELD) &&
                                8'(i_dut.busy_q) == busy_q && busy_q <= 8'(QUANTUM));
      invariant_look_up: assert (!i_dut.i_candidates.read_q ||
                                 (i_dut.i_candidates.phase_q <= PHASE_W'(3) &&
                                  row_q == rows[ROW_W*32'(i_dut.i_candidates.phase_q[1:0]) +: ROW_W]));
      invariant_candidates: assert (candidate_wrong == '0);
      invariant_next: assert (!i_dut.decided_q ||
                              (i_dut.candidate[i_dut.next_vc_q] &&
                               i_dut.candidate_phase[PHASE_W*32'(i_dut.next_vc_q) +: PHASE_W] == i_dut.next_phase_q));
      nothing_fires_in_a_change: assert (!change || (!fire && pop == '0 && reserve == '0));
      change_is_between_packets: assert (!change || held == '0);
      only_the_active_phase_leaves: assert ((pop & ~match) == '0);
      changes_are_apart: assert (!change || 32'(since_q) >= STAGES + 1);
      wave_two_edges_later: assert (load == before_q);
      row_of_the_phase_is_loaded: assert (!changed_q || (loaded_q == loaded_row &&
                                                         vc == loaded_q[phased_pkg::ROW_VC_LSB +: VC_W]));
      change_forgets_look_ups: assert (!changed_q || (i_dut.candidate == '0 && !i_dut.i_candidates.read_q));
      decision_has_a_reason: assert (decided_before_q || !i_dut.decided_q || reason);
    end
  end
endmodule
