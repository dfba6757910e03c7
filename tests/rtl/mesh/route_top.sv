// SPDX-License-Identifier: Apache-2.0
// Test module with route_select in every shape that the routers use: the output is the result of
// the selected shape.
module route_top (
  input  logic [mesh_pkg::COORDINATE_W-1:0] x_i,
  input  logic [mesh_pkg::COORDINATE_W-1:0] y_i,
  input  logic [mesh_pkg::SIDE_W-1:0]       columns_i,
  input  logic [mesh_pkg::SIDE_W-1:0]       rows_i,
  input  logic [noc_pkg::DST_W-1:0]         dst_i,
  input  logic [mesh_pkg::PORT_W-1:0]       in_port_i,
  input  logic [mesh_pkg::PORT_W-1:0]       num_local_i,
  input  logic [mesh_pkg::PORT_W-1:0]       num_io_i,
  input  logic [mesh_pkg::MASK_W-1:0]       no_link_i,
  output logic                              known_o,
  output logic [mesh_pkg::PORT_W-1:0]       port_o
);
  logic [mesh_pkg::PORT_W-1:0]     npu_port;
  logic [mesh_pkg::DIRECTIONS-1:0] from;
  assign npu_port = mesh_pkg::npu_port(32'(in_port_i), 32'(num_local_i), no_link_i);
  assign from = mesh_pkg::from_direction(32'(in_port_i));

  // The shapes: each number of local ports with each number of I/O ports.
  localparam int unsigned NUMBERS = 5;
  localparam int unsigned LOCALS [NUMBERS] = '{1, 2, 3, 4, 8};
  localparam int unsigned IOS [NUMBERS] = '{0, 1, 2, 3, 15};

  logic [NUMBERS*NUMBERS-1:0]  asked, known;
  logic [mesh_pkg::PORT_W-1:0] port [NUMBERS*NUMBERS];
  for (genvar l = 0; l < NUMBERS; l++) begin : gen_locals
    for (genvar io = 0; io < NUMBERS; io++) begin : gen_ios
      assign asked[NUMBERS*l + io] = 32'(num_local_i) == LOCALS[l] && 32'(num_io_i) == IOS[io];
      route_select #(.NUM_LOCAL(LOCALS[l]), .NUM_IO(IOS[io])) i_route (
        .valid_i   (asked[NUMBERS*l + io]),
        .dst_i,
        .from_i    (from),
        .x_i,
        .y_i,
        .columns_i,
        .rows_i,
        .npu_port_i(npu_port),
        .known_o   (known[NUMBERS*l + io]),
        .port_o    (port[NUMBERS*l + io])
      );
    end
  end

  always_comb begin : answer
    known_o = (asked & known) != '0;
    port_o = '0;
    for (int unsigned i = 0; i < NUMBERS * NUMBERS; i++) begin
      if (asked[i]) port_o = port[i];
    end
  end
endmodule
