// SPDX-License-Identifier: Apache-2.0
// Switch allocator of a mesh_router: selects the head-of-line flits that leave at an edge. One
// decision per cycle, from registers and out_ready_i.
//
// Requests. A head-of-line flit requests its output if all of these conditions hold; the first one
//   that fails is the reason of a stall:
//     credit   packet start: room for a whole packet (room_packet_i; straight on along a ring: for
//              a flit). Other flits: room for a flit (room_flit_i).
//     packet   packet start: no other packet is open on (output, VC).
//     link     out_ready_i of the output is high.
// Grants (vc_allocator). Every requested (output, VC) has a winner by round robin over the inputs.
//   Every output grants the winner of one VC: by priority of the VCs, VC_ORDER, except that a VC
//   whose grant was not accepted at the previous edge comes last. Every input accepts one of the
//   outputs that grant it a flit, in the same order of VCs. An accepted flit leaves: pop_o,
//   pop_vc_o, launch_o.
// Turns. A granted packet start passes the turn of its (output, VC) to the input after it, accepted
//   or not.
// Fairness. A packet start that keeps requesting is granted within P grants of its (output, VC) to
//   packet starts, and then leaves unless its input accepts a VC of higher priority at that very
//   edge: among equals no flit waits for ever. A grant that is not accepted leaves its output idle
//   for that cycle; in the next one all other VCs go before it, so it takes at most every other
//   cycle from them.
// Packets. A packet start that leaves opens (output, VC), a tail closes it; in between only its
//   input requests.
// Timing: decisions are made in the cycle before the edge. granted_o follows it: bit P*p + o, a
//   flit from input p to o. For the stall counters, of the cycle: no_credit_o, head-of-line flits
//   that fail `credit`; contends_o, flits that pass `credit` and do not fail `link`; link_stall_o,
//   outputs for which a head-of-line flit fails `link`.
// Indices: noc_pkg::vc_index, of inputs for head-of-line flits (to_i: P bits each, a bit per
//   output), of outputs for room_flit_i, room_packet_i and launch_o.
module mesh_allocator #(
  /// number of ports
  parameter int unsigned P = 10,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // inputs
  input  logic [VCS*P-1:0]   hol_i,
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
  // Inputs with head-of-line flits, and their VCs: let the simulator skip the logic of the
  // remaining ones; tied high for synthesis.
  logic [P-1:0]   enable;
  logic [VCS-1:0] enable_vc;
`ifdef SYNTHESIS
  assign enable = '1;
  assign enable_vc = '1;
`else
  for (genvar p = 0; p < P; p++) begin : gen_enable
    assign enable[p] = hol_i[noc_pkg::vc_index(p, 0) +: VCS] != '0;
  end

  always_comb begin : enables
    enable_vc = '0;
    for (int unsigned p = 0; p < P; p++) enable_vc = enable_vc | hol_i[noc_pkg::vc_index(p, 0) +: VCS];
  end
`endif

  // ------------------------------------------------------------------ requests
  logic [VCS*P-1:0]   open_q;   // a packet is open on (output, VC)
  logic [VCS*P*P-1:0] request;  // outputs requested by every head-of-line flit
  // Requests and room, by VC, a bit per output.
  logic [P-1:0]       open [VCS];
  logic [P-1:0]       room_flit [VCS];
  logic [P-1:0]       room_packet [VCS];

  // Straight on along a ring: from the opposite direction.
  function automatic logic [P-1:0] straight(input int unsigned p);
    straight = (p < mesh_pkg::FIRST_LOCAL) ? P'(1) << (p ^ 2) : '0;
  endfunction

  always_comb begin : outputs_by_vc
    for (int unsigned v = 0; v < VCS; v++) begin
      open[v] = '0;
      room_flit[v] = '0;
      room_packet[v] = '0;
    end
    for (int unsigned v = 0; v < VCS; v++) begin
      if (enable_vc[v]) begin
        for (int unsigned o = 0; o < P; o++) begin
          open[v][o] = open_q[noc_pkg::vc_index(o, v)];
          room_flit[v][o] = room_flit_i[noc_pkg::vc_index(o, v)];
          room_packet[v][o] = room_packet_i[noc_pkg::vc_index(o, v)];
        end
      end
    end
  end

  always_comb begin : requests
    logic [P-1:0] credit, able, has_able;  // outputs: `credit` passes; `packet` passes, too; the
                                           // latter for any head-of-line flit
    request = '0;
    no_credit_o = '0;
    contends_o = '0;
    credit = '0;
    has_able = '0;
    able = '0;
    for (int unsigned p = 0; p < P; p++) begin
      if (enable[p]) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          able = '0;
          if (hol_i[noc_pkg::vc_index(p, v)]) begin
            credit = to_i[P*noc_pkg::vc_index(p, v) +: P] &
                     (begun_i[noc_pkg::vc_index(p, v)] ? room_flit[v]
                                                       : room_packet[v] | (ring_i & straight(p) & room_flit[v]));
            able = begun_i[noc_pkg::vc_index(p, v)] ? credit : credit & ~open[v];
            no_credit_o[noc_pkg::vc_index(p, v)] = credit == '0;
            contends_o[noc_pkg::vc_index(p, v)] = (!begun_i[noc_pkg::vc_index(p, v)] && (credit & open[v]) != '0) ||
                                                  (able & out_ready_i) != '0;
          end
          has_able = has_able | able;
          request[P*noc_pkg::vc_index(p, v) +: P] = able & out_ready_i;
        end
      end
    end
    link_stall_o = has_able & ~out_ready_i;
  end

  // ------------------------------------------------------------------ grants, inputs accept
  logic [VCS*P-1:0] grant_vc, declined_q;  // (output, VC): granted; granted at the previous edge,
                                           // and not accepted
  logic [VCS*P-1:0] accept_vc;             // head-of-line flits that leave
  logic [P*P-1:0]   granted_d, granted_q, grant;

  vc_allocator #(.P(P), .VC_ORDER(VC_ORDER)) i_vc_allocator (
    .clk_i,
    .rst_ni,
    .request_i  (request),
    .last_i     (declined_q),
    .grant_o    (grant),
    .grant_vc_o (grant_vc),
    .advance_i  (grant_vc & ~open_q),
    .drop_i     (P'(0)),
    .accept_o   (granted_d),
    .accept_vc_o(accept_vc),
    .pop_o,
    .pop_vc_o
  );
  logic unused_grant;
  assign unused_grant = &{1'b0, grant};

  // ------------------------------------------------------------------ departures
  logic [VCS*P-1:0] launch_open;  // launched, and the packet goes on
  always_comb begin : launches
    logic [P-1:0] leaves, goes_on;  // outputs
    launch_o = '0;
    launch_open = '0;
    leaves = '0;
    goes_on = '0;
    if (pop_o != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        leaves = leaves | granted_d[P*p +: P];
        if ((accept_vc[noc_pkg::vc_index(p, 0) +: VCS] & tail_i[noc_pkg::vc_index(p, 0) +: VCS]) == '0) begin
          goes_on = goes_on | granted_d[P*p +: P];
        end
      end
      for (int unsigned o = 0; o < P; o++) begin
        if (leaves[o]) launch_o[noc_pkg::vc_index(o, 0) +: VCS] = grant_vc[noc_pkg::vc_index(o, 0) +: VCS];
        if (goes_on[o]) launch_open[noc_pkg::vc_index(o, 0) +: VCS] = grant_vc[noc_pkg::vc_index(o, 0) +: VCS];
      end
    end
  end

  always_ff @(posedge clk_i) begin : registers
    if (!rst_ni) begin
      open_q <= '0;
      declined_q <= '0;
      granted_q <= '0;
    end else begin
      open_q <= (open_q & ~launch_o) | launch_open;
      declined_q <= grant_vc & ~launch_o;
      granted_q <= granted_d;
    end
  end
  assign granted_o = granted_q;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] owned [VCS];  // outputs: an input's packet is open on (output, VC)
    logic [P-1:0] opened;       // outputs: a packet is open on (output, VC), for one VC
    logic [P-1:0] used;         // outputs
    logic         one_owner;    // every open packet, and no other one, has one owner
    if (rst_ni && pop_o != '0) begin
      used = '0;
      one_owner = 1'b1;
      for (int unsigned v = 0; v < VCS; v++) owned[v] = '0;
      for (int unsigned p = 0; p < P; p++) begin
        used = used | granted_d[P*p +: P];
        if (begun_i[noc_pkg::vc_index(p, 0) +: VCS] != '0) begin
          for (int unsigned v = 0; v < VCS; v++) begin
            if (begun_i[noc_pkg::vc_index(p, v)]) begin
              one_owner = one_owner && (owned[v] & to_i[P*noc_pkg::vc_index(p, v) +: P]) == '0;
              owned[v] = owned[v] | to_i[P*noc_pkg::vc_index(p, v) +: P];
            end
          end
        end
      end
      for (int unsigned v = 0; v < VCS; v++) begin
        if (owned[v] != '0 || (open_q & {P{VCS'(1) << v}}) != '0) begin
          for (int unsigned o = 0; o < P; o++) opened[o] = open_q[noc_pkg::vc_index(o, v)];
          one_owner = one_owner && owned[v] == opened;
        end
      end
      open_packets_have_one_owner: assert (one_owner);
      hol_flits_leave: assert ((accept_vc & ~hol_i) == '0);
      link_is_ready: assert ((used & ~out_ready_i) == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      hol_without_credits: cover (no_credit_o != '0);
      hol_waits_for_the_link: cover (link_stall_o != '0);
      packet_stays_open: cover ((open_q & ~launch_o) != '0);
      grant_is_declined: cover ((grant_vc & ~launch_o) != '0);
      several_flits_leave: cover ((pop_o & (pop_o - P'(1))) != '0);
    end
  end
endmodule
