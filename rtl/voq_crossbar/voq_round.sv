// SPDX-License-Identifier: Apache-2.0
// One round of iSLIP in a VOQ crossbar: request, grant, accept (McKeown 1999), on pairs that may be partly matched.
//
// request  ask_i, bit P*(4o+v) + i: the queue of VC v from input i to output o asks.
// grant    Every output grants one input, accept: every input accepts one output that granted it; both by voq_arbiter,
//          with the turns that the parent keeps.
// keep_i   Pairs that go first on both sides, bit P*o + i, at most one of an output and of an input: matched in an
//          earlier round, or in the middle of a packet. An output without one grants inputs without one first. Within a
//          VC, or with FIRST_OVER_VC whatever the VC.
// pair_o   Pairs after the round, bit P*o + i, at most one of an output and of an input.
// grant_o, grant_vc_o: what the outputs granted, accepted or not, bits P*o + i and 4o + v.
// accept_vc_o: VC of the pair of an input, bit 4i + v. No registers.
module voq_round #(
  /// ports of the switch
  parameter int unsigned P = 12,
  /// virtual channels by priority (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// 1: a pair that goes first does so over VCs
  parameter int unsigned FIRST_OVER_VC = 0,
  /// virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic [VCS*P*P-1:0] ask_i,
  input  logic [P*P-1:0]     keep_i,
  input  logic [P-1:0]       kept_in_i,      // inputs and outputs of keep_i
  input  logic [P-1:0]       kept_out_i,
  input  logic [VCS*P*P-1:0] grant_turn_i,   // bit P*(4o+v) + i
  input  logic [VCS*P*P-1:0] accept_turn_i,  // bit P*(4i+v) + o
  output logic [P*P-1:0]     pair_o,
  output logic [P*P-1:0]     grant_o,
  output logic [VCS*P-1:0]   grant_vc_o,
  output logic [VCS*P-1:0]   accept_vc_o
);
  logic [P*P-1:0]     first, by_input, accept;  // bit P*o + i; the others P*i + o
  logic [VCS*P*P-1:0] got;                      // bit P*(4i+v) + o

  always_comb begin : who_goes_first
    for (int unsigned o = 0; o < P; o++) begin
      first[P*o +: P] = kept_out_i[o] ? keep_i[P*o +: P] : ~kept_in_i;
      for (int unsigned i = 0; i < P; i++) by_input[P*i + o] = keep_i[P*o + i];
    end
  end

  always_comb begin : tell_inputs
    for (int unsigned i = 0; i < P; i++) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        for (int unsigned o = 0; o < P; o++) got[P*(VCS*i + v) + o] = grant_o[P*o + i] && grant_vc_o[VCS*o + v];
      end
    end
  end

  for (genvar p = 0; p < P; p++) begin : gen_port
    voq_arbiter #(.N(P), .VC_ORDER(VC_ORDER), .FIRST_OVER_VC(FIRST_OVER_VC)) i_output (
      .request_i (ask_i[VCS*P*p +: VCS*P]),
      .first_i   (first[P*p +: P]),
      .turn_i    (grant_turn_i[VCS*P*p +: VCS*P]),
      .grant_o   (grant_o[P*p +: P]),
      .grant_vc_o(grant_vc_o[VCS*p +: VCS])
    );
    voq_arbiter #(.N(P), .VC_ORDER(VC_ORDER), .FIRST_OVER_VC(FIRST_OVER_VC)) i_input (
      .request_i (got[VCS*P*p +: VCS*P]),
      .first_i   (by_input[P*p +: P]),
      .turn_i    (accept_turn_i[VCS*P*p +: VCS*P]),
      .grant_o   (accept[P*p +: P]),
      .grant_vc_o(accept_vc_o[VCS*p +: VCS])
    );
  end

  always_comb begin : pairs
    for (int unsigned o = 0; o < P; o++) begin
      for (int unsigned i = 0; i < P; i++) pair_o[P*o + i] = accept[P*i + o];
    end
  end
endmodule
