// SPDX-License-Identifier: Apache-2.0
// Definitions shared by all switches and endpoints: flit layout, virtual channels, lane formats,
// register map.
//
// Single source: <rtl/noc_pkg.h>, from which base/flit.h and switch/register_map.h take their
//   constants, is generated from this file (sc_models/base/rtl_packages.cmake).
// Use: always qualified (noc_pkg::X). Functions are loops with fixed bounds, so that Verilator and
//   yosys evaluate them alike.
package noc_pkg;

  // ---- Flit: header words 0..2, then two lanes per 32-bit word ----------------------------------
  // A flit stands for FLIT_BYTES, whatever the number of lanes that are physically carried.
  localparam int unsigned FLIT_BYTES = 512;
  localparam int unsigned FLIT_LANES = 256;
  localparam int unsigned PACKET_FLITS = 8;  // data packet length (§6.2.3); control packet: 1
  localparam int unsigned HEADER_W = 96;
  localparam int unsigned LANE_W = 16;
  localparam int unsigned TAG_LSB = 0;  // trace id of the packet; simulation only
  localparam int unsigned TAG_W = 32;
  localparam int unsigned DST_LSB = 32;
  localparam int unsigned DST_W = 16;
  localparam int unsigned SRC_LSB = 48;
  localparam int unsigned SRC_W = 16;
  localparam int unsigned PHASE_LSB = 64;  // index into the phase store
  localparam int unsigned PHASE_W = 8;
  localparam int unsigned VC_LSB = 72;
  localparam int unsigned VC_W = 2;
  localparam int unsigned SEQ_LSB = 74;  // packet number within its stream, modulo 64
  localparam int unsigned SEQ_W = 6;
  localparam int unsigned HEAD_BIT = 80;  // first flit of its packet
  localparam int unsigned TAIL_BIT = 81;  // last flit of its packet

  // Header type: the fields above, flit[HEADER_W-1:0].
  typedef struct packed {
    logic [HEADER_W-TAIL_BIT-2:0] reserved;
    logic                         tail;
    logic                         head;
    logic [SEQ_W-1:0]             seq;
    logic [VC_W-1:0]              vc;
    logic [PHASE_W-1:0]           phase;
    logic [SRC_W-1:0]             src;
    logic [DST_W-1:0]             dst;
    logic [TAG_W-1:0]             tag;
  } header_t;

  // Phase index of unicasts that are routed online by their destination (§5).
  localparam bit [PHASE_W-1:0] PHASE_ONLINE = 8'hFF;

  // Virtual channels (§5.4).
  localparam int unsigned NUM_VCS = 4;
  localparam int unsigned CREDIT_W = 16;  // width of a credit count

  // Index of (port, VC) in vectors over both, on module ports and in the register map: port-major.
  // The VCs of a port are NUM_VCS neighbours from vc_index(port, 0) on. Fields of W bits begin at W
  // * vc_index.
  function automatic int unsigned vc_index(input int unsigned port, input int unsigned vc);
    vc_index = NUM_VCS * port + vc;
  endfunction

  localparam bit [VC_W-1:0] VC_MP = 0;
  localparam bit [VC_W-1:0] VC_PP = 1;
  localparam bit [VC_W-1:0] VC_DP = 2;
  localparam bit [VC_W-1:0] VC_CONTROL = 3;
  // Default priority order of the VCs: VC_W bits per VC, the highest priority in the lowest bits.
  // Switches take an order as parameter VC_ORDER. Any order is free of deadlock, even with control
  // last: no VC needs flits of another VC to make progress, so a low VC waits only until the higher
  // ones are idle.
  localparam int unsigned DEFAULT_VC_ORDER = 32'({VC_DP, VC_PP, VC_MP, VC_CONTROL});

  // True if an order contains every VC, and thus each one once.
  function automatic logic is_vc_order(input int unsigned order);
    logic [NUM_VCS-1:0] found;
    found = '0;
    for (int unsigned rank = 0; rank < NUM_VCS; rank = rank + 1) begin
      found = found | (NUM_VCS'(1) << order[VC_W*rank +: VC_W]);
    end
    is_vc_order = &found && order >> (VC_W * NUM_VCS) == 0;
  endfunction

  // VC of highest priority in a mask of VCs; 0 for an empty mask.
  function automatic logic [VC_W-1:0] first_vc(
    input int unsigned order, input logic [NUM_VCS-1:0] mask
  );
    first_vc = '0;
    for (int rank = NUM_VCS - 1; rank >= 0; rank = rank - 1) begin
      if (mask[order[VC_W*rank +: VC_W]]) first_vc = order[VC_W*rank +: VC_W];
    end
  endfunction

  // VC of highest priority as a one-hot mask; zero for an empty mask.
  function automatic logic [NUM_VCS-1:0] first_of(
    input int unsigned order, input logic [NUM_VCS-1:0] mask
  );
    logic [NUM_VCS-1:0] higher;  // VCs with a VC of higher priority in the mask
    higher = '0;
    for (int unsigned rank = 0; rank < NUM_VCS; rank = rank + 1) begin
      for (int unsigned above = 0; above < rank; above = above + 1) begin
        if (mask[order[VC_W*above +: VC_W]]) higher[order[VC_W*rank +: VC_W]] = 1'b1;
      end
    end
    first_of = mask & ~higher;
  endfunction

  // Position of a VC in the order; 0 is the highest priority.
  function automatic logic [VC_W-1:0] vc_rank(input int unsigned order, input logic [VC_W-1:0] vc);
    vc_rank = '0;
    for (int unsigned rank = 0; rank < NUM_VCS; rank = rank + 1) begin
      if (order[VC_W*rank +: VC_W] == vc) vc_rank = VC_W'(rank);
    end
  endfunction

  // VC of a one-hot mask; 0 for an empty mask.
  function automatic logic [VC_W-1:0] onehot_vc(input logic [NUM_VCS-1:0] mask);
    onehot_vc = '0;
    for (int unsigned vc = 0; vc < NUM_VCS; vc = vc + 1) begin
      if (mask[vc]) onehot_vc = onehot_vc | VC_W'(vc);
    end
  endfunction

  // Lane formats.
  localparam int unsigned FORMAT_FP16 = 0;
  localparam int unsigned FORMAT_BF16 = 1;

  // Width of a flit with `lanes` lanes: whole 32-bit words.
  function automatic int unsigned flit_w(input int unsigned lanes);
    flit_w = HEADER_W + 32 * ((lanes + 1) / 2);
  endfunction

  // ---- Register map: word addresses, 32-bit data ------------------------------------------------
  localparam int unsigned REG_ADDR_W = 16;
  localparam bit [REG_ADDR_W-1:0] REG_ID = 16'h0000;  // RO: kind of the switch
  // RO; fred: P | M << 8; mesh and mesh_reducing: locals | I/Os << 8; aggregator: P | adders << 8;
  // others: P
  localparam bit [REG_ADDR_W-1:0] REG_SHAPE = 16'h0001;
  localparam bit [REG_ADDR_W-1:0] REG_POSITION = 16'h0002;  // RW, mesh routers: x | y << 8
  localparam bit [REG_ADDR_W-1:0] REG_ERROR = 16'h0003;     // RO: sticky error code
  // RW, mesh_router: sides of the rings of a torus, columns of a row | rows of a column << 8. Reset
  // value: 0, none.
  localparam bit [REG_ADDR_W-1:0] REG_TORUS = 16'h0004;
  // RW, mesh_router, mesh_reducing: local ports without a link, a bit each (mesh_pkg). Reset value:
  // 0, all have one.
  localparam bit [REG_ADDR_W-1:0] REG_NO_LINK = 16'h0005;
  // RW: credits of output port p, VC v (+ vc_index), i.e. the depth of the buffer at the other end.
  // Reset value: depth of the switch's own input buffer. Write only while no traffic flows.
  localparam bit [REG_ADDR_W-1:0] REG_CREDIT = 16'h0100;
  // RO counters, 64 bits as two words, low word first.
  localparam bit [REG_ADDR_W-1:0] REG_FLITS_IN = 16'h0200;       // + 2p
  localparam bit [REG_ADDR_W-1:0] REG_FLITS_OUT = 16'h0280;      // + 2p
  localparam bit [REG_ADDR_W-1:0] REG_REDUCTIONS = 16'h0300;     // fred: element-wise flit
                                                                 // additions
  localparam bit [REG_ADDR_W-1:0] REG_PHASE_CHANGES = 16'h0302;  // fred: configurations loaded
  // Cycles x (flow or port) in which the head-of-line flit of an input buffer could not leave, by
  // reason:
  //   join     fred: another input of the flow has no flit
  //   credit   no room at an output for a packet (mesh: credit; others: staging)
  //   phase    fred: the phase of the flit is not active
  //   arbiter  mesh, and online unicasts in a fred: another flit or packet has the output or the
  //            input; fred with two middle sub-networks also: no free path through the
  //            interconnect; aggregator also: flits of a phase that wait for adders; voq_crossbar:
  //            an input that has flits, and room for one of them, moves none
  //   link     only the pacing of the link holds an output flit back
  localparam bit [REG_ADDR_W-1:0] REG_STALL_JOIN = 16'h0310;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_CREDIT = 16'h0312;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_PHASE = 16'h0314;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_ARBITER = 16'h0316;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_LINK = 16'h0318;
  // RW: routing table of a fred_switch for online unicasts, + destination: 1 + output port, or 0:
  // no route. Kept over a reset (phased_route_ram). Written before such packets arrive. A table of
  // more than MAX_ROUTES destinations is at REG_LARGE_ROUTE instead, all of it (route_base).
  localparam bit [REG_ADDR_W-1:0] REG_ROUTE = 16'h0400;
  // RW: phase store of a switch with phases, + phase * row_words + word (phased_pkg). Reset value:
  // zero, no valid phase.
  localparam bit [REG_ADDR_W-1:0] REG_PHASE_STORE = 16'h1000;

  localparam bit [REG_ADDR_W-1:0] REG_LARGE_ROUTE = 16'h8000;

  // Size of a routing table: 2^ROUTE_ADDR_W destinations, a parameter of switches with a table.
  localparam int unsigned DEFAULT_ROUTE_ADDR_W = 10;
  localparam int unsigned MAX_ROUTE_ADDR_W = 15;
  localparam int unsigned MAX_ROUTES = 1 << DEFAULT_ROUTE_ADDR_W;  // max destinations of a table at
                                                                   // REG_ROUTE

  // First register of a routing table: a multiple of its size.
  function automatic bit [REG_ADDR_W-1:0] route_base(input int unsigned route_addr_w);
    route_base = (route_addr_w > DEFAULT_ROUTE_ADDR_W) ? REG_LARGE_ROUTE : REG_ROUTE;
  endfunction

  // Error codes, sticky: the first one is kept.
  localparam bit [31:0] ERROR_NONE = 32'd0;
  localparam bit [31:0] ERROR_OVERFLOW = 32'd1;  // a flit arrived at a full input buffer
  localparam bit [31:0] ERROR_JOIN = 32'd2;      // joined flits disagree in tag or tail
  // A head flit names a phase that is not programmed, or whose VC or input ports do not match.
  localparam bit [31:0] ERROR_PHASE = 32'd3;
  localparam bit [31:0] ERROR_ROUTE = 32'd4;  // no port leads to the destination of a packet's head
  // fred: the interconnect delivered flits to an output that the flows of their phase exclude, not
  // at all, or inside packets of other flows: the configuration in the row does not match its
  // flows.
  localparam bit [31:0] ERROR_CONFIG = 32'd5;

endpackage
