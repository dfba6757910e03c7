// SPDX-License-Identifier: Apache-2.0
// Compares what leaves the interconnect of a FRED switch with the places that were reserved for it: a row of the phase
// store whose configuration is not that of its flows is found here, and does no more than spoil what its phase carries.
//
// Contract: a flit of the phase goes on where a place was reserved for one when it fired, an online unicast where a
//   place was reserved for one (it comes nowhere else, asserted). Others end here. error_o is high where a flit ends
//   here, where none came for a place that was reserved, which stays taken until a reset, and where one that goes on is
//   not the next of a packet of its output and virtual channel: those of two flows that fire at once may have changed
//   places.
// Why here: the interconnect obeys its configuration, whatever that is. A row of the routing (fred_routing.h) never
//   raises error_o, nor do unicasts beside its phase. So packets leave the switch whole, or it has an error code.
// Timing: move_i and phase_out_i are registers that follow the edge e at which flits leave their buffers
//   (phased_switch); those flits are on in_valid_i and in_online_i after edge e + STAGES + 2. The rest is
//   combinational.
module fred_exit #(
  /// ports of the switch, 2 to 32
  parameter int unsigned P = 12,
  /// register stages of the interconnect
  parameter int unsigned STAGES = fred_pkg::stages(P, 1),
  /// phases in use at a time: of two, a flit also ends where one of another virtual channel was to come
  parameter int unsigned PHASES_IN_USE = 1,
  /// virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// bits of a virtual channel's number, derived
  localparam int unsigned VC_W = noc_pkg::VC_W
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // bit P*input + output of every unicast that left; outputs of the flits of phases that did, and their virtual
  // channels
  input  logic [P*P-1:0]    move_i,
  input  logic [P-1:0]      phase_out_i,
  input  logic [VC_W*P-1:0] phase_vc_i,
  // flits that come out of the interconnect; those of them that are unicasts; their virtual channels, heads and tails
  input  logic [P-1:0]      in_valid_i,
  input  logic [P-1:0]      in_online_i,
  input  logic [VC_W*P-1:0] in_vc_i,
  input  logic [P-1:0]      in_head_i,
  input  logic [P-1:0]      in_tail_i,
  output logic [P-1:0]      out_valid_o,
  output logic              error_o
);
  localparam int unsigned EDGES = STAGES + 2;

  // Outputs at which flits are expected, of the phase and unicasts: bits [2*P*n +: 2*P] of those that left n + 1 edges
  // before the last.
  logic [2*P*EDGES-1:0] expected_q;
  logic [P-1:0]         online_out, phase, online;
  logic [VCS*P-1:0]     inside_q;  // by noc_pkg::vc_index: a head has gone on, its tail has not
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

  logic [P-1:0] other_vc;  // outputs with a flit of another virtual channel than the phase's

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
