// SPDX-License-Identifier: Apache-2.0
// Arbiter of one output or one input in a round of matching: of those that ask, one, by virtual channel, by who goes
// first, by round robin.
//
// Grant: of the highest VC (VC_ORDER) on which one asks; of those that ask on it, one of first_i, if there is one; of
//   several the first one at or after the VC's turn, cyclically. With FIRST_OVER_VC those of first_i go first whatever
//   their VC: if one of them asks, the others do not count.
// Turn, one of a VC: bits of those at or after it; none is as good as all. It is kept by the parent.
// Bit N*v + n of a vector by VC: VC v, the n-th. grant_o is one-hot or none, and so is grant_vc_o. No registers.
module voq_arbiter #(
  /// those who may ask
  parameter int unsigned N = 12,
  /// virtual channels by priority (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// 1: those that go first do so over VCs
  parameter int unsigned FIRST_OVER_VC = 0,
  /// virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic [VCS*N-1:0] request_i,
  input  logic [N-1:0]     first_i,
  input  logic [VCS*N-1:0] turn_i,
  output logic [N-1:0]     grant_o,
  output logic [VCS-1:0]   grant_vc_o
);
  // Picks of each VC: of all requests, of those that go first.
  logic [N-1:0]   pick_all [VCS];
  logic [N-1:0]   pick_first [VCS];
  logic [VCS-1:0] any_all, any_first;

  // Lowest set bit of each set: it and those below are left as they are by the negation's carry.
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
