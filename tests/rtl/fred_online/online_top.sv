// SPDX-License-Identifier: Apache-2.0
// Device under test of test_fred_online: phased_matcher and fred_online_paths as a fred_switch has
// them, with pins of one width for all sizes. Bit v*32 + p of a vector by head-of-line flit or by
// (output, VC) is VC v of port p.
module online_top #(
  /// number of ports
  parameter int unsigned P = 12,
  /// number of middle sub-networks
  parameter int unsigned M = 3
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [127:0] request_i,
  input  logic [127:0] tail_i,
  input  logic [127:0] room_i,
  input  logic [639:0] out_i,
  input  logic [31:0]  phase_held_i,
  input  logic [1:0]   phase_vc_i,
  input  logic [31:0]  phase_pop_i,
  input  logic [31:0]  phase_reserve_i,
  input  logic [255:0] in_path_i,
  input  logic [255:0] out_path_i,
  output logic [31:0]  pop_o,
  output logic [63:0]  pop_vc_o,
  output logic [31:0]  reserve_o,
  output logic [63:0]  reserve_vc_o,
  output logic [127:0] locked_o,
  output logic [447:0] route_o,
  output logic [7:0]   stall_credit_o,
  output logic [7:0]   stall_arbiter_o,
  output logic         idle_o
);
  localparam int unsigned VCS = noc_pkg::NUM_VCS;

  logic [VCS*P-1:0] request, tail, room, locked;
  logic [P*P-1:0]   move;
  logic [P-1:0]     pop, reserve, phase_in, phase_out;
  logic [VCS*P-1:0] pop_vcs;
  logic [2*P-1:0]   pop_vc, reserve_vc;
  logic [14*P-1:0]  route;
  logic             matcher_idle, paths_idle;

  for (genvar p = 0; p < P; p++) begin : gen_port
    for (genvar v = 0; v < VCS; v++) begin : gen_vc
      assign request[noc_pkg::vc_index(p, v)] = request_i[32*v+p];
      assign tail[noc_pkg::vc_index(p, v)] = tail_i[32*v+p];
      assign room[noc_pkg::vc_index(p, v)] = room_i[32*v+p];
    end
  end
  for (genvar p = 0; p < P; p++) begin : gen_pop_vc
    assign pop[p] = pop_vcs[noc_pkg::vc_index(p, 0) +: VCS] != '0;
    assign pop_vc[2*p +: 2] = noc_pkg::onehot_vc(pop_vcs[noc_pkg::vc_index(p, 0) +: VCS]);
  end
  always_comb begin
    locked_o = '0;
    for (int unsigned p = 0; p < P; p++) begin
      for (int unsigned v = 0; v < VCS; v++) locked_o[32*v+p] = locked[noc_pkg::vc_index(p, v)];
    end
  end
  assign pop_o = 32'(pop);
  assign pop_vc_o = 64'(pop_vc);
  assign reserve_o = 32'(reserve);
  assign reserve_vc_o = 64'(reserve_vc);
  assign route_o = 448'(route);
  assign idle_o = matcher_idle && paths_idle;

  phased_matcher #(.P(P), .APART_LEVELS((M == 2) ? fred_pkg::levels(P) : 0)) i_matcher (
    .clk_i,
    .rst_ni,
    .request_i      (request),
    .out_i          (out_i[20*P-1:0]),
    .tail_i         (tail),
    .room_i         (room),
    .phase_held_i   (phase_held_i[P-1:0]),
    .phase_vc_i     (VCS'(1) << phase_vc_i),
    .closed_i       ('0),
    .in_flight_i    ('0),
    .in_flight_vc_i ('0),
    .phase_pop_i    (phase_pop_i[P-1:0]),
    .phase_reserve_i(phase_reserve_i[P-1:0]),
    .phase_fires_i  (phase_pop_i[P-1:0] != '0),
    .pop_o          (pop_vcs),
    .reserve_o      (reserve),
    .reserve_vc_o   (reserve_vc),
    .locked_o       (locked),
    .move_o         (move),
    .phase_in_o     (phase_in),
    .phase_out_o    (phase_out),
    .stall_credit_o,
    .stall_arbiter_o,
    .idle_o         (matcher_idle)
  );

  fred_online_paths #(.P(P), .M(M)) i_paths (
    .clk_i,
    .rst_ni,
    .move_i     (move),
    .phase_in_i (phase_in),
    .phase_out_i(phase_out),
    .in_path_i  (in_path_i[8*P-1:0]),
    .out_path_i (out_path_i[8*P-1:0]),
    .route_o    (route),
    .idle_o     (paths_idle)
  );

  // Inputs that sizes below 32 ports do not use.
  logic unused;
  assign unused = ^{request_i, tail_i, room_i, out_i, phase_held_i, phase_pop_i, phase_reserve_i,
                    in_path_i, out_path_i};
endmodule
