// SPDX-License-Identifier: Apache-2.0
// Arbiter of the bus of a bus_switch: selects the head-of-line flit that leaves at an edge, one at
// most.
//
// A head-of-line flit requests the bus if all of these conditions hold; the first one that fails is
//   the reason of a stall:
//     credit   the receiver has room: for a whole packet if the flit starts one (room_packet_i),
//              otherwise for a flit (room_flit_i)
//     link     out_ready_i of its output is high
//     packet   no packet of another input is open on its VC: a packet keeps its VC of the bus until
//              its tail has left, so packets of a VC are never interleaved at an output
// The highest requested VC (VC_ORDER) gets the bus; its inputs take turns, packet by packet
//   (rr_arbiter).
// Timing: pop_o and pop_vc_o follow the inputs in the same cycle. Stalls are of the cycle before:
//   stall_credit_o and stall_arbiter_o count head-of-line flits, stall_link_o has a bit per output
//   for which a head-of-line flit waits for the link.
// Vectors by head-of-line flit, and by (output, VC): noc_pkg::vc_index.
module bus_arbiter #(
  /// number of ports
  parameter int unsigned P = 4,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of an output index, derived
  localparam int unsigned OUT_W = phased_pkg::OUT_W
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [VCS*P-1:0]         hol_i,
  input  logic [VCS*P*OUT_W-1:0]   to_i,
  input  logic [VCS*P-1:0]         tail_i,
  input  logic [VCS*P-1:0]         room_flit_i,
  input  logic [VCS*P-1:0]         room_packet_i,
  input  logic [P-1:0]             out_ready_i,
  output logic [P-1:0]             pop_o,
  output logic [noc_pkg::VC_W-1:0] pop_vc_o,
  output logic [OUT_W-1:0]         pop_to_o,
  output logic [7:0]               stall_credit_o,
  output logic [7:0]               stall_arbiter_o,
  output logic [P-1:0]             stall_link_o
);
  // Per VC, a bit per port: outputs with room; inputs that request; the granted input.
  logic [P-1:0]     room_flit [VCS];
  logic [P-1:0]     room_packet [VCS];
  logic [P-1:0]     request [VCS];
  logic [P-1:0]     grant [VCS];
  logic [VCS*P-1:0] open_q;  // a packet of the input is open on the VC
  logic [P-1:0]     open [VCS];
  logic [VCS*P-1:0] no_credit, contends;
  logic [VCS-1:0]   asked;
  logic [P-1:0]     link;
  logic [VCS*P-1:0] no_credit_q, contends_q;
  logic [P-1:0]     link_q;
  logic             tail_popped, popped_q;

  always_comb begin : by_vc
    for (int unsigned v = 0; v < VCS; v++) begin
      for (int unsigned p = 0; p < P; p++) begin
        room_flit[v][p] = room_flit_i[noc_pkg::vc_index(p, v)];
        room_packet[v][p] = room_packet_i[noc_pkg::vc_index(p, v)];
        open[v][p] = open_q[noc_pkg::vc_index(p, v)];
      end
    end
  end

  always_comb begin : requests
    logic [P-1:0] to, room;
    no_credit = '0;
    contends = '0;
    link = '0;
    for (int unsigned v = 0; v < VCS; v++) begin
      request[v] = '0;
      for (int unsigned p = 0; p < P; p++) begin
        to = P'(1) << to_i[OUT_W*noc_pkg::vc_index(p, v) +: OUT_W];
        room = to & (open[v][p] ? room_flit[v] : room_packet[v]);
        if (hol_i[noc_pkg::vc_index(p, v)]) begin
          no_credit[noc_pkg::vc_index(p, v)] = room == '0;
          contends[noc_pkg::vc_index(p, v)] = (room & out_ready_i) != '0;
          link = link | (room & ~out_ready_i);
          request[v][p] = (room & out_ready_i) != '0 && (open[v] == '0 || open[v][p]);
        end
      end
    end
  end

  assign pop_vc_o = noc_pkg::first_vc(VC_ORDER, asked);
  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    logic wins;
    assign asked[v] = request[v] != '0;
    assign wins = asked[v] && pop_vc_o == noc_pkg::VC_W'(v);
    rr_arbiter #(.N(P)) i_turn (.clk_i, .rst_ni, .request_i(request[v]), .advance_i(wins), .grant_o(grant[v]));
    always_ff @(posedge clk_i) begin : packets
      for (int unsigned p = 0; p < P; p++) begin
        if (!rst_ni) open_q[noc_pkg::vc_index(p, v)] <= 1'b0;
        else if (wins) open_q[noc_pkg::vc_index(p, v)] <= grant[v][p] && !tail_popped;
      end
    end
  end

  always_comb begin : winner
    pop_o = '0;
    pop_to_o = '0;
    tail_popped = 1'b0;
    for (int unsigned v = 0; v < VCS; v++) begin
      if (pop_vc_o == noc_pkg::VC_W'(v)) pop_o = grant[v];
    end
    for (int unsigned p = 0; p < P; p++) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        if (pop_o[p] && pop_vc_o == noc_pkg::VC_W'(v)) begin
          pop_to_o = to_i[OUT_W*noc_pkg::vc_index(p, v) +: OUT_W];
          tail_popped = tail_i[noc_pkg::vc_index(p, v)];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : stalls
    if (!rst_ni) begin
      no_credit_q <= '0;
      contends_q <= '0;
      popped_q <= 1'b0;
      link_q <= '0;
    end else begin
      no_credit_q <= no_credit;
      contends_q <= contends;
      popped_q <= pop_o != '0;
      link_q <= link;
    end
  end
  assign stall_credit_o = 8'($countones(no_credit_q));
  assign stall_arbiter_o = 8'($countones(contends_q)) - 8'(popped_q);
  assign stall_link_o = link_q;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && pop_o != '0) begin
      one_flit_at_a_time: assert ($onehot(pop_o));
      link_is_ready: assert (out_ready_i[pop_to_o[$clog2(P)-1:0]]);
      popped_contended: assert (contends != '0);
    end
  end
endmodule
