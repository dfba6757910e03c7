// What every switch and every endpoint shares: flit layout, virtual channels, lane formats, register map.
//
// Use: always qualified (noc_pkg::X). sc_models/base/flit.h and switch/register_map.h say the same to C++.
package noc_pkg;

  // ---- Flit: header words 0..2, then two lanes per 32-bit word ----------------------------------
  localparam int unsigned HEADER_W = 96;
  localparam int unsigned LANE_W = 16;
  localparam int unsigned TAG_LSB = 0;    // trace id of the packet; simulation only
  localparam int unsigned TAG_W = 32;
  localparam int unsigned DST_LSB = 32;
  localparam int unsigned DST_W = 16;
  localparam int unsigned SRC_LSB = 48;
  localparam int unsigned SRC_W = 16;
  localparam int unsigned PHASE_LSB = 64;  // index into the phase store
  localparam int unsigned PHASE_W = 8;
  localparam int unsigned VC_LSB = 72;
  localparam int unsigned VC_W = 2;
  localparam int unsigned SEQ_LSB = 74;    // packet number within its stream, modulo 64
  localparam int unsigned SEQ_W = 6;
  localparam int unsigned HEAD_BIT = 80;   // first flit of its packet
  localparam int unsigned TAIL_BIT = 81;   // last flit of its packet

  // Phase index that means: unicast, routed online by its destination (§5).
  localparam bit [PHASE_W-1:0] PHASE_ONLINE = 8'hFF;

  // Virtual channels (§5.4). Priority: control, then MP, PP, DP.
  localparam int unsigned NUM_VCS = 4;
  localparam bit [VC_W-1:0] VC_MP = 2'd0;
  localparam bit [VC_W-1:0] VC_PP = 2'd1;
  localparam bit [VC_W-1:0] VC_DP = 2'd2;
  localparam bit [VC_W-1:0] VC_CONTROL = 2'd3;

  // Lane formats.
  localparam int unsigned FORMAT_FP16 = 0;
  localparam int unsigned FORMAT_BF16 = 1;

  // Bits of a flit that carries `lanes` lanes: whole 32-bit words.
  function automatic int unsigned flit_w(input int unsigned lanes);
    flit_w = HEADER_W + 32 * ((lanes + 1) / 2);
  endfunction

  // ---- Register map: word addresses, 32-bit data (switch/register_map.h says what each one is) --------
  localparam bit [15:0] REG_ID = 16'h0000;
  localparam bit [15:0] REG_SHAPE = 16'h0001;
  localparam bit [15:0] REG_POSITION = 16'h0002;
  localparam bit [15:0] REG_ERROR = 16'h0003;
  localparam bit [15:0] REG_CREDIT = 16'h0100;     // + 4 * port + vc
  localparam bit [15:0] REG_FLITS_IN = 16'h0200;   // + 2 * port; 64-bit counters, low word first
  localparam bit [15:0] REG_FLITS_OUT = 16'h0280;  // + 2 * port
  localparam bit [15:0] REG_REDUCTIONS = 16'h0300;
  localparam bit [15:0] REG_PHASE_CHANGES = 16'h0302;
  localparam bit [15:0] REG_STALL_JOIN = 16'h0310;
  localparam bit [15:0] REG_STALL_CREDIT = 16'h0312;
  localparam bit [15:0] REG_STALL_PHASE = 16'h0314;
  localparam bit [15:0] REG_STALL_ARBITER = 16'h0316;
  localparam bit [15:0] REG_STALL_LINK = 16'h0318;
  localparam bit [15:0] REG_ROUTE = 16'h0400;        // + destination
  localparam bit [15:0] REG_PHASE_STORE = 16'h1000;  // + phase * row_words + word

  localparam int unsigned MAX_ROUTES = 1024;  // destinations of online unicasts

  localparam bit [31:0] ERROR_NONE = 32'd0;
  localparam bit [31:0] ERROR_OVERFLOW = 32'd1;
  localparam bit [31:0] ERROR_JOIN = 32'd2;
  localparam bit [31:0] ERROR_PHASE = 32'd3;
  localparam bit [31:0] ERROR_ROUTE = 32'd4;

endpackage
