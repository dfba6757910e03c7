// SPDX-License-Identifier: Apache-2.0
// Reducing crossbar: a switch with the ports, buffers, phases and registers of a FRED chiplet,
// whose interconnect is a P x P crossbar with an adder tree at every output (the alternative of
// §9): disjoint flows never conflict.
//
// Pins: everything but the interconnect is phased_switch, whose contract holds for links, flits,
//   registers, memory test, idle_o and error_o. This module adds reducing_crossbar_datapath, the
//   interconnect and its configuration, and phased_table_routes, the routing table of online
//   unicasts. Bit 2P+1 of bist_fail_o is the routing table.
// Timing: in an unloaded switch, with its phase active or as an online unicast, a flit sampled on
//   in_flit_i at edge e enters the first stage of the interconnect at e + 5, is in the last stage
//   after e + stages(P) + 4, and on out_flit_o after edge e + stages(P) + 6.
module reducing_crossbar #(
  /// number of ports, 2 to 32
  parameter int unsigned P = 12,
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
  if (FORMAT > 1) begin : gen_range
    $fatal(1, "reducing_crossbar: found FORMAT=%0d; allowed: 0 or 1", FORMAT);
  end
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "reducing_crossbar: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
  end

  localparam int unsigned ROW_W = phased_pkg::row_config_lsb(P);
  localparam int unsigned DST_W = noc_pkg::DST_W;
  localparam int unsigned OUT_W = phased_pkg::OUT_W;

  logic                       change, load;
  logic [ROW_W-1:0]           change_row;
  logic [P*P-1:0]             move;
  logic [P-1:0]               phase_in, phase_out;
  logic [noc_pkg::VC_W*P-1:0] phase_vc;
  logic                       enter_idle;
  logic [P-1:0]               enter_valid, leave_valid;
  logic [P*FLIT_W-1:0]        enter_flit, leave_flit;
  logic [P-1:0]               lookup, route_known;
  logic [DST_W*P-1:0]         lookup_dst;
  logic [OUT_W*P-1:0]         route_out;
  logic                       own_hit, routes_fail;
  logic [31:0]                own_rdata;
  logic [2*P:0]               parts_fail;

  // No flit waits in this interconnect.
  logic [P-1:0]             none;
  logic [noc_pkg::VC_W-1:0] no_vc;
  assign none = '0;
  assign no_vc = '0;

  phased_switch #(
    .P            (P),
    .ID           (reducing_crossbar_pkg::REDUCING_CROSSBAR_ID),
    .SHAPE        ({24'd0, 8'(P)}),
    .ROW_W        (ROW_W),
    .CONFIG_STAGES(reducing_crossbar_pkg::CONFIG_STAGES),
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
    .bist_fail_o   (parts_fail),
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
    .hold_i        (none),
    .closed_i      (none),
    .in_flight_i   (none),
    .in_flight_vc_i(no_vc),
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
  assign bist_fail_o = {routes_fail, parts_fail};

  reducing_crossbar_datapath #(.P(P), .LANES(LANES), .FORMAT(FORMAT)) i_datapath (
    .clk_i,
    .rst_ni,
    .change_i     (change),
    .change_row_i (change_row),
    .load_i       (load),
    .move_i       (move),
    .enter_valid_i(enter_valid),
    .enter_flit_i (enter_flit),
    .leave_valid_o(leave_valid),
    .leave_flit_o (leave_flit),
    .idle_o       (enter_idle)
  );

  logic unused;  // ports of the phase, not used by the trees
  assign unused = &{1'b0, phase_in, phase_out, phase_vc};
endmodule
