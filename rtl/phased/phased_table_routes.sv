// SPDX-License-Identifier: Apache-2.0
// Table routes of online unicasts, for a phased_switch: its lookups, and the registers of the table
// (phased_route_ram).
//
// Registers: noc_pkg::route_base + destination, one request per cycle on reg_*. hit_o: reg_addr_i
//   is one of them, combinational; rdata_o follows the edge that samples a read, and holds.
// Lookups, memory test, reset: see phased_route_ram.
module phased_table_routes #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// address width of the table, 10 to 15 (noc_pkg)
  parameter int unsigned ROUTE_ADDR_W = noc_pkg::DEFAULT_ROUTE_ADDR_W,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0
) (
  input  logic                           clk_i,
  // registers
  input  logic                           reg_valid_i,
  input  logic                           reg_write_i,
  input  logic [noc_pkg::REG_ADDR_W-1:0] reg_addr_i,
  input  logic [31:0]                    reg_wdata_i,
  output logic                           hit_o,
  output logic [31:0]                    rdata_o,
  // flits that arrive, by input port
  input  logic [P-1:0]                   lookup_i,
  input  logic [noc_pkg::DST_W*P-1:0]    dst_i,
  output logic [P-1:0]                   known_o,
  output logic [phased_pkg::OUT_W*P-1:0] out_o,
  // memory test
  input  logic [bist_pkg::BUS_W-1:0]     bist_i,
  output logic                           bist_fail_o
);
  localparam int unsigned REG_ADDR_W = noc_pkg::REG_ADDR_W;
  localparam bit [REG_ADDR_W-1:0] BASE = noc_pkg::route_base(ROUTE_ADDR_W);
  localparam int unsigned ROUTE_W = phased_pkg::OUT_W + 1;

  logic               write, read;
  logic [ROUTE_W-1:0] route;

  assign hit_o = reg_addr_i[REG_ADDR_W-1:ROUTE_ADDR_W] == BASE[REG_ADDR_W-1:ROUTE_ADDR_W];
  assign write = reg_valid_i && hit_o && reg_write_i;
  assign read = reg_valid_i && hit_o && !reg_write_i;
  assign rdata_o = 32'(route);

  phased_route_ram #(.P(P), .ROUTE_ADDR_W(ROUTE_ADDR_W), .BIST(BIST)) i_ram (
    .clk_i,
    .write_i(write),
    .read_i (read),
    .addr_i (reg_addr_i[ROUTE_ADDR_W-1:0]),
    .wdata_i(reg_wdata_i[ROUTE_W-1:0]),
    .rdata_o(route),
    .lookup_i,
    .dst_i,
    .known_o,
    .out_o,
    .bist_i,
    .bist_fail_o
  );

  logic unused_wdata;
  assign unused_wdata = &{1'b0, reg_wdata_i[31:ROUTE_W]};
endmodule
