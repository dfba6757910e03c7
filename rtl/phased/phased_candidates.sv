// SPDX-License-Identifier: Apache-2.0
// Candidate search for phase changes: phases at the heads of the input buffers.
//
// Search: one head-of-line flit is looked up per cycle, in turn over the VCs that have a
//   head-of-line flit of another phase than the active one and no candidate yet, and in turn over
//   the ports of the VC. At the next edge it is checked: its row must be valid, of that VC, with a
//   flow, 1 to P, at that port (otherwise error_o), and at least one flow must be ready: all its
//   inputs have a head-of-line flit of the phase, all its outputs have room. (The paper says "when
//   all ports hold a packet"; with an up flow and a down flow in one phase this would wait for the
//   result of the flow that it blocks, so readiness is per flow here.)
// candidate_o, phase_o, rows_o: per VC, the first phase found ready, with its row. It stays until
//   clear_i, even if it is no longer ready: only head-of-line flits of the active phase leave.
// clash_o, for two phases in use: rows in use (used_rows_i, where used_i is high) that share a
//   port, a flow code or a field of the interconnect's configuration with a candidate; bit S*v+s
//   for the row in slot s. With one phase in use it is all ones: a candidate replaces the phase.
// Timing: with search_i and free_i before edge e a head-of-line flit is chosen and its row is read
//   at e; at e + 1 it is checked against the head-of-line flits and the room before that edge, and
//   is a candidate from then on. clear_i also discards a read in flight.
// idle: without a head-of-line flit of another phase no state changes.
module phased_candidates #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// row width of the phase store
  parameter int unsigned ROW_W = phased_pkg::row_config_lsb(P),
  /// max phases in use at a time, 1 or 2
  parameter int unsigned PHASES_IN_USE = 1,
  /// field width of the interconnect's configuration; rows that use disjoint fields can be in use
  /// at once
  parameter int unsigned CONFIG_FIELD_W = 1,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W,
  /// width of a phase index, derived
  localparam int unsigned PHASE_W = noc_pkg::PHASE_W
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // control unit
  input  logic                           search_i,
  input  logic                           clear_i,
  output logic [VCS-1:0]                 candidate_o,
  output logic [VCS*PHASE_W-1:0]         phase_o,
  output logic [VCS*ROW_W-1:0]           rows_o,
  output logic                           error_o,
  // rows of the phases in use
  input  logic [PHASES_IN_USE-1:0]       used_i,
  input  logic [PHASES_IN_USE*ROW_W-1:0] used_rows_i,
  output logic [VCS*PHASES_IN_USE-1:0]   clash_o,
  // input and output units, by noc_pkg::vc_index
  input  logic [VCS*P-1:0]               other_i,
  input  logic [VCS*PHASE_W*P-1:0]       hol_phase_i,
  input  logic [VCS*P-1:0]               room_i,
  // phase store
  input  logic                           free_i,
  output logic                           read_o,
  output logic [PHASE_W-1:0]             read_phase_o,
  input  logic [ROW_W-1:0]               row_i
);
  localparam int unsigned FLOW_W = phased_pkg::flow_w(P);
  localparam int unsigned CODES = 1 << FLOW_W;
  // Invalid flow codes: 0 and codes above P.
  localparam bit [CODES-1:0] NO_FLOW = ~(((CODES'(1) << P) - CODES'(1)) << 1);

  // ------------------------------------------------------------------ choice of a flit
  logic [P-1:0]    port [VCS];  // by VC, the first port in turn whose head-of-line flit waits
  logic [VCS-1:0]  wanted, vc;  // VCs that request a look-up; the one chosen
  logic [P-1:0]    chosen;
  logic [VC_W-1:0] chosen_vc;

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    logic [P-1:0] waiting, first;

    always_comb begin : who_waits
      waiting = '0;
      if (other_i != '0) begin
        for (int unsigned p = 0; p < P; p++) waiting[p] = other_i[noc_pkg::vc_index(p, v)];
      end
    end

    rr_arbiter #(.N(P)) i_ports (.clk_i, .rst_ni, .request_i(waiting), .advance_i(vc[v]), .grant_o(first));
    assign wanted[v] = search_i && free_i && !candidate_o[v] && waiting != '0;
    assign port[v] = first;
  end

  rr_arbiter #(.N(VCS)) i_vcs (.clk_i, .rst_ni, .request_i(wanted), .advance_i(read_o), .grant_o(vc));

  assign chosen_vc = noc_pkg::onehot_vc(vc);
  assign chosen = port[chosen_vc];

  always_comb begin : hol
    read_phase_o = '0;
    if (wanted != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        if (chosen[p]) begin
          read_phase_o = read_phase_o | hol_phase_i[PHASE_W*noc_pkg::vc_index(p, 32'(chosen_vc)) +: PHASE_W];
        end
      end
    end
  end

  assign read_o = wanted != '0;

  // ------------------------------------------------------------------ judgement
  logic               read_q;
  logic [P-1:0]       port_q;
  logic [VC_W-1:0]    vc_q;
  logic [PHASE_W-1:0] phase_q;
  logic [CODES-1:0]   used, blocked;  // flow f is bit f + 1
  logic [FLOW_W-1:0]  in, out;
  logic               ready, wrong;

  always_comb begin : judge
    used = '0;
    blocked = '0;
    in = '0;
    out = '0;
    wrong = 1'b0;
    if (read_q) begin
      for (int unsigned p = 0; p < P; p++) begin
        in = row_i[phased_pkg::row_in_flow_lsb(P, p) +: FLOW_W];
        out = row_i[phased_pkg::row_out_flow_lsb(P, p) +: FLOW_W];
        used[in] = 1'b1;
        if (!other_i[noc_pkg::vc_index(p, 32'(vc_q))] ||
            hol_phase_i[PHASE_W*noc_pkg::vc_index(p, 32'(vc_q)) +: PHASE_W] != phase_q) begin
          blocked[in] = 1'b1;
        end
        if (!room_i[noc_pkg::vc_index(p, 32'(vc_q))]) blocked[out] = 1'b1;
        if (port_q[p] && NO_FLOW[in]) wrong = 1'b1;
      end
      blocked = blocked | NO_FLOW;
      if (!row_i[phased_pkg::ROW_VALID_BIT] || row_i[phased_pkg::ROW_VC_LSB +: VC_W] != vc_q) wrong = 1'b1;
    end
    ready = !wrong && (used & ~blocked) != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      candidate_o <= '0;
    end else begin
      read_q <= read_o && !clear_i;
      if (read_o) begin
        port_q <= chosen;
        vc_q <= chosen_vc;
        phase_q <= read_phase_o;
      end
      if (clear_i) candidate_o <= '0;
      else if (ready && !candidate_o[vc_q]) begin
        candidate_o[vc_q] <= 1'b1;
        phase_o[PHASE_W*32'(vc_q) +: PHASE_W] <= phase_q;
        rows_o[ROW_W*32'(vc_q) +: ROW_W] <= row_i;
      end
    end
  end

  assign error_o = wrong;

  // ------------------------------------------------------------------ room alongside phases
  if (PHASES_IN_USE > 1) begin : gen_clash
    localparam int unsigned CONFIG_LSB = phased_pkg::row_config_lsb(P);
    localparam int unsigned FIELDS = (ROW_W - CONFIG_LSB) / CONFIG_FIELD_W;
    // Input ports, output ports and configuration fields that a row uses; codes of its flows.
    localparam int unsigned USE_W = 2 * P + FIELDS + CODES;

    function automatic logic [USE_W-1:0] use_of(input logic [ROW_W-1:0] row);
      logic [FLOW_W-1:0] code;
      use_of = '0;
      for (int unsigned p = 0; p < 2 * P; p++) begin
        code = row[phased_pkg::ROW_FLOWS_LSB + p*FLOW_W +: FLOW_W];
        use_of[p] = code != '0;
        for (int unsigned c = 1; c < CODES; c++) begin
          if (code == FLOW_W'(c)) use_of[2*P+FIELDS+c] = 1'b1;
        end
      end
      for (int unsigned f = 0; f < FIELDS; f++) begin
        use_of[2*P+f] = row[CONFIG_LSB + f*CONFIG_FIELD_W +: CONFIG_FIELD_W] != '0;
      end
    endfunction

    logic [PHASES_IN_USE-1:0] clash;

    always_comb begin : compare
      clash = '0;
      if (read_q) begin
        for (int unsigned s = 0; s < PHASES_IN_USE; s++) begin
          clash[s] = used_i[s] && (use_of(row_i) & use_of(used_rows_i[ROW_W*s +: ROW_W])) != '0;
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (ready && !candidate_o[vc_q]) clash_o[PHASES_IN_USE*32'(vc_q) +: PHASES_IN_USE] <= clash;
    end
  end else begin : gen_one
    logic unused_rows;
    assign unused_rows = &{1'b0, used_i, used_rows_i};
    assign clash_o = '1;
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && read_o) reads_a_free_store: assert (free_i && search_i);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      candidates_of_two_vcs: cover ((candidate_o & (candidate_o - VCS'(1))) != '0);
      row_is_not_ready: cover (read_q && !ready && !wrong);
      change_drops_a_row: cover (read_q && clear_i);
      registers_have_the_store: cover (other_i != '0 && !free_i);
    end
  end
endmodule
