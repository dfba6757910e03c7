// Ports of a mesh router and X-Y routing, the same as sc_models/routing/mesh_routing.h.
//
// Purpose: the routing decision of mesh_router in one place. Use: always qualified (mesh_pkg::X).
// Shapes: ports in the order north, east, south, west, local ports, I/O ports; at most 32. Addresses are
//   x[5:0], y[11:6], endpoint[15:12]; north is y - 1, east is x + 1.
package mesh_pkg;
  localparam bit [4:0] NORTH = 5'd0;
  localparam bit [4:0] EAST = 5'd1;
  localparam bit [4:0] SOUTH = 5'd2;
  localparam bit [4:0] WEST = 5'd3;
  localparam int unsigned FIRST_LOCAL = 4;

  // Output port of a flit for `dst` that entered router (x, y) by port in_port: bits [4:0]; bit 5: there is
  // none. First along x, then along y; at its router to the NPU (endpoint 0) by the local port that mirrors
  // the input, or to I/O port endpoint - 1. None: an I/O port that is not there, or a way back out of the
  // direction that the flit came from.
  function automatic logic [5:0] route_xy(
    input logic [5:0] x, input logic [5:0] y, input logic [15:0] dst,
    input int unsigned in_port, input int unsigned num_local, input int unsigned num_io
  );
    route_xy = 6'd0;
    if (dst[5:0] != x) route_xy[4:0] = (dst[5:0] > x) ? EAST : WEST;
    else if (dst[11:6] != y) route_xy[4:0] = (dst[11:6] > y) ? SOUTH : NORTH;
    else if (dst[15:12] == 4'd0) begin
      route_xy[4:0] = 5'(FIRST_LOCAL + ((in_port < FIRST_LOCAL) ? in_port : in_port - FIRST_LOCAL)
                                           % num_local);
    end else if (32'(dst[15:12]) <= num_io) begin
      route_xy[4:0] = 5'(FIRST_LOCAL + num_local - 1 + 32'(dst[15:12]));
    end else route_xy[5] = 1'b1;
    if (32'(route_xy[4:0]) < FIRST_LOCAL && 32'(route_xy[4:0]) == in_port) route_xy[5] = 1'b1;
  endfunction
endpackage
