// SPDX-License-Identifier: Apache-2.0
// Ports of a mesh router and X-Y routing on a mesh or torus, the same as sc_models/routing/mesh_routing.h.
//
// Purpose: the routing decision of mesh_router and mesh_reducing in one place. Use: always qualified (mesh_pkg::X).
// Shapes: ports in the order north, east, south, west, local ports, I/O ports; at most 32. Addresses are
//   column x, row y and endpoint (0 is the NPU, 1 and up the I/O ports) from X_LSB, Y_LSB and ENDPOINT_LSB on; north is
//   y - 1, east is x + 1. Rows and columns of a torus are rings: their sides (columns of a row, rows of a column) are
//   3 to 64, 0 where there is no ring.
package mesh_pkg;
  localparam bit [31:0] MESH_ID = 32'h3E54_0001;           // mesh_router
  localparam bit [31:0] MESH_REDUCING_ID = 32'h3E54_0002;  // mesh_reducing
  localparam int unsigned COORDINATE_W = 6;  // bits of x and y
  localparam int unsigned SIDE_W = COORDINATE_W + 1;
  localparam int unsigned ENDPOINT_W = 4;
  localparam int unsigned X_LSB = 0;
  localparam int unsigned Y_LSB = X_LSB + COORDINATE_W;
  localparam int unsigned ENDPOINT_LSB = Y_LSB + COORDINATE_W;
  localparam bit [4:0] NORTH = 5'd0;
  localparam bit [4:0] EAST = 5'd1;
  localparam bit [4:0] SOUTH = 5'd2;
  localparam bit [4:0] WEST = 5'd3;
  localparam int unsigned FIRST_LOCAL = 4;
  localparam int unsigned MASK_W = 16;  // local ports that register REG_NO_LINK has a bit for

  // From coordinate `from` to another one, `to`: whether the path is upwards, to the next higher coordinate.
  // On a ring of `side` that is the shorter direction. Paths of equal length are shared out: upwards from even
  // coordinates, downwards from odd ones. They are met only where a packet enters the ring: from the next
  // router on, the path ahead is the shorter one.
  function automatic logic is_upwards(
    input logic [COORDINATE_W-1:0] from, input logic [COORDINATE_W-1:0] to, input logic [SIDE_W-1:0] side
  );
    logic [SIDE_W-1:0] twice;  // the distance without going round
    twice = {(to > from) ? to - from : from - to, 1'b0};
    if (side != '0 && twice == side) is_upwards = !from[0];
    else is_upwards = (to > from) == (side == '0 || twice < side);
  endfunction

  // Output port of a flit for `dst` at router (x, y): bits [4:0]; bit 5: there is none. First along x, then along y; at
  // its router to the NPU (endpoint 0) by local port npu_port, or to I/O port endpoint - 1. None: an I/O port that is
  // not there, or a U-turn to the direction that the flit came from (`from`, a bit per direction).
  function automatic logic [5:0] route_xy(
    input logic [COORDINATE_W-1:0] x, input logic [COORDINATE_W-1:0] y,
    input logic [SIDE_W-1:0] columns, input logic [SIDE_W-1:0] rows,  // sides of the rings
    input logic [noc_pkg::DST_W-1:0] dst, input logic [4:0] npu_port, input logic [3:0] from,
    input int unsigned num_local, input int unsigned num_io
  );
    logic [COORDINATE_W-1:0] to_x, to_y;
    logic [ENDPOINT_W-1:0]   endpoint;
    logic [4:0]              x_port, y_port, end_port;
    to_x = dst[X_LSB +: COORDINATE_W];
    to_y = dst[Y_LSB +: COORDINATE_W];
    endpoint = dst[ENDPOINT_LSB +: ENDPOINT_W];
    x_port = is_upwards(x, to_x, columns) ? EAST : WEST;
    y_port = is_upwards(y, to_y, rows) ? SOUTH : NORTH;
    end_port = (endpoint == '0) ? npu_port : 5'(FIRST_LOCAL + num_local - 1 + 32'(endpoint));
    if (to_x != x) route_xy = {from[x_port[1:0]], x_port};
    else if (to_y != y) route_xy = {from[y_port[1:0]], y_port};
    else route_xy = {32'(endpoint) > num_io, end_port};
  endfunction

  // The local port that leads to the NPU for flits that come in by port in_port: the one that mirrors it or, where that
  // has no link, the next one that has, counted round; none has: the one that mirrors it.
  function automatic logic [4:0] npu_port(
    input int unsigned in_port, input int unsigned num_local, input logic [MASK_W-1:0] no_link
  );
    int unsigned mirror, at;
    logic        found;
    mirror = ((in_port < FIRST_LOCAL) ? in_port : in_port - FIRST_LOCAL) % num_local;
    npu_port = 5'(FIRST_LOCAL + mirror);
    found = 1'b0;
    for (int unsigned k = 0; k < MASK_W; k = k + 1) begin
      at = (mirror + k) % num_local;
      if (!found && k < num_local && (at >= MASK_W || !no_link[4'(at)])) begin
        npu_port = 5'(FIRST_LOCAL + at);
        found = 1'b1;
      end
    end
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
