// SPDX-License-Identifier: Apache-2.0
// Routing table of a switch for online unicasts: output port of every flit, looked up when it
// arrives.
//
// Registers: register r, 0 to 2^ROUTE_ADDR_W - 1, is 1 + output port for destination r, or 0: no
//   route. Values above P count as no route, and read back as written.
// Structure: one memory per input port, and one for reading back, all written together: each has
//   one read port.
// Timing: lookup_i and dst_i at an edge, known_o and out_o after it, until the next lookup: they
//   are the outputs of a memory, except for destinations without a register. read_i at an edge,
//   rdata_o after it.
// BIST (bist_i, bist_fail_o): see bist_ram; a failure of any of the memories.
// Contract: at an edge at which a register is written no flit with that destination is looked up
//   and the register is not read (asserted in flit_ram): the table is written before the traffic.
// Reset: none. The table keeps its contents over a reset; at power-up it is zero in simulation and
//   unknown in silicon, where software writes all of it.
module phased_route_ram #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// address width of the table, 1 to 15 (noc_pkg)
  parameter int unsigned ROUTE_ADDR_W = noc_pkg::DEFAULT_ROUTE_ADDR_W,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0,
  /// register width: 1 + port, derived
  localparam int unsigned ROUTE_W = phased_pkg::OUT_W + 1
) (
  input  logic                           clk_i,
  // registers
  input  logic                           write_i,
  input  logic                           read_i,
  input  logic [ROUTE_ADDR_W-1:0]        addr_i,
  input  logic [ROUTE_W-1:0]             wdata_i,
  output logic [ROUTE_W-1:0]             rdata_o,
  // flits that arrive, by input port
  input  logic [P-1:0]                   lookup_i,
  input  logic [noc_pkg::DST_W*P-1:0]    dst_i,
  output logic [P-1:0]                   known_o,
  output logic [phased_pkg::OUT_W*P-1:0] out_o,
  // memory test
  input  logic [bist_pkg::BUS_W-1:0]     bist_i,
  output logic                           bist_fail_o
);
  localparam int unsigned OUT_W = phased_pkg::OUT_W;
  localparam int unsigned DST_W = noc_pkg::DST_W;

  if (ROUTE_ADDR_W < 1 || ROUTE_ADDR_W > noc_pkg::MAX_ROUTE_ADDR_W) begin : gen_range
    $fatal(1, "phased_route_ram: found ROUTE_ADDR_W=%0d; allowed: 1 to %0d", ROUTE_ADDR_W,
           noc_pkg::MAX_ROUTE_ADDR_W);
  end

  // Word of an input's memory: output port, and a valid bit.
  logic [OUT_W:0] route;
  assign route = {wdata_i != '0 && wdata_i <= ROUTE_W'(P), OUT_W'(wdata_i - ROUTE_W'(1))};

  logic [P:0] bist_fail;  // by input, then the memory of the registers

  bist_ram #(.WIDTH(ROUTE_W), .DEPTH(1 << ROUTE_ADDR_W), .BIST(BIST)) i_registers (
    .clk_i,
    .write_i,
    .waddr_i(addr_i),
    .wdata_i,
    .read_i,
    .raddr_i(addr_i),
    .rdata_o,
    .bist_i,
    .fail_o (bist_fail[P])
  );

  for (genvar p = 0; p < P; p++) begin : gen_input
    logic [DST_W-1:0] dst;
    logic             in_table, in_table_q, known;
    assign dst = dst_i[DST_W*p +: DST_W];
    assign in_table = dst[DST_W-1:ROUTE_ADDR_W] == '0;
    always_ff @(posedge clk_i) begin
      if (lookup_i[p]) in_table_q <= in_table;
    end
    bist_ram #(.WIDTH(OUT_W + 1), .DEPTH(1 << ROUTE_ADDR_W), .BIST(BIST)) i_routes (
      .clk_i,
      .write_i,
      .waddr_i(addr_i),
      .wdata_i(route),
      .read_i (lookup_i[p] && in_table),
      .raddr_i(dst[ROUTE_ADDR_W-1:0]),
      .rdata_o({known, out_o[OUT_W*p +: OUT_W]}),
      .bist_i,
      .fail_o (bist_fail[p])
    );
    assign known_o[p] = in_table_q && known;
  end
  assign bist_fail_o = |bist_fail;
endmodule
