// SPDX-License-Identifier: Apache-2.0
// Input side of one port of a fred_switch: pin register, input buffer of all virtual channels, flit
// register (§5.4, §6.2.3).
//
// Function: a flit on in_flit_i goes to a register, then into the buffer of its VC (vc_buffer). The
//   control unit sees the phase at the head of every VC and whether the head-of-line flit is a
//   tail. The matcher sees the flits of PHASE_ONLINE with their output, which is looked up
//   (lookup_o, lookup_dst_o) at the edge that samples in_flit_i, so that the result arrives with
//   the register. pop_i, a bit per VC, at most one of them, removes a head-of-line flit, which is
//   then read and passed to the interconnect.
// Handshake: in_valid_i has no ready: the sender holds credits. A flit that finds its FIFO full is
//   dropped, and overflow_o is high for a cycle. pop_i may be high only with a head-of-line flit.
//   credit_o: one credit per pop, one cycle, registered.
// Timing: a flit sampled at edge e is a head-of-line flit after e + 1. A head-of-line flit popped
//   at edge e is read after e + 1, with its header on read_header_o, and is on flit_o (with
//   flit_valid_o) after e + 2.
// Decisions are made elsewhere: phased_control and phased_matcher.
module phased_input_unit #(
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// buffer depth of each data VC, in flits
  parameter int unsigned VC_DEPTH = 48,
  /// buffer depth of the control VC, in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W,
  /// width of a phase index, derived
  localparam int unsigned PHASE_W = noc_pkg::PHASE_W
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  // link side
  input  logic                             in_valid_i,
  input  logic [FLIT_W-1:0]                in_flit_i,
  output logic [VCS-1:0]                   credit_o,
  // routing table: lookup at an edge, result after it
  output logic                             lookup_o,
  output logic [noc_pkg::DST_W-1:0]        lookup_dst_o,
  input  logic                             route_known_i,
  input  logic [phased_pkg::OUT_W-1:0]     route_out_i,
  // control unit: active phase, whether it is at the head of its VC, and the head-of-line flits of
  // other phases
  input  logic                             active_i,
  input  logic [VC_W-1:0]                  vc_i,
  input  logic [PHASE_W-1:0]               phase_i,
  output logic                             match_o,
  output logic                             match_tail_o,
  output logic [VCS-1:0]                   other_o,
  output logic [VCS*PHASE_W-1:0]           hol_phase_o,
  // matcher: head-of-line flits that are online unicasts with a route; without one; outputs of the
  // former; which head-of-line flits are tails
  output logic [VCS-1:0]                   request_o,
  output logic [VCS-1:0]                   no_route_o,
  output logic [VCS*phased_pkg::OUT_W-1:0] hol_out_o,
  output logic [VCS-1:0]                   hol_tail_o,
  // datapath
  input  logic [VCS-1:0]                   pop_i,
  output noc_pkg::header_t                 read_header_o,
  output logic                             flit_valid_o,
  output logic [FLIT_W-1:0]                flit_o,
  // status
  output logic                             empty_o,
  output logic                             overflow_o,
  // memory test: see bist_ram
  input  logic [bist_pkg::BUS_W-1:0]       bist_i,
  output logic                             bist_fail_o
);
  localparam int unsigned OUT_W = phased_pkg::OUT_W;

  // Sideband of a flit in the buffer: fields shown for a head-of-line flit.
  typedef struct packed {
    logic               online;  // the flit is an online unicast
    logic               known;   // it has a route
    logic [OUT_W-1:0]   out;     // output of the route
    logic               tail;
    logic [PHASE_W-1:0] phase;
  } side_t;
  localparam int unsigned SIDE_W = 3 + OUT_W + PHASE_W;

  logic                  valid_q, read_valid_q;
  logic [FLIT_W-1:0]     flit_q, read;
  noc_pkg::header_t      pin_header, header;  // headers of in_flit_i and of flit_q
  side_t                 in_side, side;       // fields of flit_q and of a head-of-line flit
  logic [VCS*SIDE_W-1:0] sides;
  logic [VCS-1:0]        valid;
  logic                  buffer_empty;
  logic [VCS-1:0]        online;
  logic                  pin_online, online_q;

  assign pin_header = in_flit_i[noc_pkg::HEADER_W-1:0];
  assign pin_online = pin_header.phase == noc_pkg::PHASE_ONLINE;
  assign lookup_o = in_valid_i && pin_online;
  assign lookup_dst_o = pin_header.dst;

  assign header = flit_q[noc_pkg::HEADER_W-1:0];
  assign in_side = {online_q, route_known_i, route_out_i, header.tail, header.phase};

  vc_buffer #(.FLIT_W(FLIT_W), .SIDE_W(SIDE_W), .VC_DEPTH(VC_DEPTH), .CTRL_DEPTH(CTRL_DEPTH), .BIST(BIST)) i_buffer (
    .clk_i,
    .rst_ni,
    .in_valid_i(valid_q),
    .in_vc_i   (header.vc),
    .in_flit_i (flit_q),
    .in_side_i (in_side),
    .valid_o   (valid),
    .side_o    (sides),
    .pop_i,
    .flit_o    (read),
    .credit_o,
    .overflow_o,
    .empty_o   (buffer_empty),
    .bist_i,
    .bist_fail_o
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      read_valid_q <= 1'b0;
      flit_valid_o <= 1'b0;
    end else begin
      valid_q <= in_valid_i;
      read_valid_q <= credit_o != '0;
      flit_valid_o <= read_valid_q;
    end
    if (in_valid_i) online_q <= pin_online;
  end

  gated_registers #(.WIDTH(FLIT_W)) i_pins (
    .clk_i,
    .en_i     (in_valid_i),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (in_flit_i),
    .q_o      (flit_q)
  );
  gated_registers #(.WIDTH(FLIT_W)) i_flit (
    .clk_i,
    .en_i     (read_valid_q),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (read),
    .q_o      (flit_o)
  );

  always_comb begin : hol_flits
    side = '0;
    for (int unsigned v = 0; v < VCS; v++) begin
      side = sides[SIDE_W*v +: SIDE_W];
      hol_phase_o[PHASE_W*v +: PHASE_W] = side.phase;
      hol_tail_o[v] = side.tail;
      hol_out_o[OUT_W*v +: OUT_W] = side.out;
      online[v] = valid[v] && side.online;
      request_o[v] = online[v] && side.known;
      no_route_o[v] = online[v] && !side.known;
    end
  end

  assign read_header_o = read[noc_pkg::HEADER_W-1:0];
  assign match_o = active_i && valid[vc_i] && hol_phase_o[PHASE_W*32'(vc_i) +: PHASE_W] == phase_i;
  assign match_tail_o = hol_tail_o[vc_i];
  assign empty_o = buffer_empty && !valid_q && !read_valid_q && !flit_valid_o;

  always_comb begin
    other_o = valid & ~online;
    if (match_o) other_o[vc_i] = 1'b0;
  end

  logic unused_headers;
  assign unused_headers = &{1'b0, pin_header, header};

  // ------------------------------------------------------------------ assertions
  packet_order i_packet_order (.clk_i, .rst_ni, .valid_i(in_valid_i), .header_i(in_flit_i[noc_pkg::HEADER_W-1:0]));

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && in_valid_i && pin_header.vc == noc_pkg::VC_CONTROL) begin
      control_packet_of_one_flit: assert (pin_header.tail);
    end
  end
endmodule
