// SPDX-License-Identifier: Apache-2.0
// One output of phased_matcher: grant to one of the head-of-line flits that request it, and the state of its round
// robin.
//
// Grant: every VC picks one head-of-line flit by round robin over the inputs (rr_arbiter); the output grants the pick
//   of its highest VC (VC_ORDER). From registers and ask_i only.
// State, per VC: a packet is open (locked_o), from the packet start that moves to the tail that moves; the
//   turn, which goes to the input after the pick when a packet start is granted and the phase does not use the
//   output, whether the head-of-line flit moves or not: an input that is taken by others does not keep its like from
//   this output.
// Bit P*v + p of a vector by head-of-line flit: VC v of input p.
module phased_matcher_output #(
  /// ports of the switch
  parameter int unsigned P = 12,
  /// virtual channels by priority (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // low: nothing asks, nothing changes; early
  input  logic                          enable_i,
  // head-of-line flits: that ask for this output, that start a packet, that end one
  input  logic [noc_pkg::NUM_VCS*P-1:0] ask_i,
  input  logic [noc_pkg::NUM_VCS*P-1:0] start_i,
  input  logic [noc_pkg::NUM_VCS*P-1:0] tail_i,
  // the input and the VC granted, one-hot or none; more than one input asked
  output logic [P-1:0]                  grant_o,
  output logic [noc_pkg::NUM_VCS-1:0]   grant_vc_o,
  output logic                          contended_o,
  // late: the phase uses the output in this cycle; the granted head-of-line flit moves
  input  logic                          taken_i,
  input  logic                          move_i,
  output logic [noc_pkg::NUM_VCS-1:0]   locked_o
);
  localparam int unsigned VCS = noc_pkg::NUM_VCS;

  logic [VCS*P-1:0] pick;  // pick of each VC, bit P*v + p
  logic [VCS-1:0]   locked_q, any, advance;
  logic [P-1:0]     askers;
  logic             start, tail;

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    rr_arbiter #(.N(P)) i_pick (
      .clk_i,
      .rst_ni,
      .request_i(ask_i[P*v +: P]),
      .advance_i(advance[v]),
      .grant_o  (pick[P*v +: P])
    );
  end

  always_comb begin : grant
    any = '0;
    grant_o = '0;
    grant_vc_o = '0;
    start = 1'b0;
    tail = 1'b0;
    if (enable_i) begin
      for (int unsigned v = 0; v < VCS; v++) any[v] = ask_i[P*v +: P] != '0;
      if (any != '0) grant_vc_o = VCS'(1) << noc_pkg::first_vc(VC_ORDER, any);
      for (int unsigned v = 0; v < VCS; v++) begin
        if (grant_vc_o[v]) grant_o = grant_o | pick[P*v +: P];
        if (grant_vc_o[v] && (pick[P*v +: P] & start_i[P*v +: P]) != '0) start = 1'b1;
        if (grant_vc_o[v] && (pick[P*v +: P] & tail_i[P*v +: P]) != '0) tail = 1'b1;
      end
    end
  end

  assign advance = (start && !taken_i) ? grant_vc_o : '0;

  always_comb begin : contention
    askers = '0;
    contended_o = 1'b0;
    if (enable_i) begin
      for (int unsigned v = 0; v < VCS; v++) askers = askers | ask_i[P*v +: P];
      contended_o = (askers & (askers - P'(1))) != '0;
    end
  end

  always_ff @(posedge clk_i) begin : update
    if (!rst_ni) begin
      locked_q <= '0;
    end else if (enable_i) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        if (grant_vc_o[v] && move_i) locked_q[v] <= !tail;
      end
    end
  end

  assign locked_o = locked_q;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && any != '0) begin
      grant_is_asked_for: assert ((grant_o & ~askers) == '0 && grant_o != '0 && (grant_o & (grant_o - P'(1))) == '0);
      start_on_a_closed_vc: assert (!start || (grant_vc_o & locked_q) == '0);
      body_on_an_open_vc: assert (start || (grant_vc_o & locked_q) != '0);
    end
  end
endmodule
