// Control unit of a switch with phases: choice of phase, pre-emption, and the join of the active phase's flows (§4,
// §5.4).
//
// Flow join: phased_join. Candidates, at most one per VC, from the fronts of the input buffers: phased_candidates.
// Choice of phase: by priority of the VCs, VC_ORDER. The switch decides for the candidate of highest priority,
//     if that is higher than the active phase's: at once,
//     if it is equal: when the active phase has been silent for YIELD cycles between packets, or has
//       been busy for QUANTUM cycles,
//     if it is lower: when the active phase has been silent for YIELD cycles between packets.
//   Silence is that nothing fires, and that no flit of the phase is held back by the interconnect (wait_i).
//   A decision stays. From it on no head flit fires, and the change happens when no flow is in the middle of a
//   packet. The pre-empted phase's packets wait.
// Timing: the change is the first edge after that of the decision before which no packet is open. It loads the row
//   into the flow tables, tells it to the interconnect (change_o, change_row_o), which keeps its configuration, and
//   forgets all candidates; from then on flits of the new phase fire. Two edges later the configuration goes as a wave
//   through the interconnect (load_o), ahead of those flits, which reach it three edges after they fired. Flits of the
//   old phase on their way are not disturbed. Changes are at least CONFIG_STAGES + 1 edges apart, so that the wave has
//   passed before the configuration changes.
// Rows may be written while other phases are in use. A write to the row of the active phase (write_i) ends that phase: its
//   next packets load the new row. Inside a packet, or where a flit fires at that edge, it does not. Who writes makes sure
//   that no packet of the phase is in the switch.
// Errors: error_phase_o: a candidate is not programmed, is of another VC, or has no flow at that port.
// Online unicasts are not seen here: phased_matcher gives them what the phase leaves free. An output VC that
//   one of their packets has begun to use counts as an output without room.
// Events (reductions_o, stall_*_o) are of the edge before, from registers.
// Without flits at the inputs nothing in here changes once idle_o is high.
module phased_control #(
  /// ports of the switch
  parameter int unsigned P = 12,
  /// bits of a row of the phase store: flows, then the configuration of the interconnect
  parameter int unsigned ROW_W = phased_pkg::row_config_lsb(P),
  /// register stages of the interconnect that keep configuration
  parameter int unsigned CONFIG_STAGES = 1,
  /// cycles of silence after which the active phase gives way to one of no higher priority
  parameter int unsigned YIELD = 4,
  /// busy cycles after which the active phase gives way to one of equal priority
  parameter int unsigned QUANTUM = 64,
  /// virtual channels by priority (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// bits of a port's number, derived
  localparam int unsigned PORT_W = $clog2(P),
  /// virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// bits of a virtual channel's number, derived
  localparam int unsigned VC_W = noc_pkg::VC_W,
  /// bits of a phase's number, derived
  localparam int unsigned PHASE_W = noc_pkg::PHASE_W
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // input units; the front of VC v at input p is bit 4p+v
  output logic                     active_o,
  output logic [VC_W-1:0]          vc_o,
  output logic [PHASE_W-1:0]       phase_o,
  input  logic [P-1:0]             match_i,
  input  logic                     wait_i,
  input  logic [P-1:0]             tail_i,
  input  logic [VCS*P-1:0]         other_i,
  input  logic [VCS*PHASE_W*P-1:0] front_phase_i,
  output logic [P-1:0]             pop_o,
  output logic [P*PORT_W-1:0]      partner_o,
  // output units; room of VC v at output p is bit 4p+v; fire: pop_o is not zero; held: inside a packet of the active phase
  input  logic [VCS*P-1:0] room_i,
  output logic [P-1:0]     reserve_o,
  output logic             fire_o,
  output logic [P-1:0]     held_o,
  // phase store
  input  logic               free_i,
  output logic               read_o,
  output logic [PHASE_W-1:0] read_phase_o,
  input  logic [ROW_W-1:0]   row_i,
  input  logic               write_i,
  input  logic [PHASE_W-1:0] write_phase_i,
  // a change at this edge, to this row; the interconnect's wave
  output logic                change_o,
  output logic [ROW_W-1:0]    change_row_o,
  output logic                load_o,
  // events, for the counters
  output logic [7:0]          reductions_o,
  output logic [7:0]          stall_join_o,
  output logic [7:0]          stall_credit_o,
  output logic [7:0]          stall_phase_o,
  output logic                error_phase_o,
  output logic                idle_o
);
  localparam int unsigned TABLE_W = phased_pkg::row_config_lsb(P);
  // Edges after a change at which none is decided.
  localparam int unsigned LOCK = (CONFIG_STAGES > 2) ? CONFIG_STAGES - 1 : 1;
  localparam int unsigned LOCK_W = $clog2(LOCK + 1);
  localparam int unsigned YIELD_W = $clog2(YIELD + 1);
  localparam int unsigned QUANTUM_W = $clog2(QUANTUM + 1);

  logic                 active_q;
  logic [VC_W-1:0]      vc_q, next_vc_q;
  logic [PHASE_W-1:0]   phase_q, next_phase_q;
  logic                 decided_q;  // a decision waits for the ends of packets
  logic                 changed_q, load_q;
  logic [LOCK_W-1:0]    lock_q;
  logic [YIELD_W-1:0]   silent_q;
  logic [QUANTUM_W-1:0] busy_q;
  logic [VCS*P-1:0]     other_q;

  // ------------------------------------------------------------------ candidates
  logic [VCS-1:0]         candidate;
  logic [VCS*PHASE_W-1:0] candidate_phase;
  logic [VCS*ROW_W-1:0]   candidate_rows;
  logic                   change, open;

  phased_candidates #(
    .P    (P),
    .ROW_W(ROW_W)
  ) i_candidates (
    .clk_i,
    .rst_ni,
    .search_i    (!decided_q),
    .clear_i     (change),
    .candidate_o (candidate),
    .phase_o     (candidate_phase),
    .rows_o      (candidate_rows),
    .error_o     (error_phase_o),
    .other_i,
    .front_phase_i,
    .room_i,
    .free_i,
    .read_o,
    .read_phase_o,
    .row_i
  );

  // ------------------------------------------------------------------ decision
  logic [VC_W-1:0] pick;
  logic            silent, expired, higher, decide, fire, rewritten;

  assign pick = noc_pkg::first_vc(VC_ORDER, candidate);
  assign silent = silent_q == YIELD_W'(YIELD) && !open;
  assign higher = noc_pkg::vc_rank(VC_ORDER, pick) < noc_pkg::vc_rank(VC_ORDER, vc_q);
  assign expired = busy_q == QUANTUM_W'(QUANTUM);
  assign decide = candidate != '0 && !decided_q && lock_q == '0 &&
                  (!active_q || silent || higher || (pick == vc_q && expired));
  assign change = decided_q && !open;
  assign rewritten = write_i && write_phase_i == phase_q && !open && !fire;
  assign change_row_o = candidate_rows[ROW_W*32'(next_vc_q)+:ROW_W];

  always_ff @(posedge clk_i) begin : choice
    if (!rst_ni) begin
      active_q <= 1'b0;
      vc_q <= '0;
      phase_q <= '0;
      next_phase_q <= '0;
      next_vc_q <= '0;
      decided_q <= 1'b0;
      changed_q <= 1'b0;
      load_q <= 1'b0;
      lock_q <= '0;
    end else begin
      if (decide) begin
        next_phase_q <= candidate_phase[PHASE_W*32'(pick)+:PHASE_W];
        next_vc_q <= pick;
      end
      decided_q <= decide || (decided_q && !change);
      changed_q <= change;
      load_q <= changed_q;
      if (lock_q != '0) lock_q <= lock_q - LOCK_W'(1);
      if (change) begin
        active_q <= 1'b1;
        phase_q <= next_phase_q;
        vc_q <= next_vc_q;
        lock_q <= LOCK_W'(LOCK);
      end else if (rewritten) begin
        active_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : activity
    if (!rst_ni) begin
      silent_q <= YIELD_W'(YIELD);
      busy_q <= '0;
      other_q <= '0;
    end else begin
      if (change || fire) silent_q <= '0;
      else if (!wait_i && silent_q != YIELD_W'(YIELD)) silent_q <= silent_q + YIELD_W'(1);
      if (change) busy_q <= '0;
      else if (fire && !expired) busy_q <= busy_q + QUANTUM_W'(1);
      if ((other_i | other_q) != '0) other_q <= other_i;
    end
  end

  // ------------------------------------------------------------------ flow join
  logic [P-1:0] room;

  for (genvar p = 0; p < P; p++) begin : gen_room
    assign room[p] = room_i[VCS*p+32'(vc_q)];
  end

  phased_join #(
    .P(P)
  ) i_join (
    .clk_i,
    .rst_ni,
    .load_i   (change),
    .row_i    (change_row_o[TABLE_W-1:0]),
    .hold_i   (decided_q),
    .match_i,
    .tail_i,
    .pop_o,
    .partner_o,
    .room_i   (room),
    .reserve_o,
    .held_o,
    .fire_o   (fire),
    .open_o   (open),
    .reductions_o,
    .stall_join_o,
    .stall_credit_o
  );

  // ------------------------------------------------------------------ outputs
  assign fire_o = fire;
  assign active_o = active_q;
  assign vc_o = vc_q;
  assign phase_o = phase_q;
  assign change_o = change;
  assign load_o = load_q;
  assign stall_phase_o = (other_q != '0) ? 8'($countones(other_q)) : '0;
  assign idle_o = !decided_q && !changed_q && !load_q && lock_q == '0 && silent_q == YIELD_W'(YIELD) && other_q == '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && change) wave_has_passed: assert (lock_q == '0);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      pre_emption: cover (decide && active_q && higher);
      phase_gives_way_by_silence: cover (decide && active_q && silent);
      phase_gives_way_by_quantum: cover (decide && active_q && !silent && pick == vc_q);
      decision_waits_for_the_end_of_packets: cover (decided_q && open);
      row_of_the_active_phase_is_written: cover (active_q && rewritten && !change);
    end
  end
endmodule
