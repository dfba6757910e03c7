// SPDX-License-Identifier: Apache-2.0
// Input side of one port of a mesh_router: pin register, route computation, buffer, and the state
// of its head-of-line flits for the allocator.
//
// The head-of-line flit is the oldest one in the buffer of a virtual channel; it starts a packet if
//   the flit that left before it was a tail. The flit that starts a packet sets the route of the
//   packet up to its tail (the head bit is ignored).
// Timing: a flit on in_flit_i at edge e is in the pin register after e; its route depends on the
//   position that the registers then hold (route_select). It is in the buffer after e + 1, as
//   head-of-line flit if there is no other before it. A pop at edge e: the next head-of-line flit
//   is there after e, credit_o is high after e for one cycle, flit_o has the flit after e + 1.
// Head-of-line flits: per VC hol_o, to_o (one bit per output port), begun_o (its packet has begun
//   to leave), tail_o. A packet start without a route is hidden from the allocator and stays for
//   ever; error_route_o reports it.
// Errors: error_overflow_o is high for a cycle after a flit found its buffer full (vc_buffer) and
//   was dropped.
// empty_o: no flit here, and no credit on credit_o.
module mesh_input #(
  /// number of local ports
  parameter int unsigned NUM_LOCAL = 4,
  /// number of I/O ports
  parameter int unsigned NUM_IO = 2,
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// buffer depth of each data VC, in flits
  parameter int unsigned VC_DEPTH = 80,
  /// buffer depth of the control VC, in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// number of ports, derived
  localparam int unsigned P = mesh_pkg::FIRST_LOCAL + NUM_LOCAL + NUM_IO,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  // link
  input  logic                              in_valid_i,
  input  logic [FLIT_W-1:0]                 in_flit_i,
  output logic [VCS-1:0]                    credit_o,
  // place of the port: local port towards the NPU from here; direction that flits come from,
  // one-hot, a constant
  input  logic [mesh_pkg::PORT_W-1:0]       npu_port_i,
  input  logic [mesh_pkg::DIRECTIONS-1:0]   from_i,
  // registers: position of the router, sides of the rings
  input  logic [mesh_pkg::COORDINATE_W-1:0] x_i,
  input  logic [mesh_pkg::COORDINATE_W-1:0] y_i,
  input  logic [mesh_pkg::SIDE_W-1:0]       columns_i,
  input  logic [mesh_pkg::SIDE_W-1:0]       rows_i,
  // allocator
  output logic [VCS-1:0]                    hol_o,
  output logic [VCS*P-1:0]                  to_o,
  output logic [VCS-1:0]                    begun_o,
  output logic [VCS-1:0]                    tail_o,
  input  logic                              pop_i,
  input  logic [noc_pkg::VC_W-1:0]          pop_vc_i,
  // crossbar
  output logic [FLIT_W-1:0]                 flit_o,
  // status
  output logic                              error_overflow_o,
  output logic                              error_route_o,
  output logic                              empty_o
);
  localparam int unsigned PORT_W = $clog2(P);
  localparam int unsigned SIDE_W = PORT_W + 2;  // sideband: {output port, no route, tail}

  // ------------------------------------------------------------------ pin register, route
  logic                        in_valid_q;
  logic [FLIT_W-1:0]           in_flit_q;
  noc_pkg::header_t            header;
  logic                        known;
  logic [mesh_pkg::PORT_W-1:0] route;
  logic [SIDE_W-1:0]           side;

  always_ff @(posedge clk_i) begin : pins
    if (!rst_ni) in_valid_q <= 1'b0;
    else in_valid_q <= in_valid_i;
  end

  gated_registers #(.WIDTH(FLIT_W)) i_pins (
    .clk_i,
    .en_i     (in_valid_i),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (in_flit_i),
    .q_o      (in_flit_q)
  );

  assign header = in_flit_q[noc_pkg::HEADER_W-1:0];

  route_select #(.NUM_LOCAL(NUM_LOCAL), .NUM_IO(NUM_IO)) i_route (
    .valid_i(in_valid_q),
    .dst_i  (header.dst),
    .from_i,
    .x_i,
    .y_i,
    .columns_i,
    .rows_i,
    .npu_port_i,
    .known_o(known),
    .port_o (route)
  );
  assign side = {PORT_W'(route), !known, header.tail};

  logic unused;  // header fields, and route bits above this router's ports
  assign unused = &{1'b0, header.reserved, header.head, header.seq, header.phase, header.src, header.tag, route};

  // ------------------------------------------------------------------ buffer
  logic [VCS-1:0]        valid;
  logic [SIDE_W*VCS-1:0] hol_side;
  logic                  buffer_empty;
  logic [VCS-1:0]        pop;
  assign pop = pop_i ? VCS'(1) << pop_vc_i : '0;

  // No memory test in this module.
  logic                       unused_bist_fail;
  logic [bist_pkg::BUS_W-1:0] no_bist;
  assign no_bist = '0;

  vc_buffer #(.FLIT_W(FLIT_W), .SIDE_W(SIDE_W), .VC_DEPTH(VC_DEPTH), .CTRL_DEPTH(CTRL_DEPTH)) i_buffer (
    .clk_i,
    .rst_ni,
    .in_valid_i (in_valid_q),
    .in_vc_i    (header.vc),
    .in_flit_i  (in_flit_q),
    .in_side_i  (side),
    .valid_o    (valid),
    .side_o     (hol_side),
    .pop_i      (pop),
    .flit_o,
    .credit_o,
    .overflow_o (error_overflow_o),
    .empty_o    (buffer_empty),
    .bist_i     (no_bist),
    .bist_fail_o(unused_bist_fail)
  );
  assign empty_o = buffer_empty && !in_valid_q;

  // ------------------------------------------------------------------ head-of-line flits
  logic [VCS-1:0]    begun_q;         // the packet at the head of the buffer has begun to leave
  logic [PORT_W-1:0] route_q [VCS];   // output of that packet
  logic [PORT_W-1:0] hol_port [VCS];  // output of the head-of-line flit
  logic [VCS-1:0]    none;

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    logic [PORT_W-1:0] stored_port, port;
    logic              no_route;
    assign {stored_port, no_route, tail_o[v]} = hol_side[SIDE_W*v +: SIDE_W];
    assign port = begun_q[v] ? route_q[v] : stored_port;
    assign hol_port[v] = port;
    assign none[v] = valid[v] && !begun_q[v] && no_route;
    assign to_o[P*v +: P] = P'(1) << port;
  end

  always_ff @(posedge clk_i) begin : packets
    if (!rst_ni) begin
      begun_q <= '0;
    end else if (pop_i) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        if (pop_vc_i == noc_pkg::VC_W'(v)) begin
          begun_q[v] <= !tail_o[v];
          route_q[v] <= hol_port[v];
        end
      end
    end
  end
  assign hol_o = valid & ~none;
  assign begun_o = begun_q;

  always_ff @(posedge clk_i) begin : errors
    if (!rst_ni) error_route_o <= 1'b0;
    else error_route_o <= none != '0;
  end

  // ------------------------------------------------------------------ assertions
  packet_order i_packet_order (.clk_i, .rst_ni, .valid_i(in_valid_i), .header_i(in_flit_i[noc_pkg::HEADER_W-1:0]));

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && pop_i) pop_takes_a_hol_with_a_route: assert (hol_o[pop_vc_i]);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      packet_without_a_route: cover (none != '0);
      hol_flits_of_two_vcs: cover ((hol_o & (hol_o - VCS'(1))) != '0);
      flits_back_to_back: cover (in_valid_q && in_valid_i);
    end
  end
endmodule
