// SPDX-License-Identifier: Apache-2.0
// Registers of a VOQ crossbar except its counters and routes: identity, shape, error, credits; and
// the select of the read data.
//
// Map: sc_models/switch/register_map.h; one request per cycle, rdata_o follows the edge that
//   samples a read; other addresses read 0. In the cycle of a request: counter_read_o, route_read_o
//   and route_write_o enable the counters and the routing table, whose data follow the edge;
//   credit_write_o, bit vc_index(p, v), writes the credits of VC v of output p.
// error_o: first error code, the lowest of several at one edge, sticky.
module voq_crossbar_registers #(
  /// number of ports
  parameter int unsigned P = 12,
  /// address width of the routing table, 10 to 15 (noc_pkg)
  parameter int unsigned ROUTE_ADDR_W = noc_pkg::DEFAULT_ROUTE_ADDR_W,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a credit count, derived
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W,
  /// width of a register address, derived
  localparam int unsigned ADDR_W = noc_pkg::REG_ADDR_W
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       valid_i,
  input  logic                       write_i,
  input  logic [ADDR_W-1:0]          addr_i,
  output logic [31:0]                rdata_o,
  // counters, routing table
  output logic                       counter_read_o,
  input  logic [31:0]                counter_rdata_i,
  output logic                       route_read_o,
  output logic                       route_write_o,
  input  logic [phased_pkg::OUT_W:0] route_rdata_i,
  // outputs
  input  logic [CREDIT_W*VCS*P-1:0]  credits_i,  // by (port, VC)
  output logic [VCS*P-1:0]           credit_write_o,
  // errors, by input
  input  logic [P-1:0]               error_overflow_i,
  input  logic [P-1:0]               error_phase_i,
  input  logic [P-1:0]               error_route_i,
  output logic [31:0]                error_o
);
  localparam bit [ADDR_W-1:0] ROUTES = noc_pkg::route_base(ROUTE_ADDR_W);

  logic                route_hit, counter_hit;
  logic [ADDR_W-1:0]   credit_register;  // vc_index
  logic [CREDIT_W-1:0] credit;
  logic [31:0]         other_q;
  logic [1:0]          source_q;         // source of the last read's data: 0 this module, 1
                                         // counters, 2 routes

  assign route_hit = addr_i[ADDR_W-1:ROUTE_ADDR_W] == ROUTES[ADDR_W-1:ROUTE_ADDR_W];
  assign counter_hit = addr_i >= noc_pkg::REG_FLITS_IN && addr_i < noc_pkg::REG_ROUTE;
  assign counter_read_o = valid_i && !write_i && counter_hit;
  assign route_read_o = valid_i && !write_i && route_hit;
  assign route_write_o = valid_i && write_i && route_hit;
  assign credit_register = addr_i - noc_pkg::REG_CREDIT;

  always_comb begin : credits
    credit = '0;
    credit_write_o = '0;
    if (valid_i && addr_i >= noc_pkg::REG_CREDIT && credit_register < ADDR_W'(VCS * P)) begin
      for (int unsigned i = 0; i < VCS * P; i++) begin
        if (credit_register == ADDR_W'(i)) credit = credit | credits_i[CREDIT_W*i +: CREDIT_W];
        credit_write_o[i] = write_i && credit_register == ADDR_W'(i);
      end
    end
  end

  always_ff @(posedge clk_i) begin : reads
    if (!rst_ni) begin
      other_q <= '0;
      source_q <= '0;
    end else if (valid_i && !write_i) begin
      source_q <= {route_hit, counter_hit};
      case (addr_i)
        noc_pkg::REG_ID:    other_q <= voq_crossbar_pkg::VOQ_CROSSBAR_ID;
        noc_pkg::REG_SHAPE: other_q <= 32'(P);
        noc_pkg::REG_ERROR: other_q <= error_o;
        default:            other_q <= 32'(credit);
      endcase
    end
  end

  always_ff @(posedge clk_i) begin : errors
    if (!rst_ni) error_o <= noc_pkg::ERROR_NONE;
    else if (error_o == noc_pkg::ERROR_NONE) begin
      if (error_overflow_i != '0) error_o <= noc_pkg::ERROR_OVERFLOW;
      else if (error_phase_i != '0) error_o <= noc_pkg::ERROR_PHASE;
      else if (error_route_i != '0) error_o <= noc_pkg::ERROR_ROUTE;
    end
  end

  assign rdata_o = source_q[1] ? 32'(route_rdata_i) : source_q[0] ? counter_rdata_i : other_q;
endmodule
