// SPDX-License-Identifier: Apache-2.0
// Shared definitions of all switches and endpoints: flit layout, virtual channels, lane formats, register
// map.
//
// The only place where these are written: <rtl/noc_pkg.h>, from which base/flit.h and switch/register_map.h take them,
// is made from this file (sc_models/base/rtl_packages.cmake).
// Use: always qualified (noc_pkg::X). Functions are loops with fixed bounds, so that Verilator and yosys evaluate them
// alike.
package noc_pkg;

  // ---- Flit: header words 0..2, then two lanes per 32-bit word ----------------------------------
  // A flit stands for FLIT_BYTES, whatever the number of lanes that are physically carried.
  localparam int unsigned FLIT_BYTES = 512;
  localparam int unsigned FLIT_LANES = 256;
  localparam int unsigned PACKET_FLITS = 8;  // length of a data packet (§6.2.3); a control packet is
                                             // one flit
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

  // The header, flit[HEADER_W-1:0], as a type: the fields above.
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

  // Phase index that means: unicast, routed online by its destination (§5).
  localparam bit [PHASE_W-1:0] PHASE_ONLINE = 8'hFF;

  // Virtual channels (§5.4).
  localparam int unsigned NUM_VCS = 4;
  localparam int unsigned CREDIT_W = 16;  // bits of a number of credits

  // Position of (port, VC) in vectors over both, on ports of modules and in the register map: port-major. A port's VCs
  // are NUM_VCS neighbours, from vc_index(port, 0) on. Fields of W bits begin at W * vc_index.
  function automatic int unsigned vc_index(input int unsigned port, input int unsigned vc);
    vc_index = NUM_VCS * port + vc;
  endfunction

  localparam bit [VC_W-1:0] VC_MP = 0;
  localparam bit [VC_W-1:0] VC_PP = 1;
  localparam bit [VC_W-1:0] VC_DP = 2;
  localparam bit [VC_W-1:0] VC_CONTROL = 3;
  // An order of them, by priority: VC_W bits each, that of highest priority in the lowest bits. Switches take one as
  // parameter VC_ORDER. Any will do, control at its end too: no VC needs another one's flits to get on, so a low one
  // waits until the higher ones are idle, and nothing waits for it. This is the default.
  localparam int unsigned DEFAULT_VC_ORDER = 32'({VC_DP, VC_PP, VC_MP, VC_CONTROL});

  // True if every VC is in an order, and so each once.
  function automatic logic is_vc_order(input int unsigned order);
    logic [NUM_VCS-1:0] found;
    found = '0;
    for (int unsigned rank = 0; rank < NUM_VCS; rank = rank + 1) begin
      found = found | (NUM_VCS'(1) << order[VC_W*rank +: VC_W]);
    end
    is_vc_order = &found && order >> (VC_W * NUM_VCS) == 0;
  endfunction

  // The VC of highest priority in a mask of VCs; 0 for an empty one.
  function automatic logic [VC_W-1:0] first_vc(
    input int unsigned order, input logic [NUM_VCS-1:0] mask
  );
    first_vc = '0;
    for (int rank = NUM_VCS - 1; rank >= 0; rank = rank - 1) begin
      if (mask[order[VC_W*rank +: VC_W]]) first_vc = order[VC_W*rank +: VC_W];
    end
  endfunction

  // The same as a mask; none for an empty one.
  function automatic logic [NUM_VCS-1:0] first_of(
    input int unsigned order, input logic [NUM_VCS-1:0] mask
  );
    logic [NUM_VCS-1:0] higher;  // has a VC of higher priority in the mask
    higher = '0;
    for (int unsigned rank = 0; rank < NUM_VCS; rank = rank + 1) begin
      for (int unsigned above = 0; above < rank; above = above + 1) begin
        if (mask[order[VC_W*above +: VC_W]]) higher[order[VC_W*rank +: VC_W]] = 1'b1;
      end
    end
    first_of = mask & ~higher;
  endfunction

  // 0 is the highest priority.
  function automatic logic [VC_W-1:0] vc_rank(input int unsigned order, input logic [VC_W-1:0] vc);
    vc_rank = '0;
    for (int unsigned rank = 0; rank < NUM_VCS; rank = rank + 1) begin
      if (order[VC_W*rank +: VC_W] == vc) vc_rank = VC_W'(rank);
    end
  endfunction

  // The VC of a mask of one; 0 for an empty one.
  function automatic logic [VC_W-1:0] onehot_vc(input logic [NUM_VCS-1:0] mask);
    onehot_vc = '0;
    for (int unsigned vc = 0; vc < NUM_VCS; vc = vc + 1) begin
      if (mask[vc]) onehot_vc = onehot_vc | VC_W'(vc);
    end
  endfunction

  // Lane formats.
  localparam int unsigned FORMAT_FP16 = 0;
  localparam int unsigned FORMAT_BF16 = 1;

  // Bits of a flit that carries `lanes` lanes: whole 32-bit words.
  function automatic int unsigned flit_w(input int unsigned lanes);
    flit_w = HEADER_W + 32 * ((lanes + 1) / 2);
  endfunction

  // ---- Register map: word addresses, 32-bit data -------------------------------------------------
  localparam int unsigned REG_ADDR_W = 16;
  localparam bit [REG_ADDR_W-1:0] REG_ID = 16'h0000;  // RO: which kind of switch this is
  // RO; fred: P | M << 8; mesh and mesh_reducing: locals | I/Os << 8; aggregator: P | adders << 8; others: P
  localparam bit [REG_ADDR_W-1:0] REG_SHAPE = 16'h0001;
  localparam bit [REG_ADDR_W-1:0] REG_POSITION = 16'h0002;  // RW, mesh_router, mesh_reducing: x | y << 8
  localparam bit [REG_ADDR_W-1:0] REG_ERROR = 16'h0003;     // RO: sticky error code
  // RW, mesh_router: sides of the rings of a torus, columns of a row | rows of a column << 8. Reset value: 0, none.
  localparam bit [REG_ADDR_W-1:0] REG_TORUS = 16'h0004;
  // RW, mesh_router, mesh_reducing: local ports without a link, a bit each (mesh_pkg). Reset value: 0, all have one.
  localparam bit [REG_ADDR_W-1:0] REG_NO_LINK = 16'h0005;
  // RW: credits of output port p, VC v (+ vc_index), i.e. the depth of the buffer at the other end. Reset value: the
  // switch's own input buffer depth. Write only while no traffic flows.
  localparam bit [REG_ADDR_W-1:0] REG_CREDIT = 16'h0100;
  // RO counters, 64 bits as two words, low word first.
  localparam bit [REG_ADDR_W-1:0] REG_FLITS_IN = 16'h0200;       // + 2p
  localparam bit [REG_ADDR_W-1:0] REG_FLITS_OUT = 16'h0280;      // + 2p
  localparam bit [REG_ADDR_W-1:0] REG_REDUCTIONS = 16'h0300;     // fred: element-wise flit additions fired
  localparam bit [REG_ADDR_W-1:0] REG_PHASE_CHANGES = 16'h0302;  // fred: configurations loaded
  // Cycles x (flow or port) in which the first flit of an input buffer could not leave, by reason:
  //   join     fred: another input of the flow has no flit
  //   credit   no room at an output for a packet (mesh: credit; others: staging)
  //   phase    fred: the flit's phase is not the active one
  //   arbiter  mesh, and online unicasts in a fred: another flit or packet has the output or the input;
  //            fred with two middle sub-networks also: no path through the interconnect is free; aggregator also: flits
  //            of a phase that wait for adders; voq_crossbar: an input that has flits, and room for one of them, moves
  //            none
  //   link     output flit waits for the link's pacing only
  localparam bit [REG_ADDR_W-1:0] REG_STALL_JOIN = 16'h0310;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_CREDIT = 16'h0312;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_PHASE = 16'h0314;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_ARBITER = 16'h0316;
  localparam bit [REG_ADDR_W-1:0] REG_STALL_LINK = 16'h0318;
  // RW: the routing table of a fred_switch for online unicasts, + destination: 1 + output port, or 0: no route. A reset
  // leaves it as it is (phased_route_ram). Written before such packets arrive. A table of more than MAX_ROUTES
  // destinations is at REG_LARGE_ROUTE instead, all of it (route_base).
  localparam bit [REG_ADDR_W-1:0] REG_ROUTE = 16'h0400;
  // RW: the phase store of a switch that has one, + phase * row_words + word (phased_pkg). Reset value: zero, no phase
  // is valid.
  localparam bit [REG_ADDR_W-1:0] REG_PHASE_STORE = 16'h1000;

  localparam bit [REG_ADDR_W-1:0] REG_LARGE_ROUTE = 16'h8000;

  // A routing table has 2^ROUTE_ADDR_W destinations, a parameter of the switches that have one.
  localparam int unsigned DEFAULT_ROUTE_ADDR_W = 10;
  localparam int unsigned MAX_ROUTE_ADDR_W = 15;
  localparam int unsigned MAX_ROUTES = 1 << DEFAULT_ROUTE_ADDR_W;  // destinations of a table at REG_ROUTE

  // First register of a routing table: a multiple of its size.
  function automatic bit [REG_ADDR_W-1:0] route_base(input int unsigned route_addr_w);
    route_base = (route_addr_w > DEFAULT_ROUTE_ADDR_W) ? REG_LARGE_ROUTE : REG_ROUTE;
  endfunction

  // Error codes; the first one sticks.
  localparam bit [31:0] ERROR_NONE = 32'd0;
  localparam bit [31:0] ERROR_OVERFLOW = 32'd1;  // a flit arrived at a full input buffer
  localparam bit [31:0] ERROR_JOIN = 32'd2;      // joined flits disagree in tag or tail
  // A head flit names a phase that is not programmed, or one whose VC or input ports do not match.
  localparam bit [31:0] ERROR_PHASE = 32'd3;
  localparam bit [31:0] ERROR_ROUTE = 32'd4;  // no port leads to the destination of a packet's head
  // fred: flits came out of the interconnect elsewhere than the flows of their phase say, not at all, or inside packets
  // of other flows: the configuration in its row is not that of its flows.
  localparam bit [31:0] ERROR_CONFIG = 32'd5;

endpackage
