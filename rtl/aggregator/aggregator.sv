// SPDX-License-Identifier: Apache-2.0
// Aggregator: a switch with the ports, buffers, phases and registers of a FRED chiplet, whose
// interconnect is a crossbar with a central pool of adders and a reduction table (switch-centric,
// like the reduction engines of NVLink SHARP).
//
// Pins: everything but the interconnect is phased_switch, whose contract holds for links, flits,
//   registers, memory test, idle_o and error_o. This module adds aggregator_interconnect and
//   phased_table_routes, the routing table of online unicasts. The arbiter stall counters include
//   flits that wait for adders. Bit p of bist_fail_o covers the buffer and the operand FIFO of
//   input p, bit 2P+1 the routing table.
// Timing: in an unloaded switch, with its phase active or as an online unicast, a flit of one input
//   sampled on in_flit_i at edge e is on out_flit_o after edge e + 8; the sum of n flits after edge
//   e + n + 9.
module aggregator #(
  /// number of ports, 2 to 32
  parameter int unsigned P = 12,
  /// number of adders, each for all lanes, 1 to 32
  parameter int unsigned ADDERS = 4,
  /// input buffer depth of each data VC, in flits (24 KB)
  parameter int unsigned VC_DEPTH = 48,
  /// lane format: 0 FP16, 1 BF16
  parameter int unsigned FORMAT = 0,
  /// address width of the routing table, 10 to 15 (noc_pkg)
  parameter int unsigned ROUTE_ADDR_W = noc_pkg::DEFAULT_ROUTE_ADDR_W,
  `include "../phased/phased_parameters.svh"
  `include "../common/switch_parameters.svh"
) (
  `include "../common/switch_ports.svh"
  output logic [31:0]                error_o,
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic [2*P+1:0]             bist_fail_o
);
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "aggregator: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
  end

  localparam int unsigned ROW_W = phased_pkg::row_config_lsb(P);
  localparam int unsigned DST_W = noc_pkg::DST_W;
  localparam int unsigned OUT_W = phased_pkg::OUT_W;

  logic                       change, load;
  logic [ROW_W-1:0]           change_row;
  logic [P*P-1:0]             move;
  logic [P*P-1:0]             move_q, unicast_q;  // move_i delayed by one and by two edges
  logic [P-1:0]               phase_in, phase_out, hold, closed, in_flight;
  logic [noc_pkg::VC_W*P-1:0] phase_vc;
  logic [noc_pkg::VC_W-1:0]   in_flight_vc;
  logic                       busy, enter_idle;
  logic [P-1:0]               enter_valid, leave_valid;
  logic [P*FLIT_W-1:0]        enter_flit, leave_flit;
  logic [2*P:0]               switch_fail;
  logic [P-1:0]               operands_fail;
  logic [P-1:0]               lookup, route_known;
  logic [DST_W*P-1:0]         lookup_dst;
  logic [OUT_W*P-1:0]         route_out;
  logic                       own_hit, routes_fail;
  logic [31:0]                own_rdata;

  phased_switch #(
    .P            (P),
    .ID           (aggregator_pkg::AGGREGATOR_ID),
    .SHAPE        ({16'd0, 8'(ADDERS), 8'(P)}),
    .ROW_W        (ROW_W),
    .CONFIG_STAGES(aggregator_pkg::CONFIG_STAGES),
    .APART_LEVELS (0),
    .LANES        (LANES),
    .VC_DEPTH     (VC_DEPTH),
    .CTRL_DEPTH   (CTRL_DEPTH),
    .OUT_DEPTH    (OUT_DEPTH),
    .PACKET_FLITS (PACKET_FLITS),
    .YIELD        (YIELD),
    .QUANTUM      (QUANTUM),
    .VC_ORDER     (VC_ORDER),
    .BIST         (BIST)
  ) i_phased (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_flit_i,
    .in_credit_o,
    .out_valid_o,
    .out_flit_o,
    .out_ready_i,
    .out_credit_i,
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_rdata_o,
    .idle_o,
    .error_o,
    .bist_i,
    .bist_fail_o   (switch_fail),
    .lookup_o      (lookup),
    .lookup_dst_o  (lookup_dst),
    .route_known_i (route_known),
    .route_out_i   (route_out),
    .own_hit_i     (own_hit),
    .own_rdata_i   (own_rdata),
    .change_o      (change),
    .change_row_o  (change_row),
    .load_o        (load),
    .move_o        (move),
    .phase_in_o    (phase_in),
    .phase_out_o   (phase_out),
    .phase_vc_o    (phase_vc),
    .hold_i        (hold),
    .closed_i      (closed),
    .in_flight_i   (in_flight),
    .in_flight_vc_i(in_flight_vc),
    .enter_valid_o (enter_valid),
    .enter_flit_o  (enter_flit),
    .leave_valid_i (leave_valid),
    .leave_flit_i  (leave_flit),
    .enter_idle_i  (enter_idle),
    .enter_error_i (1'b0)
  );

  phased_table_routes #(.P(P), .ROUTE_ADDR_W(ROUTE_ADDR_W), .BIST(BIST)) i_routes (
    .clk_i,
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .hit_o      (own_hit),
    .rdata_o    (own_rdata),
    .lookup_i   (lookup),
    .dst_i      (lookup_dst),
    .known_o    (route_known),
    .out_o      (route_out),
    .bist_i,
    .bist_fail_o(routes_fail)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      move_q <= '0;
      unicast_q <= '0;
    end else begin
      move_q <= move;
      unicast_q <= move_q;
    end
  end

  assign enter_idle = !busy && move_q == '0 && unicast_q == '0;
  assign bist_fail_o = {routes_fail, switch_fail[2*P:P], switch_fail[P-1:0] | operands_fail};

  aggregator_interconnect #(.P(P), .ADDERS(ADDERS), .LANES(LANES), .FORMAT(FORMAT), .BIST(BIST)) i_interconnect (
    .clk_i,
    .rst_ni,
    .change_i      (change),
    .row_i         (change_row),
    .fire_in_i     (phase_in),
    .fire_out_i    (phase_out),
    .hold_o        (hold),
    .closed_o      (closed),
    .in_flight_o   (in_flight),
    .in_flight_vc_o(in_flight_vc),
    .in_valid_i    (enter_valid),
    .in_flit_i     (enter_flit),
    .unicast_i     (unicast_q),
    .out_valid_o   (leave_valid),
    .out_flit_o    (leave_flit),
    .busy_o        (busy),
    .bist_i,
    .bist_fail_o   (operands_fail)
  );

  // The interconnect itself tracks when the flits of a phase enter.
  logic unused;
  assign unused = &{1'b0, load, phase_vc};
endmodule
