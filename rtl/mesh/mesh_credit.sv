// SPDX-License-Identifier: Apache-2.0
// Credit counter of one (output port, virtual channel) of a mesh_router: free slots at the
// receiver.
//
// Packets are launched whole (virtual cut-through). need is the room that a packet start requires:
//   1 on the control VC, whose packets are one flit; otherwise PACKET_FLITS, or the depth of the
//   receiver if that is smaller, but at least 1. A packet longer than need is carried, too, but may
//   stop half way. With ring_i high the output leads into a ring, and a packet start that enters
//   the ring needs room for one more flit (mesh_router): it never gets it if the depth of the
//   receiver is need or less.
// Timing: launch_i at an edge spends a credit, give_i adds one. The flags of a cycle, room_flit_o
//   and room_packet_o, count every launch up to the edge before the cycle; the count itself
//   includes a launch one edge later, and the flags below anticipate one more launch. A credit
//   given at edge e can thus be spent at e + 1.
// Register: write_i sets the count, overriding give_i and launch_i at the same edge, and sets need.
// Count: 0 to 2^CREDIT_W - 1, saturating.
module mesh_credit #(
  /// credits after reset
  parameter int unsigned DEPTH = 80,
  /// flits of the longest packet; 1: need is always 1
  parameter int unsigned PACKET_FLITS = 8,
  /// width of a credit count, derived
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                ring_i,
  input  logic                launch_i,
  input  logic                give_i,
  input  logic                write_i,
  input  logic [CREDIT_W-1:0] wdata_i,
  output logic                room_flit_o,
  output logic                room_packet_o,
  output logic [CREDIT_W-1:0] credits_o
);
  localparam int unsigned NEED_W = $clog2(PACKET_FLITS + 1);
  localparam int unsigned RESET_NEED = (PACKET_FLITS < DEPTH) ? PACKET_FLITS : DEPTH;

  logic [CREDIT_W-1:0] credits_q;
  logic [NEED_W-1:0]   need_q;
  logic                spend_q;                                                   // launch_i delayed
  logic                credit_ge_1_q, credit_ge_2_q;
  logic                credit_ge_need_q, credit_ge_need_1_q, credit_ge_need_2_q;  // need + 0, 1, 2

  always_ff @(posedge clk_i) begin : registers
    logic [CREDIT_W-1:0] credits_d;
    logic [NEED_W-1:0]   need_d;
    if (!rst_ni) begin
      spend_q <= 1'b0;
      credits_q <= CREDIT_W'(DEPTH);
      need_q <= NEED_W'(RESET_NEED);
      credit_ge_1_q <= 1'b1;
      credit_ge_2_q <= DEPTH >= 2;
      credit_ge_need_q <= 1'b1;
      credit_ge_need_1_q <= DEPTH >= RESET_NEED + 1;
      credit_ge_need_2_q <= DEPTH >= RESET_NEED + 2;
    end else if (launch_i || spend_q || give_i || write_i) begin
      spend_q <= launch_i && !write_i;
      if (write_i || give_i != spend_q) begin
        credits_d = spend_q ? credits_q - CREDIT_W'(1) : (credits_q != '1) ? credits_q + CREDIT_W'(1) : '1;
        need_d = need_q;
        if (write_i) begin
          credits_d = wdata_i;
          need_d = (wdata_i >= CREDIT_W'(PACKET_FLITS)) ? NEED_W'(PACKET_FLITS)
                                                        : (wdata_i == '0) ? NEED_W'(1) : NEED_W'(wdata_i);
        end
        credits_q <= credits_d;
        need_q <= need_d;
        credit_ge_1_q <= credits_d != '0;
        credit_ge_2_q <= credits_d >= CREDIT_W'(2);
        credit_ge_need_q <= credits_d >= CREDIT_W'(need_d);
        credit_ge_need_1_q <= credits_d > CREDIT_W'(need_d);
        credit_ge_need_2_q <= (CREDIT_W + 1)'(credits_d) > (CREDIT_W + 1)'(need_d) + (CREDIT_W + 1)'(1);
      end
    end
  end

  assign room_flit_o = spend_q ? credit_ge_2_q : credit_ge_1_q;
  assign room_packet_o = (spend_q && ring_i) ? credit_ge_need_2_q
                                             : (spend_q || ring_i) ? credit_ge_need_1_q : credit_ge_need_q;
  assign credits_o = credits_q;

  // Depth of the receiver, as far as known: a write with flits in flight leaves it open.
  logic [CREDIT_W-1:0] depth_q;
  logic                depth_known_q;
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_ni) begin
      depth_q <= CREDIT_W'(DEPTH);
      depth_known_q <= 1'b1;
    end else if (launch_i || spend_q || give_i || write_i) begin
      if (write_i) begin
        depth_q <= wdata_i;
        depth_known_q <= depth_known_q && credits_q == depth_q && !spend_q && !launch_i && !give_i;
      end
      if (launch_i) launch_has_a_credit: assert (room_flit_o);
      if (spend_q && !write_i) no_underflow: assert (credits_q != '0);
      if (give_i && !spend_q && !write_i) begin
        credit_within_depth: assert (!depth_known_q || credits_q < depth_q || credits_q == '1);
      end
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      none_left: cover (credits_q == '0);
      room_for_a_flit_not_for_a_packet: cover (room_flit_o && !room_packet_o);
      ring_needs_one_more: cover (ring_i && credit_ge_need_q && !room_packet_o);
      given_as_one_is_spent: cover (give_i && spend_q);
    end
  end
endmodule
