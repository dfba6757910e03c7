// SPDX-License-Identifier: Apache-2.0
// FRED switch chiplet, Fred_M(P): input buffers, control unit, reducing and distributing
// interconnect, output staging (§4, §5.4, §6.2.3).
//
// Pins: everything but the interconnect is phased_switch, whose contract holds for links, flits,
//   registers, memory test, idle_o and error_o. This module adds fred_interconnect;
//   phased_table_routes, the routing table of online unicasts; fred_online_paths, which finds their
//   paths; and fred_exit, which detects rows whose configuration does not match their flows. Bit
//   2P+1 of bist_fail_o is the routing table.
// Misprogramming: such a row gives ERROR_CONFIG at the edge at which its first flit leaves by a
//   wrong output, not at all, or inside a packet of another flow. From then on the payload of its
//   phase and unicasts alongside it may be wrong or lost (fred_exit).
// Timing: in an unloaded switch, with its phase active or as an online unicast, a flit sampled on
//   in_flit_i at edge e enters the first stage of the interconnect at e + 5, is in the last stage
//   after e + STAGES + 4, and on out_flit_o after edge e + STAGES + 6; STAGES: fred_pkg::stages(P,
//   ADDER_STAGES).
module fred_switch #(
  /// number of ports, 2 to 32
  parameter int unsigned P = 12,
  /// number of middle sub-networks, 2 to 4
  parameter int unsigned M = 3,
  /// input buffer depth of each data VC, in flits (24 KB)
  parameter int unsigned VC_DEPTH = 48,
  /// lane format: 0 FP16, 1 BF16
  parameter int unsigned FORMAT = 0,
  /// phases in use at a time, 1 or 2 (phased_control); 2 with at most 3 middle sub-networks
  parameter int unsigned PHASES_IN_USE = 1,
  /// register stages of an adder, 1 or 2
  parameter int unsigned ADDER_STAGES = 1,
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
  if (M < 2 || M > 4 || FORMAT > 1 || ADDER_STAGES < 1 || ADDER_STAGES > 2) begin : gen_range
    // Ranges: see the parameter list.
    $fatal(1, "fred_switch: found M=%0d FORMAT=%0d ADDER_STAGES=%0d", M, FORMAT, ADDER_STAGES);
  end
  // All codes of a configuration then have the same width.
  if (PHASES_IN_USE > 1 && fred_pkg::sel_w(M) != fred_pkg::USEL_W) begin : gen_codes
    $fatal(1, "fred_switch: found PHASES_IN_USE=%0d with M=%0d; allowed: M of 3 or less", PHASES_IN_USE, M);
  end
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "fred_switch: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
  end

  localparam int unsigned STAGES = fred_pkg::stages(P, ADDER_STAGES);
  localparam int unsigned CONFIG_W = fred_pkg::config_bits(P, M);
  localparam int unsigned ROW_W = fred_pkg::row_bits(P, M);
  localparam int unsigned PATH_W = fred_pkg::PATH_W;
  localparam int unsigned DST_W = noc_pkg::DST_W;
  localparam int unsigned OUT_W = phased_pkg::OUT_W;
  localparam int unsigned VC_W = noc_pkg::VC_W;
  localparam int unsigned ROUTE_W = 1 + OUT_W + PATH_W;
  localparam int unsigned ROUTE_END = fred_pkg::ONLINE_BIT + ROUTE_W;
  localparam bit [FLIT_W-1:0] ROUTE_MASK = FLIT_W'((1 << ROUTE_W) - 1) << fred_pkg::ONLINE_BIT;

  logic                 change, load;
  logic [ROW_W-1:0]     change_row;
  logic [CONFIG_W-1:0]  config_q;  // configuration of the active phase
  logic [P*P-1:0]       move;
  logic [P-1:0]         phase_in, phase_out;
  logic [VC_W*P-1:0]    phase_vc;
  logic [P*ROUTE_W-1:0] route;     // routes of the flits that enter
  logic [PATH_W*P-1:0]  in_path, out_path;
  logic                 busy, paths_idle, enter_idle, exit_error;
  logic [P-1:0]         enter_valid, done_valid, done_online, done_head, done_tail, leave_valid;
  logic [VC_W*P-1:0]    done_vc;
  logic [P*FLIT_W-1:0]  enter_flit, routed_flit, done_flit, leave_flit;
  logic [P-1:0]         lookup, route_known;
  logic [DST_W*P-1:0]   lookup_dst;
  logic [OUT_W*P-1:0]   route_out;
  logic                 own_hit, routes_fail;
  logic [31:0]          own_rdata;
  logic [2*P:0]         parts_fail;

  // No flit waits in this interconnect.
  logic [P-1:0]    none;
  logic [VC_W-1:0] no_vc;
  assign none = '0;
  assign no_vc = '0;

  phased_switch #(
    .P             (P),
    .ID            (fred_pkg::FRED_ID),
    .SHAPE         ({16'd0, 8'(M), 8'(P)}),
    .ROW_W         (ROW_W),
    .CONFIG_STAGES (STAGES),
    .APART_LEVELS  ((M == 2) ? fred_pkg::levels(P) : 0),
    .LANES         (LANES),
    .VC_DEPTH      (VC_DEPTH),
    .CTRL_DEPTH    (CTRL_DEPTH),
    .OUT_DEPTH     (OUT_DEPTH),
    .PACKET_FLITS  (PACKET_FLITS),
    .YIELD         (YIELD),
    .QUANTUM       (QUANTUM),
    .VC_ORDER      (VC_ORDER),
    .PHASES_IN_USE (PHASES_IN_USE),
    .CONFIG_FIELD_W(fred_pkg::USEL_W),
    .BIST          (BIST)
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
    .enter_error_i (exit_error)
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

  fred_paths #(.P(P), .M(M)) i_paths (
    .clk_i,
    .rst_ni,
    .load_i    (change),
    .row_i     (change_row),
    .in_path_o (in_path),
    .out_path_o(out_path)
  );

  fred_online_paths #(.P(P), .M(M)) i_online_paths (
    .clk_i,
    .rst_ni,
    .move_i     (move),
    .phase_in_i (phase_in),
    .phase_out_i(phase_out),
    .in_path_i  (in_path),
    .out_path_i (out_path),
    .route_o    (route),
    .idle_o     (paths_idle)
  );

  // The route is inserted where a flit enters the interconnect and removed where it leaves.
  for (genvar p = 0; p < P; p++) begin : gen_route
    assign routed_flit[p*FLIT_W +: FLIT_W] = {
      enter_flit[p*FLIT_W + ROUTE_END +: FLIT_W - ROUTE_END],
      enter_flit[p*FLIT_W + fred_pkg::ONLINE_BIT +: ROUTE_W] | route[p*ROUTE_W +: ROUTE_W],
      enter_flit[p*FLIT_W +: fred_pkg::ONLINE_BIT]};
    assign leave_flit[p*FLIT_W +: FLIT_W] = done_flit[p*FLIT_W +: FLIT_W] & ~ROUTE_MASK;
    assign done_online[p] = done_flit[p*FLIT_W + fred_pkg::ONLINE_BIT];
    assign done_vc[VC_W*p +: VC_W] = done_flit[p*FLIT_W + noc_pkg::VC_LSB +: VC_W];
    assign done_head[p] = done_flit[p*FLIT_W + noc_pkg::HEAD_BIT];
    assign done_tail[p] = done_flit[p*FLIT_W + noc_pkg::TAIL_BIT];
  end

  fred_exit #(.P(P), .STAGES(STAGES), .PHASES_IN_USE(PHASES_IN_USE)) i_exit (
    .clk_i,
    .rst_ni,
    .move_i     (move),
    .phase_out_i(phase_out),
    .phase_vc_i (phase_vc),
    .in_valid_i (done_valid),
    .in_online_i(done_online),
    .in_vc_i    (done_vc),
    .in_head_i  (done_head),
    .in_tail_i  (done_tail),
    .out_valid_o(leave_valid),
    .error_o    (exit_error)
  );

  assign enter_idle = !busy && paths_idle;

  always_ff @(posedge clk_i) begin : configuration
    if (change) config_q <= change_row[ROW_W-1:ROW_W-CONFIG_W];
  end

  fred_interconnect #(.P(P), .M(M), .LANES(LANES), .FORMAT(FORMAT), .ADDER_STAGES(ADDER_STAGES)) i_interconnect (
    .clk_i,
    .rst_ni,
    .in_valid_i (enter_valid),
    .in_flit_i  (routed_flit),
    .out_valid_o(done_valid),
    .out_flit_o (done_flit),
    .load_i     (load),
    .config_i   (config_q),
    .busy_o     (busy)
  );
endmodule
