// SPDX-License-Identifier: Apache-2.0
// mesh_pkg's functions as a module, for a test.
module route_top (
  input  logic [5:0]  x_i,
  input  logic [5:0]  y_i,
  input  logic [6:0]  columns_i,
  input  logic [6:0]  rows_i,
  input  logic [15:0] dst_i,
  input  logic [3:0]  from_i,
  input  logic [4:0]  in_port_i,
  input  logic [4:0]  num_local_i,
  input  logic [4:0]  num_io_i,
  input  logic [15:0] no_link_i,
  output logic [4:0]  npu_port_o,
  output logic        none_o,
  output logic [4:0]  port_o
);
  assign npu_port_o = mesh_pkg::npu_port(32'(in_port_i), 32'(num_local_i), no_link_i);
  assign {none_o, port_o} = mesh_pkg::route_xy(x_i, y_i, columns_i, rows_i, dst_i, npu_port_o, from_i,
                                               32'(num_local_i), 32'(num_io_i));
endmodule
