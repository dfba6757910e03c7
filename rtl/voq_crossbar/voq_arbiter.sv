// SPDX-License-Identifier: Apache-2.0
// Arbiter of one output or one input in a round of matching: selects one request by virtual
// channel, by precedence, then by round robin.
//
// Grant: on the highest VC (VC_ORDER) with a request; there a request in first_i has precedence
//   over all remaining ones; among several the first one at or after the VC's turn, cyclically.
//   With FIRST_OVER_VC requests in first_i have precedence on any VC: if there is one, requests
//   outside first_i are ignored.
// Turn, one per VC: thermometer mask of the requests at or after it; an all-zero mask acts like all
//   ones. The parent keeps it.
// Indices: bit N*v + n of a vector by VC is request n on VC v. grant_o is one-hot or zero, and so
//   is grant_vc_o. No registers.
module voq_arbiter #(
  /// number of requesters
  parameter int unsigned N = 12,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// 1: requests in first_i have precedence over VCs
  parameter int unsigned FIRST_OVER_VC = 0,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic [VCS*N-1:0] request_i,
  input  logic [N-1:0]     first_i,
  input  logic [VCS*N-1:0] turn_i,
  output logic [N-1:0]     grant_o,
  output logic [VCS-1:0]   grant_vc_o
);
  // Picks of each VC: from all requests, and from requests in first_i.
  logic [N-1:0]   pick_all [VCS];
  logic [N-1:0]   pick_first [VCS];
  logic [VCS-1:0] any_all, any_first;

  // Isolates the lowest set bit of each set: the carry of the negation leaves it and the bits below
  // it unchanged.
  always_comb begin : by_vc
    logic [N-1:0] all, turn, first, first_turn;
    for (int unsigned v = 0; v < VCS; v++) begin
      all = request_i[N*v +: N];
      turn = all & turn_i[N*v +: N];
      first = all & first_i;
      first_turn = first & turn;
      any_all[v] = all != '0;
      any_first[v] = first != '0;
      pick_all[v] = (turn != '0) ? turn & (~turn + N'(1)) : all & (~all + N'(1));
      pick_first[v] = (first_turn != '0) ? first_turn & (~first_turn + N'(1)) : first & (~first + N'(1));
    end
  end

  always_comb begin : grant
    logic [VCS-1:0] use_first, vcs;
    grant_o = '0;
    use_first = any_first;
    vcs = any_all;
    if (FIRST_OVER_VC != 0) begin
      use_first = {VCS{any_first != '0}};
      if (any_first != '0) vcs = any_first;
    end
    grant_vc_o = (vcs != '0) ? VCS'(1) << noc_pkg::first_vc(VC_ORDER, vcs) : '0;
    for (int unsigned v = 0; v < VCS; v++) begin
      if (grant_vc_o[v]) grant_o = grant_o | (use_first[v] ? pick_first[v] : pick_all[v]);
    end
  end
endmodule
