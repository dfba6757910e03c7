// SPDX-License-Identifier: Apache-2.0
// Input side of one port of a bus_switch: pin register, output by the routing table, buffer of four
// virtual channels.
//
// Timing: a flit on in_flit_i at edge e is looked up in the table at e (lookup_o, dst_o), is in the
//   pin register after e, together with the result, and at the head of its VC after e + 1 if there
//   is no flit before it. A pop at edge f: flit_o has the flit after f + 1, and credit_o is high
//   after f for a cycle.
// Head-of-line flits, by VC: hol_o marks flits that have an output, to_o is its index, tail_o
//   marks tails; lost_o marks flits without an output, which stay for ever.
module bus_input #(
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// buffer depth of each data VC, in flits
  parameter int unsigned VC_DEPTH = 48,
  /// buffer depth of the control VC, in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of an output index, derived
  localparam int unsigned OUT_W = phased_pkg::OUT_W
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // link
  input  logic                      in_valid_i,
  input  logic [FLIT_W-1:0]         in_flit_i,
  output logic [VCS-1:0]            credit_o,
  // routing table: asked at an edge, answered after it
  output logic                      lookup_o,
  output logic [noc_pkg::DST_W-1:0] dst_o,
  input  logic                      known_i,
  input  logic [OUT_W-1:0]          out_i,
  // bus
  output logic [VCS-1:0]            hol_o,
  output logic [VCS-1:0]            lost_o,
  output logic [VCS*OUT_W-1:0]      to_o,
  output logic [VCS-1:0]            tail_o,
  input  logic                      pop_i,
  input  logic [noc_pkg::VC_W-1:0]  pop_vc_i,
  output logic [FLIT_W-1:0]         flit_o,
  // status
  output logic                      overflow_o,
  output logic                      empty_o
);
  // Sideband stored with a flit: its output, whether it has one, whether it is a tail.
  localparam int unsigned KNOWN = OUT_W;
  localparam int unsigned TAIL = OUT_W + 1;
  localparam int unsigned SIDE_W = OUT_W + 2;

  logic                       valid_q, buffer_empty, unused_bist_fail;
  logic [FLIT_W-1:0]          flit_q;
  logic [VCS-1:0]             valid;
  logic [VCS*SIDE_W-1:0]      side;
  logic [bist_pkg::BUS_W-1:0] no_bist;             // no memory test
  noc_pkg::header_t           pin_header, header;  // headers on the pins, in the register
  logic                       unused;              // fields that do not matter here

  assign pin_header = in_flit_i[noc_pkg::HEADER_W-1:0];
  assign header = flit_q[noc_pkg::HEADER_W-1:0];
  assign unused = &{1'b0, header};
  assign no_bist = '0;
  assign lookup_o = in_valid_i;
  assign dst_o = pin_header.dst;

  always_ff @(posedge clk_i) begin : pins
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= in_valid_i;
    if (in_valid_i) flit_q <= in_flit_i;
  end

  logic [noc_pkg::NUM_VCS-1:0] pop;
  assign pop = pop_i ? noc_pkg::NUM_VCS'(1) << pop_vc_i : '0;

  vc_buffer #(.FLIT_W(FLIT_W), .SIDE_W(SIDE_W), .VC_DEPTH(VC_DEPTH), .CTRL_DEPTH(CTRL_DEPTH)) i_buffer (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid_q),
    .in_vc_i    (header.vc),
    .in_flit_i  (flit_q),
    .in_side_i  ({header.tail, known_i, out_i}),
    .valid_o    (valid),
    .side_o     (side),
    .pop_i      (pop),
    .flit_o,
    .credit_o,
    .overflow_o,
    .empty_o    (buffer_empty),
    .bist_i     (no_bist),
    .bist_fail_o(unused_bist_fail)
  );

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    assign hol_o[v] = valid[v] && side[SIDE_W*v + KNOWN];
    assign lost_o[v] = valid[v] && !side[SIDE_W*v + KNOWN];
    assign to_o[OUT_W*v +: OUT_W] = side[SIDE_W*v +: OUT_W];
    assign tail_o[v] = side[SIDE_W*v + TAIL];
  end
  assign empty_o = buffer_empty && !valid_q;

  packet_order i_packet_order (.clk_i, .rst_ni, .valid_i(in_valid_i), .header_i(pin_header));
endmodule
