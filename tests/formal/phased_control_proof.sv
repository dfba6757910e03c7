// phased_control: no flit fires in a change of phase, which comes between packets and CONFIG_STAGES + 1 edges after the
// one before at the earliest; the wave follows a change by two edges; only fronts of the active phase leave.
//
// Environment: fronts of the input units, of four phases with any rows, that stay until they leave; packets of at most
// two flits, whose second one is there when the first has left; outputs with or without room at will. A reset comes at
// the beginning. Not shown: how soon a phase of higher priority is served.
module phased_control_proof #(
  /// ports
  parameter int unsigned P = 2,
  /// register stages of the interconnect that keep configuration
  parameter int unsigned STAGES = 3,
  /// virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// bits of a row, derived
  localparam int unsigned ROW_W = phased_pkg::row_config_lsb(P)
) (
  input logic             clk_i,
  input logic [VCS*P-1:0] come_i,        // a front where there is none
  input logic [2*VCS*P-1:0] phase_i,     // its phase
  input logic [VCS*P-1:0] single_i,      // it is a packet of one flit
  input logic [VCS*P-1:0] room_i,
  input logic             wait_i
);
  localparam int unsigned VC_W = noc_pkg::VC_W;
  localparam int unsigned PHASE_W = noc_pkg::PHASE_W;

  (* anyconst *) logic [4*ROW_W-1:0] rows;
  logic                     started_q = 1'b0;
  logic                     active, read, fire, change, load, idle, error;
  logic [VC_W-1:0]          vc;
  logic [PHASE_W-1:0]       phase, read_phase;
  logic [P-1:0]             match, tail, pop, reserve, held;
  logic [VCS*P-1:0]         other;
  logic [VCS*PHASE_W*P-1:0] front_phase;
  logic [ROW_W-1:0]         row_q, change_row;
  logic [P*$clog2(P)-1:0]   partner;
  logic [7:0]               reductions, stall_join, stall_credit, stall_phase;

  // Fronts, VC v of port p at 4p+v: there, phase, last flit of its packet.
  logic [VCS*P-1:0]   valid_q, tail_q;
  logic [2*VCS*P-1:0] phase_q;

  for (genvar p = 0; p < P; p++) begin : gen_port
    for (genvar v = 0; v < VCS; v++) begin : gen_vc
      localparam int unsigned F = VCS * p + v;
      logic matches;
      assign front_phase[PHASE_W*F+:PHASE_W] = PHASE_W'(phase_q[2*F+:2]);
      assign matches = active && vc == VC_W'(v) && PHASE_W'(phase_q[2*F+:2]) == phase;
      assign other[F] = valid_q[F] && !matches;

      always_ff @(posedge clk_i) begin
        if (!started_q) begin
          valid_q[F] <= 1'b0;
        end else if (valid_q[F] && pop[p] && vc == VC_W'(v)) begin
          valid_q[F] <= !tail_q[F];
          tail_q[F] <= 1'b1;
        end else if (!valid_q[F] && come_i[F]) begin
          valid_q[F] <= 1'b1;
          tail_q[F] <= single_i[F];
          phase_q[2*F+:2] <= phase_i[2*F+:2];
        end
      end
    end
    assign match[p] = active && valid_q[VCS*p+32'(vc)] && PHASE_W'(phase_q[2*(VCS*p+32'(vc))+:2]) == phase;
    assign tail[p] = tail_q[VCS*p+32'(vc)];
  end

  phased_control #(
    .P(P), .CONFIG_STAGES(STAGES), .YIELD(2), .QUANTUM(2)
  ) i_dut (
    .clk_i, .rst_ni(started_q), .active_o(active), .vc_o(vc), .phase_o(phase), .match_i(match), .wait_i, .tail_i(tail), .other_i(other),
    .front_phase_i(front_phase), .pop_o(pop), .partner_o(partner), .room_i, .reserve_o(reserve), .fire_o(fire), .held_o(held),
    .free_i(1'b1), .read_o(read), .read_phase_o(read_phase), .row_i(row_q), .write_i(1'b0), .write_phase_i({PHASE_W{1'b0}}),
    .change_o(change), .change_row_o(change_row), .load_o(load), .reductions_o(reductions), .stall_join_o(stall_join),
    .stall_credit_o(stall_credit), .stall_phase_o(stall_phase), .error_phase_o(error), .idle_o(idle)
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (read) row_q <= rows[ROW_W*32'(read_phase[1:0])+:ROW_W];
  end

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

  localparam int unsigned LOCK = (STAGES > 2) ? STAGES - 1 : 1;
  (* hierconn *) logic \i_dut.decided_q , \i_dut.changed_q ;
  (* hierconn *) logic [$clog2(LOCK+1)-1:0] \i_dut.lock_q ;

  always_comb begin : assertions
    if (started_q) begin
      invariant_lock: assert (32'(i_dut.lock_q) <= LOCK && 32'(i_dut.lock_q) + 32'(since_q) >= LOCK + 1);
      invariant_decided: assert (!i_dut.decided_q || (i_dut.lock_q == '0 && 32'(since_q) >= LOCK + 2));
      invariant_changed: assert (i_dut.changed_q == changed_q);
      nothing_fires_in_a_change: assert (!change || (!fire && pop == '0 && reserve == '0));
      change_is_between_packets: assert (!change || held == '0);
      only_the_active_phase_leaves: assert ((pop & ~match) == '0);
      changes_are_apart: assert (!change || 32'(since_q) >= STAGES + 1);
      wave_two_edges_later: assert (load == before_q);
    end
  end
endmodule
