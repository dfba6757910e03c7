// SPDX-License-Identifier: Apache-2.0
// Ports and addresses of the routers of a mesh or torus, equal to sc_models/routing/mesh_routing.h.
//
// Users: mesh_router, mesh_reducing and their route_select. Use: always qualified (mesh_pkg::X).
// Shapes: ports in the order north, east, south, west, local, I/O; at most 32. An address holds
//   column x, row y and endpoint (0: the NPU, 1 and up: I/O ports) from X_LSB, Y_LSB and
//   ENDPOINT_LSB on; north is y - 1, east is x + 1. Rows and columns of a torus are rings: their
//   sides (columns of a row, rows of a column) are 3 to 64, or 0 without a ring.
package mesh_pkg;
  localparam bit [31:0] MESH_ID = 32'h3E54_0001;           // mesh_router
  localparam bit [31:0] MESH_REDUCING_ID = 32'h3E54_0002;  // mesh_reducing
  localparam int unsigned COORDINATE_W = 6;                // bits of x and y
  localparam int unsigned SIDE_W = COORDINATE_W + 1;
  localparam int unsigned ENDPOINT_W = 4;
  localparam int unsigned X_LSB = 0;
  localparam int unsigned Y_LSB = X_LSB + COORDINATE_W;
  localparam int unsigned ENDPOINT_LSB = Y_LSB + COORDINATE_W;
  localparam int unsigned PORT_W = 5;  // width of a port index
  localparam bit [PORT_W-1:0] NORTH = 0;
  localparam bit [PORT_W-1:0] EAST = 1;
  localparam bit [PORT_W-1:0] SOUTH = 2;
  localparam bit [PORT_W-1:0] WEST = 3;
  localparam int unsigned DIRECTIONS = 4;
  localparam int unsigned FIRST_LOCAL = DIRECTIONS;
  localparam int unsigned MASK_W = 16;  // width of register REG_NO_LINK: a bit per local port

  // Direction from coordinate `from` to another coordinate `to`: true for upwards, to the next
  // higher coordinate. On a ring of `side` it is the shorter direction. Paths of equal length
  // alternate: upwards from even coordinates, downwards from odd ones. Such ties occur only where a
  // packet enters the ring: from the next router on, the path ahead is the shorter one.
  function automatic logic is_upwards(
    input logic [COORDINATE_W-1:0] from, input logic [COORDINATE_W-1:0] to, input logic [SIDE_W-1:0] side
  );
    logic [SIDE_W-1:0] twice;  // distance without wrap-around
    twice = {(to > from) ? to - from : from - to, 1'b0};
    if (side != '0 && twice == side) is_upwards = !from[0];
    else is_upwards = (to > from) == (side == '0 || twice < side);
  endfunction

  // Direction from which flits arrive at port in_port, a bit per direction; none for a local or I/O
  // port.
  function automatic logic [DIRECTIONS-1:0] from_direction(input int unsigned in_port);
    from_direction = (in_port < FIRST_LOCAL) ? DIRECTIONS'(1) << in_port : '0;
  endfunction

  // Local port towards the NPU for flits that arrive at port in_port: its mirror port or, if that
  // one has no link, the next local port with a link, cyclically; its mirror port if no local port
  // has a link.
  function automatic logic [PORT_W-1:0] npu_port(
    input int unsigned in_port, input int unsigned num_local, input logic [MASK_W-1:0] no_link
  );
    int unsigned mirror, at;
    logic        found;
    mirror = ((in_port < FIRST_LOCAL) ? in_port : in_port - FIRST_LOCAL) % num_local;
    npu_port = PORT_W'(FIRST_LOCAL + mirror);
    found = 1'b0;
    for (int unsigned k = 0; k < MASK_W; k = k + 1) begin
      at = (mirror + k) % num_local;
      if (!found && k < num_local && (at >= MASK_W || !no_link[$clog2(MASK_W)'(at)])) begin
        npu_port = PORT_W'(FIRST_LOCAL + at);
        found = 1'b1;
      end
    end
  endfunction
endpackage
