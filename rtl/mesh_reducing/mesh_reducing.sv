// SPDX-License-Identifier: Apache-2.0
// Router of the 2D mesh that adds and multicasts along trees: the ports of a mesh_router, X-Y
// routing of unicasts, and phases whose flows are reduced and distributed inside, as in a FRED
// chiplet.
//
// Ports: P = 4 + NUM_LOCAL + NUM_IO in the order north, east, south, west, local, I/O (mesh_pkg).
// Pins: everything but interconnect and routes is phased_switch, whose contract holds for links,
//   flits, registers, memory test, idle_o and error_o. This module adds reducing_crossbar_datapath,
//   an adder tree at every output, so that disjoint flows never conflict; and mesh_reducing_routes:
//   a packet that names no phase takes the route of route_select, with the position in register
//   REG_POSITION and the local ports without a link in REG_NO_LINK. A mesh only: the rings of a
//   torus would need bubbles (mesh_router).
// Timing: in an unloaded router, with its phase active or as an online unicast, a flit sampled on
//   in_flit_i at edge e enters the first stage of the interconnect at e + 5, is in the last stage
//   after e + stages(P) + 4, and on out_flit_o after edge e + stages(P) + 6
//   (reducing_crossbar_pkg::stages).
module mesh_reducing #(
  /// number of local ports, to the NPU, 1 or more
  parameter int unsigned NUM_LOCAL = 4,
  /// number of I/O ports, 0 to 15
  parameter int unsigned NUM_IO = 2,
  /// input buffer depth of each data VC, in flits
  parameter int unsigned VC_DEPTH = 80,
  /// lane format: 0 FP16, 1 BF16
  parameter int unsigned FORMAT = 0,
  /// number of ports, derived
  localparam int unsigned P = mesh_pkg::FIRST_LOCAL + NUM_LOCAL + NUM_IO,
  `include "../phased/phased_parameters.svh"
  `include "../common/switch_parameters.svh"
) (
  `include "../common/switch_ports.svh"
  output logic [31:0]                error_o,
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic [2*P:0]               bist_fail_o
);
  if (NUM_LOCAL < 1 || NUM_IO > 15 || FORMAT > 1) begin : gen_range
    $fatal(1, "mesh_reducing: found NUM_LOCAL=%0d NUM_IO=%0d FORMAT=%0d", NUM_LOCAL, NUM_IO, FORMAT);
  end
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "mesh_reducing: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
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
  logic                       own_hit;
  logic [31:0]                own_rdata;

  // No flit waits in this interconnect.
  logic [P-1:0]             none;
  logic [noc_pkg::VC_W-1:0] no_vc;
  assign none = '0;
  assign no_vc = '0;

  phased_switch #(
    .P            (P),
    .ID           (mesh_pkg::MESH_REDUCING_ID),
    .SHAPE        ({16'd0, 8'(NUM_IO), 8'(NUM_LOCAL)}),
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
    .bist_fail_o,
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

  mesh_reducing_routes #(.NUM_LOCAL(NUM_LOCAL), .NUM_IO(NUM_IO)) i_routes (
    .clk_i,
    .rst_ni,
    .reg_valid_i,
    .reg_write_i,
    .reg_addr_i,
    .reg_wdata_i,
    .hit_o   (own_hit),
    .rdata_o (own_rdata),
    .lookup_i(lookup),
    .dst_i   (lookup_dst),
    .known_o (route_known),
    .out_o   (route_out)
  );

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
