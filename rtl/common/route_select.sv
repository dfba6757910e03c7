// SPDX-License-Identifier: Apache-2.0
// Route computation of one input port in a mesh or torus: output port of a flit by X-Y routing,
// equal to sc_models/routing/mesh_routing.h.
//
// Route: first along x, then along y, on a ring by the shorter path (mesh_pkg::is_upwards). At the
//   destination router a flit goes to the NPU (endpoint 0) by local port npu_port_i, or to I/O port
//   endpoint - 1. known_o is low if there is no route: the I/O port does not exist, or the route
//   would be a U-turn to the direction from which the flit came (from_i, a bit per direction, all
//   low at local and I/O ports).
// Inputs: dst_i, an address of mesh_pkg; x_i, y_i, position of the router; columns_i, rows_i, sides
//   of its rings, 0: no ring.
// Timing: combinational. The parent places the register: in front, so that a route depends on the
//   router's registers after the edge that samples the flit (mesh_input), or behind
//   (mesh_reducing_routes).
// valid_i: low if the result is not needed; a simulator then skips the logic.
// Not included: routing tables (phased_route_ram). Their result is the output of a memory that is
//   read at an edge, written, and tested: neither logic nor timing is shared.
module route_select #(
  /// number of local ports
  parameter int unsigned NUM_LOCAL = 4,
  /// number of I/O ports
  parameter int unsigned NUM_IO = 2
) (
  // flit
  input  logic                              valid_i,
  input  logic [noc_pkg::DST_W-1:0]         dst_i,
  input  logic [mesh_pkg::DIRECTIONS-1:0]   from_i,
  // router
  input  logic [mesh_pkg::COORDINATE_W-1:0] x_i,
  input  logic [mesh_pkg::COORDINATE_W-1:0] y_i,
  input  logic [mesh_pkg::SIDE_W-1:0]       columns_i,
  input  logic [mesh_pkg::SIDE_W-1:0]       rows_i,
  input  logic [mesh_pkg::PORT_W-1:0]       npu_port_i,
  // route
  output logic                              known_o,
  output logic [mesh_pkg::PORT_W-1:0]       port_o
);
  localparam int unsigned DIRECTION_W = $clog2(mesh_pkg::DIRECTIONS);

  logic [mesh_pkg::COORDINATE_W-1:0] to_x, to_y;
  logic [mesh_pkg::ENDPOINT_W-1:0]   endpoint;
  assign to_x = dst_i[mesh_pkg::X_LSB +: mesh_pkg::COORDINATE_W];
  assign to_y = dst_i[mesh_pkg::Y_LSB +: mesh_pkg::COORDINATE_W];
  assign endpoint = dst_i[mesh_pkg::ENDPOINT_LSB +: mesh_pkg::ENDPOINT_W];

  always_comb begin : select
    known_o = 1'b1;
    port_o = '0;
    if (valid_i) begin
      if (to_x != x_i) begin
        port_o = mesh_pkg::is_upwards(x_i, to_x, columns_i) ? mesh_pkg::EAST : mesh_pkg::WEST;
        known_o = !from_i[port_o[DIRECTION_W-1:0]];
      end else if (to_y != y_i) begin
        port_o = mesh_pkg::is_upwards(y_i, to_y, rows_i) ? mesh_pkg::SOUTH : mesh_pkg::NORTH;
        known_o = !from_i[port_o[DIRECTION_W-1:0]];
      end else begin
        port_o = (endpoint == '0)
                 ? npu_port_i
                 : mesh_pkg::PORT_W'(mesh_pkg::FIRST_LOCAL + NUM_LOCAL - 1 + 32'(endpoint));
        known_o = 32'(endpoint) <= NUM_IO;
      end
    end
  end
endmodule
