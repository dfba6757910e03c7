// Ports of a mesh router and X-Y routing on a mesh or torus, the same as sc_models/routing/mesh_routing.h.
//
// Purpose: the routing decision of mesh_router in one place. Use: always qualified (mesh_pkg::X).
// Shapes: ports in the order north, east, south, west, local ports, I/O ports; at most 32. Addresses are
//   x[5:0], y[11:6], endpoint[15:12]; north is y - 1, east is x + 1. Rows and columns of a torus are rings:
//   their sides (columns of a row, rows of a column) are 3 to 64, 0 where there is no ring.
package mesh_pkg;
  localparam bit [31:0] MESH_ID = 32'h3E54_0001;
  localparam bit [4:0] NORTH = 5'd0;
  localparam bit [4:0] EAST = 5'd1;
  localparam bit [4:0] SOUTH = 5'd2;
  localparam bit [4:0] WEST = 5'd3;
  localparam int unsigned FIRST_LOCAL = 4;
  // Register of mesh_router, beside those of noc_pkg: RW, sides of the rings, columns of a row | rows of a column
  // << 8; 0, the reset value: none.
  localparam bit [15:0] REG_TORUS = 16'h0004;

  // From coordinate `from` to another one, `to`: whether the way is upwards, to the next higher coordinate. On
  // a ring of `side` that is the shorter way round. Two ways of one length are shared out: upwards from even
  // coordinates, downwards from odd ones. They are met only where a packet enters the ring: from the next
  // router on, the way ahead is the shorter one.
  function automatic logic is_upwards(
    input logic [5:0] from, input logic [5:0] to, input logic [6:0] side
  );
    logic [6:0] twice;  // the distance without going round
    twice = {(to > from) ? to - from : from - to, 1'b0};
    if (side != '0 && twice == side) is_upwards = !from[0];
    else is_upwards = (to > from) == (side == '0 || twice < side);
  endfunction

  // Output port of a flit for `dst` at router (x, y): bits [4:0]; bit 5: there is none. First along x, then along y; at
  // its router to the NPU (endpoint 0) by local port npu_port, or to I/O port endpoint - 1. None: an I/O port that is
  // not there, or a way back out of the direction that the flit came from (`from`, a bit per direction).
  function automatic logic [5:0] route_xy(
    input logic [5:0] x, input logic [5:0] y,
    input logic [6:0] columns, input logic [6:0] rows,  // sides of the rings
    input logic [15:0] dst, input logic [4:0] npu_port, input logic [3:0] from,
    input int unsigned num_local, input int unsigned num_io
  );
    logic [4:0] x_port, y_port, end_port;
    x_port = is_upwards(x, dst[5:0], columns) ? EAST : WEST;
    y_port = is_upwards(y, dst[11:6], rows) ? SOUTH : NORTH;
    end_port = (dst[15:12] == 4'd0) ? npu_port : 5'(FIRST_LOCAL + num_local - 1 + 32'(dst[15:12]));
    if (dst[5:0] != x) route_xy = {from[x_port[1:0]], x_port};
    else if (dst[11:6] != y) route_xy = {from[y_port[1:0]], y_port};
    else route_xy = {32'(dst[15:12]) > num_io, end_port};
  endfunction

  // The local port that leads to the NPU for flits that come in by port in_port: the one that mirrors it.
  function automatic logic [4:0] npu_port(input int unsigned in_port, input int unsigned num_local);
    npu_port = 5'(FIRST_LOCAL + ((in_port < FIRST_LOCAL) ? in_port : in_port - FIRST_LOCAL) % num_local);
  endfunction

  // VCs that go before `vc` on a port, a bit each.
  function automatic logic [noc_pkg::NUM_VCS-1:0] higher_vcs(
    input int unsigned order, input logic [noc_pkg::VC_W-1:0] vc
  );
    for (int unsigned v = 0; v < noc_pkg::NUM_VCS; v = v + 1) begin
      higher_vcs[v] = noc_pkg::vc_rank(order, noc_pkg::VC_W'(v)) < noc_pkg::vc_rank(order, vc);
    end
  endfunction
endpackage
