// SPDX-License-Identifier: Apache-2.0
// Switch allocator of a mesh_router: which head-of-line flits leave at an edge. One decision per cycle, from registers
//   and out_ready_i.
//
// Requests. A head-of-line flit requests its output when all of these hold; the first that fails is the reason of a
// stall:
//     credit   a packet start: room for a whole packet (room_packet_i; straight on along a ring: for a flit). Another
//              flit: room for a flit (room_flit_i).
//     packet   a packet start: no other packet is open on (output, VC).
//     link     out_ready_i of the output is high.
// Grants. Every (output, VC) that is asked for has a winner by round robin over the inputs (mesh_vc_arbiter). Every
//   output grants the winner of one VC: by priority of the VCs, VC_ORDER, but the VC whose grant was not accepted at
//   the edge before comes after the others. Every input accepts one of the outputs that grant it a flit, in the same
//   order of VCs. What is accepted leaves: pop_o, pop_vc_o, launch_o.
// Turns. A packet start that is granted passes the turn of its (output, VC) on to the input after it, accepted or not.
// Fairness. A packet start that keeps asking is granted within P grants of its (output, VC) to packet starts, and then
//   leaves unless its input accepts a VC of higher priority at that very edge: of equals none waits for ever. A grant
//   that is not accepted leaves its output idle for that cycle; in the next one the other VCs go before it, so it takes
//   at most every other cycle from them.
// Packets. A packet start that leaves opens (output, VC), a tail closes it; in between only its input asks.
// Timing: decisions are made in the cycle before the edge. granted_o follows it: bit p*P + o, a flit from input p to o.
//   For the counters of stalls, of the cycle: no_credit_o, head-of-line flits that fail `credit`; contends_o, those
//   that pass it and do not fail `link`; link_stall_o, outputs for which a head-of-line flit fails `link`.
// Indices: head-of-line flits 4p + v, as (output, VC) v*P + o.
module mesh_allocator #(
  /// ports
  parameter int unsigned P = 10,
  /// virtual channels by priority (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// bits of a virtual channel's number, derived
  localparam int unsigned VC_W = noc_pkg::VC_W
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // inputs
  input  logic [VCS*P-1:0]   front_i,
  input  logic [VCS*P*P-1:0] to_i,
  input  logic [VCS*P-1:0]   begun_i,
  input  logic [VCS*P-1:0]   tail_i,
  output logic [P-1:0]       pop_o,
  output logic [VC_W*P-1:0]  pop_vc_o,
  // outputs
  input  logic [P-1:0]       ring_i,
  input  logic [P-1:0]       out_ready_i,
  input  logic [VCS*P-1:0]   room_flit_i,
  input  logic [VCS*P-1:0]   room_packet_i,
  output logic [VCS*P-1:0]   launch_o,
  output logic [P*P-1:0]     granted_o,
  // stalls
  output logic [VCS*P-1:0]   no_credit_o,
  output logic [VCS*P-1:0]   contends_o,
  output logic [P-1:0]       link_stall_o
);
  // Tests whether there is anything to do are for the speed of simulation: where they fail the values are zero anyway.
  // ------------------------------------------------------------------ requests
  logic [VCS*P-1:0]   open_q;    // a packet is open on (output, VC)
  logic [VCS*P*P-1:0] able;      // bit (v*P + p)*P + o: a head-of-line flit that passes `credit` and
                                 // `packet`
  logic [VCS*P*P-1:0] request;   // the same, where the link is ready too
  logic [P-1:0]       has_able;  // outputs
  logic [P-1:0]       tries;     // inputs: a head-of-line flit passes `credit`

  for (genvar p = 0; p < P; p++) begin : gen_input
    // Along a ring: from the opposite direction.
    localparam bit [P-1:0] STRAIGHT = (p < mesh_pkg::FIRST_LOCAL) ? P'(1) << (p ^ 2) : '0;
    logic [VCS*P-1:0] able_p, request_p;  // v*P + o
    logic [VCS-1:0]   front, passes, closed;
    assign front = front_i[VCS*p +: VCS];

    always_comb begin : credits
      logic [P-1:0] credit;
      able_p = '0;
      passes = '0;
      closed = '0;
      credit = '0;
      if (front != '0) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          if (front[v]) begin
            credit = to_i[(VCS*p + v)*P +: P] &
                     (begun_i[VCS*p + v] ? room_flit_i[v*P +: P]
                                         : room_packet_i[v*P +: P] | (ring_i & STRAIGHT & room_flit_i[v*P +: P]));
            passes[v] = credit != '0;
            able_p[v*P +: P] = begun_i[VCS*p + v] ? credit : credit & ~open_q[v*P +: P];
            closed[v] = !begun_i[VCS*p + v] && (credit & open_q[v*P +: P]) != '0;
          end
        end
      end
    end

    always_comb begin : links
      request_p = '0;
      contends_o[VCS*p +: VCS] = '0;
      if (passes != '0) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          request_p[v*P +: P] = able_p[v*P +: P] & out_ready_i;
          contends_o[VCS*p + v] = closed[v] || request_p[v*P +: P] != '0;
        end
      end
    end

    assign no_credit_o[VCS*p +: VCS] = front & ~passes;
    assign tries[p] = passes != '0;
    for (genvar v = 0; v < VCS; v++) begin : gen_vc
      assign able[(v*P + p)*P +: P] = able_p[v*P +: P];
      assign request[(v*P + p)*P +: P] = request_p[v*P +: P];
    end
  end

  always_comb begin : any_able
    has_able = '0;
    for (int unsigned i = 0; i < VCS * P; i++) has_able = has_able | able[i*P +: P];
  end
  assign link_stall_o = has_able & ~out_ready_i;

  // ------------------------------------------------------------------ grants
  logic [VCS*P*P-1:0] winner;  // as request
  logic [VCS*P-1:0]   any, fresh, grant, declined_q;
  logic [P-1:0]       any_fresh;

  assign fresh = any & ~declined_q;
  always_comb begin : has_fresh
    any_fresh = '0;
    for (int unsigned v = 0; v < VCS; v++) any_fresh = any_fresh | fresh[v*P +: P];
  end

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    localparam bit [VCS-1:0] HIGHER = mesh_pkg::higher_vcs(VC_ORDER, VC_W'(v));
    logic [P-1:0] higher_fresh, higher_any;
    always_comb begin : higher
      higher_fresh = '0;
      higher_any = '0;
      for (int unsigned u = 0; u < VCS; u++) begin
        if (HIGHER[u]) begin
          higher_fresh = higher_fresh | fresh[u*P +: P];
          higher_any = higher_any | any[u*P +: P];
        end
      end
    end
    assign grant[v*P +: P] = (fresh[v*P +: P] & ~higher_fresh) |
                             (any[v*P +: P] & ~any_fresh & ~higher_any);

    mesh_vc_arbiter #(.P(P)) i_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(request[v*P*P +: P*P]),
      .advance_i(grant[v*P +: P] & ~open_q[v*P +: P]),
      .winner_o (winner[v*P*P +: P*P]),
      .any_o    (any[v*P +: P])
    );
  end

  // ------------------------------------------------------------------ inputs accept
  logic [VCS*P-1:0] granted;  // 4p + v: an output grants this head-of-line flit
  logic [VCS*P-1:0] accept;   // the same, one-hot for every input
  logic [P*P-1:0]   granted_d, granted_q;

  for (genvar p = 0; p < P; p++) begin : gen_accept
    always_comb begin : fronts
      logic [P-1:0] by;
      granted[VCS*p +: VCS] = '0;
      accept[VCS*p +: VCS] = '0;
      granted_d[p*P +: P] = '0;
      pop_vc_o[VC_W*p +: VC_W] = '0;
      by = '0;
      if (tries[p]) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          granted[VCS*p + v] = (winner[(v*P + p)*P +: P] & grant[v*P +: P]) != '0;
        end
        for (int unsigned v = 0; v < VCS; v++) begin
          if (granted[VCS*p + v] && (granted[VCS*p +: VCS] & mesh_pkg::higher_vcs(VC_ORDER, VC_W'(v))) == '0) begin
            by = winner[(v*P + p)*P +: P] & grant[v*P +: P];
            accept[VCS*p + v] = 1'b1;
            granted_d[p*P +: P] = granted_d[p*P +: P] | by;
            pop_vc_o[VC_W*p +: VC_W] = pop_vc_o[VC_W*p +: VC_W] | VC_W'(v);
          end
        end
      end
    end
    assign pop_o[p] = granted[VCS*p +: VCS] != '0;
  end

  // ------------------------------------------------------------------ departures
  logic [VCS*P-1:0] launch_open;  // and its packet goes on
  always_comb begin : launches
    launch_o = '0;
    launch_open = '0;
    for (int unsigned p = 0; p < P; p++) begin
      if (pop_o[p]) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          if (accept[VCS*p + v]) begin
            launch_o[v*P +: P] = launch_o[v*P +: P] | winner[(v*P + p)*P +: P];
            if (!tail_i[VCS*p + v]) launch_open[v*P +: P] = launch_open[v*P +: P] | winner[(v*P + p)*P +: P];
          end
        end
      end
    end
    launch_o = launch_o & grant;
    launch_open = launch_open & grant;
  end

  always_ff @(posedge clk_i) begin : registers
    if (!rst_ni) begin
      open_q <= '0;
      declined_q <= '0;
      granted_q <= '0;
    end else begin
      open_q <= (open_q & ~launch_o) | launch_open;
      declined_q <= grant & ~launch_o;
      granted_q <= granted_d;
    end
  end
  assign granted_o = granted_q;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [VCS*P-1:0] owned, owned_twice;  // an input's packet is open on (output, VC)
    logic [P-1:0]     used, used_twice;    // outputs
    logic             one_each;            // no input has two flits accepted
    if (rst_ni && pop_o != '0) begin
      owned = '0;
      owned_twice = '0;
      used = '0;
      used_twice = '0;
      one_each = 1'b1;
      for (int unsigned p = 0; p < P; p++) begin
        if (granted_d[p*P +: P] != '0) begin
          used_twice = used_twice | (used & granted_d[p*P +: P]);
          used = used | granted_d[p*P +: P];
          one_each = one_each && $onehot0(granted_d[p*P +: P]) && $onehot0(accept[VCS*p +: VCS]);
        end
        if (begun_i[VCS*p +: VCS] != '0) begin
          for (int unsigned v = 0; v < VCS; v++) begin
            if (begun_i[VCS*p + v]) begin
              owned_twice[v*P +: P] = owned_twice[v*P +: P] | (owned[v*P +: P] & to_i[(VCS*p + v)*P +: P]);
              owned[v*P +: P] = owned[v*P +: P] | to_i[(VCS*p + v)*P +: P];
            end
          end
        end
      end
      input_accepts_one: assert (one_each);
      output_grants_one: assert (used_twice == '0);
      open_packets_have_one_owner: assert (owned == open_q && owned_twice == '0);
      fronts_leave: assert ((accept & ~front_i) == '0);
      link_is_ready: assert ((used & ~out_ready_i) == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      front_without_credits: cover (no_credit_o != '0);
      front_waits_for_the_link: cover (link_stall_o != '0);
      packet_stays_open: cover ((open_q & ~launch_o) != '0);
      grant_is_declined: cover ((grant & ~launch_o) != '0);
      lower_vc_goes_first_after_a_declined_grant: cover ((declined_q & any & ~grant) != '0);
      several_flits_leave: cover ((pop_o & (pop_o - P'(1))) != '0);
    end
  end
endmodule
