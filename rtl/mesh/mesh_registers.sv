// SPDX-License-Identifier: Apache-2.0
// Registers of a mesh_router except its counters: identity, shape, position, sides of the rings,
// local ports without a link, error, credits.
//
// Map: sc_models/switch/register_map.h; one request per cycle, rdata_o follows the edge that
//   samples a read; other addresses read 0. A write to a credit register is passed to its output in
//   the same cycle: credit_write_o.
// error_o: first error code, sticky. Overflow wins if both come at once.
module mesh_registers #(
  /// number of local ports
  parameter int unsigned NUM_LOCAL = 4,
  /// number of I/O ports
  parameter int unsigned NUM_IO = 2,
  /// number of ports, derived
  localparam int unsigned P = mesh_pkg::FIRST_LOCAL + NUM_LOCAL + NUM_IO,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a credit count, derived
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              valid_i,
  input  logic                              write_i,
  input  logic [noc_pkg::REG_ADDR_W-1:0]    addr_i,
  input  logic [CREDIT_W-1:0]               wdata_i,
  output logic [31:0]                       rdata_o,
  // router
  output logic [mesh_pkg::COORDINATE_W-1:0] x_o,
  output logic [mesh_pkg::COORDINATE_W-1:0] y_o,
  output logic [mesh_pkg::SIDE_W-1:0]       columns_o,
  output logic [mesh_pkg::SIDE_W-1:0]       rows_o,
  output logic [mesh_pkg::MASK_W-1:0]       no_link_o,
  input  logic [CREDIT_W*VCS*P-1:0]         credits_i,
  output logic [VCS*P-1:0]                  credit_write_o,
  input  logic                              error_overflow_i,
  input  logic                              error_route_i,
  output logic [31:0]                       error_o
);
  logic [noc_pkg::REG_ADDR_W-1:0] credit_index;  // noc_pkg::vc_index
  logic [VCS*P-1:0]               credit_hit;
  logic [CREDIT_W-1:0]            credit;
  assign credit_index = addr_i - noc_pkg::REG_CREDIT;
  assign credit_write_o = write_i ? credit_hit : '0;
  always_comb begin : credits
    credit_hit = '0;
    credit = '0;
    if (valid_i && addr_i >= noc_pkg::REG_CREDIT && 32'(credit_index) < VCS * P) begin
      for (int unsigned i = 0; i < VCS * P; i++) begin
        credit_hit[i] = 32'(credit_index) == i;
        if (credit_hit[i]) credit = credit | credits_i[CREDIT_W*i +: CREDIT_W];
      end
    end
  end

  always_ff @(posedge clk_i) begin : place
    if (!rst_ni) begin
      x_o <= '0;
      y_o <= '0;
      columns_o <= '0;
      rows_o <= '0;
      no_link_o <= '0;
    end else if (valid_i && write_i) begin
      if (addr_i == noc_pkg::REG_POSITION) begin
        x_o <= wdata_i[0 +: mesh_pkg::COORDINATE_W];
        y_o <= wdata_i[8 +: mesh_pkg::COORDINATE_W];
      end
      if (addr_i == noc_pkg::REG_TORUS) begin
        columns_o <= wdata_i[0 +: mesh_pkg::SIDE_W];
        rows_o <= wdata_i[8 +: mesh_pkg::SIDE_W];
      end
      if (addr_i == noc_pkg::REG_NO_LINK) no_link_o <= wdata_i;
    end
  end

  always_ff @(posedge clk_i) begin : reads
    if (!rst_ni) begin
      rdata_o <= '0;
    end else if (valid_i && !write_i) begin
      case (addr_i)
        noc_pkg::REG_ID:       rdata_o <= mesh_pkg::MESH_ID;
        noc_pkg::REG_SHAPE:    rdata_o <= 32'({8'(NUM_IO), 8'(NUM_LOCAL)});
        noc_pkg::REG_POSITION: rdata_o <= 32'({8'(y_o), 8'(x_o)});
        noc_pkg::REG_TORUS:    rdata_o <= 32'({8'(rows_o), 8'(columns_o)});
        noc_pkg::REG_NO_LINK:  rdata_o <= 32'(no_link_o);
        noc_pkg::REG_ERROR:    rdata_o <= error_o;
        default:               rdata_o <= 32'(credit);
      endcase
    end
  end

  always_ff @(posedge clk_i) begin : errors
    if (!rst_ni) error_o <= noc_pkg::ERROR_NONE;
    else if (error_o == noc_pkg::ERROR_NONE) begin
      if (error_overflow_i) error_o <= noc_pkg::ERROR_OVERFLOW;
      else if (error_route_i) error_o <= noc_pkg::ERROR_ROUTE;
    end
  end
endmodule
