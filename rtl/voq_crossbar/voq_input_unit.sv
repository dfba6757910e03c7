// SPDX-License-Identifier: Apache-2.0
// Input side of one port of a VOQ crossbar: pin register, buffer of virtual output queues, flit
// register.
//
// Function: a flit on in_flit_i goes to a register, then into the queue of its virtual channel and
//   output (voq_buffer). The output is looked up (lookup_o, lookup_dst_o) at the edge that samples
//   in_flit_i, so that the result arrives with the register. A flit that names a phase, or that has
//   no route, is dropped: error_phase_o or error_route_o is high for a cycle, and its credit does
//   not come back.
// Handshake: in_valid_i has no ready: the sender holds credits. A flit that finds no slot is
//   dropped, and overflow_o is high for a cycle. pop_i: at most one queue, with a head-of-line
//   flit. credit_o: one credit per pop, one cycle, registered.
// Timing: a flit sampled at edge e is in its queue after e + 1. A head-of-line flit popped at edge
//   e is on flit_o after e + 2. Errors of a flit sampled at e are shown after e + 1.
// Decisions are made elsewhere: voq_scheduler.
module voq_input_unit #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// slots of each data VC
  parameter int unsigned VC_DEPTH = 48,
  /// slots of the control VC
  parameter int unsigned CTRL_DEPTH = 4,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // link side
  input  logic                         in_valid_i,
  input  logic [FLIT_W-1:0]            in_flit_i,
  output logic [VCS-1:0]               credit_o,
  // routing table: lookup at an edge, result after it
  output logic                         lookup_o,
  output logic [noc_pkg::DST_W-1:0]    lookup_dst_o,
  input  logic                         route_known_i,
  input  logic [phased_pkg::OUT_W-1:0] route_out_i,
  // queues, bit P*v + o: see voq_buffer
  output logic [VCS*P-1:0]             valid_o,
  output logic [VCS*P-1:0]             tail_o,
  output logic [VCS*P-1:0]             several_o,
  input  logic [VCS*P-1:0]             pop_i,
  // datapath
  output logic                         flit_valid_o,
  output logic [FLIT_W-1:0]            flit_o,
  // status
  output logic                         empty_o,
  output logic                         overflow_o,
  output logic                         error_phase_o,
  output logic                         error_route_o,
  // memory test: see bist_ram
  input  logic [bist_pkg::BUS_W-1:0]   bist_i,
  output logic                         bist_fail_o
);
  logic              valid_q, online_q, read_q, pin_online, push, buffer_empty;
  logic [FLIT_W-1:0] flit_q, read;
  noc_pkg::header_t  header;  // the flit on the pins

  assign header = in_flit_i[noc_pkg::HEADER_W-1:0];
  assign pin_online = header.phase == noc_pkg::PHASE_ONLINE;
  assign lookup_o = in_valid_i && pin_online;
  assign lookup_dst_o = header.dst;
  assign push = valid_q && online_q && route_known_i;

  voq_buffer #(.P(P), .FLIT_W(FLIT_W), .VC_DEPTH(VC_DEPTH), .CTRL_DEPTH(CTRL_DEPTH), .BIST(BIST)) i_buffer (
    .clk_i,
    .rst_ni,
    .in_valid_i(push),
    .in_out_i  (route_out_i),
    .in_flit_i (flit_q),
    .valid_o,
    .tail_o,
    .several_o,
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
      read_q <= 1'b0;
      flit_valid_o <= 1'b0;
      error_phase_o <= 1'b0;
      error_route_o <= 1'b0;
    end else begin
      valid_q <= in_valid_i;
      read_q <= credit_o != '0;
      flit_valid_o <= read_q;
      error_phase_o <= valid_q && !online_q;
      error_route_o <= valid_q && online_q && !route_known_i;
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
    .en_i     (read_q),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (read),
    .q_o      (flit_o)
  );

  assign empty_o = buffer_empty && !valid_q && !read_q && !flit_valid_o && !overflow_o && !error_phase_o &&
                   !error_route_o;

  // ------------------------------------------------------------------ assertions
  packet_order i_packet_order (.clk_i, .rst_ni, .valid_i(in_valid_i), .header_i(header));

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && in_valid_i && header.vc == noc_pkg::VC_CONTROL) begin
      control_packet_of_one_flit: assert (header.tail);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      names_a_phase: cover (error_phase_o);
      has_no_route: cover (error_route_o);
    end
  end
endmodule
