// SPDX-License-Identifier: Apache-2.0
// Exit check of a FRED interconnect: compares the flits that leave it with the places reserved for
// them. A row of the phase store whose configuration does not match its flows is detected here, and
// corrupts only the packets of its own phase and unicasts alongside it.
//
// Function: a flit of the phase passes if a place was reserved for such a flit when it fired; an
//   online unicast passes if a place was reserved for it (it leaves nowhere else, asserted). All
//   other flits are dropped. error_o is high if a flit is dropped, if no flit arrives for a
//   reserved place (the place stays taken until a reset), and if a passing flit is not the next one
//   of the packet on its output and virtual channel: two flows that fire at once may have been
//   swapped.
// Rationale: the interconnect follows its configuration, right or wrong. Rows made by the routing
//   (fred_routing.h) and unicasts alongside them never raise error_o. Packets thus leave the switch
//   whole, or the switch has an error code.
// Timing: move_i and phase_out_i are registers that follow the edge e at which flits leave their
//   buffers (phased_switch); these flits are on in_valid_i and in_online_i after edge e + STAGES +
//   2. Everything else is combinational.
module fred_exit #(
  /// number of switch ports, 2 to 32
  parameter int unsigned P = 12,
  /// register stages of the interconnect
  parameter int unsigned STAGES = fred_pkg::stages(P, 1),
  /// phases in use at a time; with two, a flit on another virtual channel than the expected one is
  /// dropped, too
  parameter int unsigned PHASES_IN_USE = 1,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // bit P*input + output of every unicast that left; outputs and virtual channels of the flits of
  // phases that left
  input  logic [P*P-1:0]    move_i,
  input  logic [P-1:0]      phase_out_i,
  input  logic [VC_W*P-1:0] phase_vc_i,
  // flits that leave the interconnect; which of them are unicasts; their virtual channels, heads
  // and tails
  input  logic [P-1:0]      in_valid_i,
  input  logic [P-1:0]      in_online_i,
  input  logic [VC_W*P-1:0] in_vc_i,
  input  logic [P-1:0]      in_head_i,
  input  logic [P-1:0]      in_tail_i,
  output logic [P-1:0]      out_valid_o,
  output logic              error_o
);
  localparam int unsigned EDGES = STAGES + 2;

  // Outputs that expect flits, of the phase and of unicasts: bits [2*P*n +: 2*P] for flits that
  // left n + 1 edges before the last.
  logic [2*P*EDGES-1:0] expected_q;
  logic [P-1:0]         online_out, phase, online;
  logic [VCS*P-1:0]     inside_q;  // indexed by noc_pkg::vc_index: a head has passed, its tail has
                                   // not
  logic [P-1:0]         mixed;

  always_comb begin : unicasts
    online_out = '0;
    if (move_i != '0) begin
      for (int unsigned p = 0; p < P; p++) online_out = online_out | move_i[P*p +: P];
    end
  end

  always_ff @(posedge clk_i) begin : way
    if (!rst_ni) expected_q <= '0;
    else if ((phase_out_i | online_out) != '0 || expected_q != '0) begin
      expected_q <= {expected_q[0 +: 2*P*(EDGES-1)], online_out, phase_out_i};
    end
  end

  logic [P-1:0] other_vc;  // outputs with a flit on another virtual channel than the phase's

  if (PHASES_IN_USE > 1) begin : gen_vcs
    logic [VC_W*P*EDGES-1:0] vcs_q;
    always_ff @(posedge clk_i) begin : way_of_vcs
      if ((phase_out_i | online_out) != '0 || expected_q != '0) vcs_q <= {vcs_q[0 +: VC_W*P*(EDGES-1)], phase_vc_i};
    end
    always_comb begin : compare
      other_vc = '0;
      if (in_valid_i != '0) begin
        for (int unsigned p = 0; p < P; p++) begin
          other_vc[p] = vcs_q[VC_W*(P*(EDGES-1)+p) +: VC_W] != in_vc_i[VC_W*p +: VC_W];
        end
      end
    end
  end else begin : gen_one_vc
    logic unused_vcs;
    assign unused_vcs = &{1'b0, phase_vc_i};
    assign other_vc = '0;
  end

  assign phase = expected_q[2*P*(EDGES-1) +: P];
  assign online = expected_q[2*P*(EDGES-1) + P +: P];
  assign out_valid_o = in_valid_i & ((in_online_i & online) | (~in_online_i & phase & ~other_vc));
  assign error_o = out_valid_o != (phase | online) || out_valid_o != in_valid_i || mixed != '0;

  always_comb begin : order
    mixed = '0;
    if (out_valid_o != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        mixed[p] = out_valid_o[p] && in_head_i[p] == inside_q[noc_pkg::vc_index(p, 32'(in_vc_i[VC_W*p +: VC_W]))];
      end
    end
  end

  always_ff @(posedge clk_i) begin : packets
    if (!rst_ni) inside_q <= '0;
    else if (out_valid_o != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        if (out_valid_o[p]) inside_q[noc_pkg::vc_index(p, 32'(in_vc_i[VC_W*p +: VC_W]))] <= !in_tail_i[p];
      end
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && in_valid_i != '0) unicast_comes_where_it_goes: assert ((in_valid_i & in_online_i & ~online) == '0);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      flit_without_a_place: cover ((in_valid_i & ~in_online_i & ~phase) != '0);
      flit_of_the_phase_is_missing: cover ((phase & ~out_valid_o) != '0);
      unicast_is_missing: cover ((online & ~out_valid_o) != '0);
      packets_are_mixed: cover (mixed != '0 && out_valid_o == in_valid_i && out_valid_o == (phase | online));
    end
  end
endmodule
