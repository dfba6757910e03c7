// SPDX-License-Identifier: Apache-2.0
// Round of iSLIP in a VOQ crossbar: request, grant, accept (McKeown 1999), on pairs that may be
// partly matched.
//
// request  ask_i, bit P*vc_index(o, v) + i: the queue of VC v from input i to output o requests.
// grant    Every output grants one input, accept: every input accepts one output that granted it;
//          both by voq_arbiter, with the turns that the parent keeps.
// keep_i   Pairs with precedence on both sides, bit P*o + i, at most one per output and per input:
//          matched in an earlier round, or inside a packet. An output without such a pair first
//          grants inputs without one. The precedence is within a VC, or with FIRST_OVER_VC over all
//          VCs.
// pair_o   Pairs after the round, bit P*o + i, at most one per output and per input.
// grant_o, grant_vc_o: grants of the outputs, accepted or not, bits P*o + i and vc_index(o, v).
// accept_vc_o: VC of the pair of an input, bit vc_index(i, v). No registers.
module voq_round #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// 1: a pair in keep_i has precedence over VCs
  parameter int unsigned FIRST_OVER_VC = 0,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic [VCS*P*P-1:0] ask_i,
  input  logic [P*P-1:0]     keep_i,
  input  logic [P-1:0]       kept_in_i,      // inputs and outputs of keep_i
  input  logic [P-1:0]       kept_out_i,
  input  logic [VCS*P*P-1:0] grant_turn_i,   // bit P*vc_index(o, v) + i
  input  logic [VCS*P*P-1:0] accept_turn_i,  // bit P*vc_index(i, v) + o
  output logic [P*P-1:0]     pair_o,
  output logic [P*P-1:0]     grant_o,
  output logic [VCS*P-1:0]   grant_vc_o,
  output logic [VCS*P-1:0]   accept_vc_o
);
  // Per output, a bit per input: inputs with precedence. Per input, a bit per output: outputs with
  // precedence, and the accepted one.
  logic [P-1:0]       first [P];
  logic [P-1:0]       by_input [P];
  logic [P-1:0]       accept [P];
  logic [VCS*P*P-1:0] got;  // grants of (input, VC), bit P*vc_index(i, v) + o

  always_comb begin : go_first
    for (int unsigned o = 0; o < P; o++) begin
      first[o] = kept_out_i[o] ? keep_i[P*o +: P] : ~kept_in_i;
      for (int unsigned i = 0; i < P; i++) by_input[i][o] = keep_i[P*o + i];
    end
  end

  always_comb begin : collect_grants
    logic [P-1:0] to, granted_v;  // outputs that grant one input, one VC
    for (int unsigned v = 0; v < VCS; v++) begin
      for (int unsigned o = 0; o < P; o++) granted_v[o] = grant_vc_o[noc_pkg::vc_index(o, v)];
      for (int unsigned i = 0; i < P; i++) begin
        for (int unsigned o = 0; o < P; o++) to[o] = grant_o[P*o + i];
        got[P*noc_pkg::vc_index(i, v) +: P] = to & granted_v;
      end
    end
  end

  for (genvar p = 0; p < P; p++) begin : gen_port
    logic [P-1:0] accepted;
    assign accept[p] = accepted;

    voq_arbiter #(.N(P), .VC_ORDER(VC_ORDER), .FIRST_OVER_VC(FIRST_OVER_VC)) i_output (
      .request_i (ask_i[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .first_i   (first[p]),
      .turn_i    (grant_turn_i[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .grant_o   (grant_o[P*p +: P]),
      .grant_vc_o(grant_vc_o[noc_pkg::vc_index(p, 0) +: VCS])
    );
    voq_arbiter #(.N(P), .VC_ORDER(VC_ORDER), .FIRST_OVER_VC(FIRST_OVER_VC)) i_input (
      .request_i (got[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .first_i   (by_input[p]),
      .turn_i    (accept_turn_i[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .grant_o   (accepted),
      .grant_vc_o(accept_vc_o[noc_pkg::vc_index(p, 0) +: VCS])
    );
  end

  always_comb begin : pairs
    for (int unsigned o = 0; o < P; o++) begin
      for (int unsigned i = 0; i < P; i++) pair_o[P*o + i] = accept[i][o];
    end
  end
endmodule
