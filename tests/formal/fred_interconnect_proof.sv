// SPDX-License-Identifier: Apache-2.0
// Proof of fred_interconnect, including fred_network and its µSwitches: for every configuration the
// output ports give, STAGES edges later, the sums of the flits that fred_network_meaning
// prescribes, with the header of the lowest one, and nothing else; configurations change as waves
// between flits.
//
// Environment: arbitrary flits that the configuration permits (fred_network_meaning), without
//   online unicasts; sums are exclusive ors (parity_add), and an input's lane has its own bit; two
//   arbitrary configurations, loaded at least STAGES edges apart. A reset comes at the beginning.
module fred_interconnect_proof #(
  /// number of ports
  parameter int unsigned P = 4,
  /// number of middle sub-networks
  parameter int unsigned M = 2,
  /// register stages of an adder, 1 or 2
  parameter int unsigned ADDER_STAGES = 1,
  /// configuration bits, derived
  localparam int unsigned CONFIG_BITS = fred_pkg::config_bits(P, M)
) (
  input logic         clk_i,
  input logic         load_i,
  input logic         second_i,  // second of the two configurations
  input logic [P-1:0] valid_i,
  input logic [P-1:0] tag_i,
  input logic [P-1:0] lane_i
);
  localparam int unsigned FLIT_W = noc_pkg::flit_w(1);
  localparam int unsigned STAGES = fred_pkg::stages(P, ADDER_STAGES);
  localparam int unsigned W = 2 + P;  // width of an expected output at a port: valid, tag, lane

  (* anyconst *) logic [2*CONFIG_BITS-1:0] configurations;
  logic                   started_q = 1'b0;
  logic                   busy, legal;
  logic [P*FLIT_W-1:0]    in_flit, out_flit;
  logic [P-1:0]           out_valid;
  logic [P*P-1:0]         in_mask, out_mask;
  logic [CONFIG_BITS-1:0] configuration, config_q;
  logic [STAGES-1:0]      wave_q;  // a load before the last edges
  logic                   second_q;

  for (genvar p = 0; p < P; p++) begin : gen_in
    always_comb begin
      in_flit[p*FLIT_W +: FLIT_W] = '0;
      in_flit[p*FLIT_W+noc_pkg::TAG_LSB] = tag_i[p];
      in_flit[p*FLIT_W+noc_pkg::HEADER_W+p] = lane_i[p];
      in_mask[p*P +: P] = P'(valid_i[p]) << p;
    end
  end

  fred_interconnect #(.P(P), .M(M), .LANES(1), .ADDER_STAGES(ADDER_STAGES)) i_dut (
    .clk_i,
    .rst_ni     (started_q),
    .load_i,
    .config_i   (configuration),
    .in_valid_i (valid_i),
    .in_flit_i  (in_flit),
    .out_valid_o(out_valid),
    .out_flit_o (out_flit),
    .busy_o     (busy)
  );

  fred_network_meaning #(.P(P), .M(M)) i_meaning (
    .config_i(config_q),
    .in_i    (in_mask),
    .out_o   (out_mask),
    .legal_o (legal)
  );

  assign configuration = configurations[(second_i ? CONFIG_BITS : 0) +: CONFIG_BITS];

  always_comb begin : environment
    if (!started_q) assume (!load_i && valid_i == '0);
    assume (legal);
    assume (wave_q[STAGES-1:0] == '0 || (!load_i && second_i == second_q));
  end

  // Expected outputs, by how many edges from now; whether there was a flit or a load in the last
  // STAGES edges.
  logic [P*W-1:0]        expected;
  logic [STAGES*P*W-1:0] expected_q;
  logic [STAGES-1:0]     flits_q, loads_q;

  always_comb begin : reference
    expected = '0;
    for (int unsigned o = 0; o < P; o++) begin
      expected[W*o] = out_mask[P*o +: P] != '0;
      for (int p = P - 1; p >= 0; p--) begin
        if (out_mask[P*o+p]) begin
          expected[W*o+1] = tag_i[p];
          expected[W*o+2+p] = lane_i[p];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      config_q <= '0;
      wave_q <= '0;
      expected_q <= '0;
      flits_q <= '0;
      loads_q <= '0;
    end else begin
      if (load_i) config_q <= configuration;
      if (load_i) second_q <= second_i;
      wave_q <= STAGES'({wave_q, load_i}) & ~(STAGES'(1) << (STAGES - 1));
      expected_q <= (STAGES * P * W)'({expected_q, expected});
      flits_q <= STAGES'({flits_q, valid_i != '0});
      loads_q <= STAGES'({loads_q, load_i});
    end
  end

  // Faults of every output: valid, header, lane, and that nothing else is in the flit.
  logic [P-1:0] valid_wrong, header_wrong, lane_wrong;

  for (genvar o = 0; o < P; o++) begin : gen_out
    logic [W-1:0]      wanted;
    logic [FLIT_W-1:0] flit;
    assign wanted = expected_q[(P*(STAGES-1)+o)*W +: W];
    always_comb begin
      flit = '0;
      flit[noc_pkg::TAG_LSB] = wanted[1];
      flit[noc_pkg::HEADER_W +: P] = wanted[2 +: P];
    end
    assign valid_wrong[o] = out_valid[o] != wanted[0];
    assign header_wrong[o] = wanted[0] && out_valid[o] &&
                             out_flit[o*FLIT_W +: noc_pkg::HEADER_W] != flit[noc_pkg::HEADER_W-1:0];
    assign lane_wrong[o] = wanted[0] && out_valid[o] &&
                           out_flit[o*FLIT_W+noc_pkg::HEADER_W +: FLIT_W-noc_pkg::HEADER_W] !=
                           flit[FLIT_W-1:noc_pkg::HEADER_W];
  end

  // Invariant of the interconnect, for 3 ports, two sub-networks and adders of one stage: each
  // stage has the configuration of the flits that reach it next, and a flit only if one entered the
  // right number of edges ago.
  localparam int unsigned INDUCTIVE = 32'(P == 3 && M == 2 && ADDER_STAGES == 1);
  (* hierconn *) logic [STAGES-1:0] \i_dut.active_q , \i_dut.wave_q ;
  (* hierconn *) logic [3:0] \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_r_uswitch.config_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_sub[0].i_network.gen_base.i_rd_uswitch.i_r_uswitch.config_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_sub[1].i_network.gen_base.i_rd_uswitch.i_r_uswitch.config_q ;
  (* hierconn *) logic \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_r_uswitch.uses_sum_q ,
                       \i_dut.gen_one.i_network.gen_level.gen_sub[0].i_network.gen_base.i_rd_uswitch.i_r_uswitch.uses_sum_q ,
                       \i_dut.gen_one.i_network.gen_level.gen_sub[1].i_network.gen_base.i_rd_uswitch.i_r_uswitch.uses_sum_q ;
  (* hierconn *) logic [1:0] \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_r_uswitch.valid_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_sub[0].i_network.gen_base.i_rd_uswitch.i_r_uswitch.valid_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_sub[1].i_network.gen_base.i_rd_uswitch.i_r_uswitch.valid_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_last_port.i_demux.valid_q ;
  (* hierconn *) logic [1:0] \i_dut.gen_one.i_network.gen_level.gen_last_port.i_demux.config_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_last_port.i_mux.config_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_d_uswitch.gen_output[0].i_mux.config_q ,
                             \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_d_uswitch.gen_output[1].i_mux.config_q ;
  logic [19:0] held;        // configuration, in the order of config_i
  logic [2:0]  sums, sums_held;
  logic [1:0]  flits_held;  // flits in stages 0 and 1

  assign held = {\i_dut.gen_one.i_network.gen_level.gen_last_port.i_mux.config_q ,
                 \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_d_uswitch.gen_output[1].i_mux.config_q ,
                 \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_d_uswitch.gen_output[0].i_mux.config_q ,
                 \i_dut.gen_one.i_network.gen_level.gen_sub[1].i_network.gen_base.i_rd_uswitch.i_r_uswitch.config_q ,
                 \i_dut.gen_one.i_network.gen_level.gen_sub[0].i_network.gen_base.i_rd_uswitch.i_r_uswitch.config_q ,
                 \i_dut.gen_one.i_network.gen_level.gen_last_port.i_demux.config_q ,
                 \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_r_uswitch.config_q };
  assign sums = {&held[13:12] || &held[11:10], &held[9:8] || &held[7:6], &held[3:2] || &held[1:0]};
  assign sums_held = {
    \i_dut.gen_one.i_network.gen_level.gen_sub[1].i_network.gen_base.i_rd_uswitch.i_r_uswitch.uses_sum_q ,
    \i_dut.gen_one.i_network.gen_level.gen_sub[0].i_network.gen_base.i_rd_uswitch.i_r_uswitch.uses_sum_q ,
    \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_r_uswitch.uses_sum_q };
  assign flits_held = {
    \i_dut.gen_one.i_network.gen_level.gen_sub[1].i_network.gen_base.i_rd_uswitch.i_r_uswitch.valid_q !=
    '0 ||
    \i_dut.gen_one.i_network.gen_level.gen_sub[0].i_network.gen_base.i_rd_uswitch.i_r_uswitch.valid_q != '0,
    \i_dut.gen_one.i_network.gen_level.gen_edge[0].i_r_uswitch.valid_q != '0 ||
    \i_dut.gen_one.i_network.gen_level.gen_last_port.i_demux.valid_q != '0};

  logic [CONFIG_BITS-1:0] config1_q, config2_q;  // config_q of one edge before, of two
  always_ff @(posedge clk_i) begin
    config1_q <= started_q ? config_q : '0;
    config2_q <= started_q ? config1_q : '0;
  end

  if (INDUCTIVE != 0) begin : gen_invariants
    always_comb begin : invariants
      if (started_q) begin
        invariant_history: assert (i_dut.active_q == flits_q && i_dut.wave_q == loads_q &&
                                   wave_q == {1'b0, loads_q[1:0]});
        invariant_wave: assert ((wave_q == '0 ||
                                 config_q == configurations[(second_q ? CONFIG_BITS : 0) +: CONFIG_BITS]) &&
                                (loads_q[0] || config1_q == config_q) && (loads_q[1] || config2_q == config1_q));
        invariant_configuration: assert (held == {config2_q[19:14], config1_q[13:6], config_q[5:0]} &&
                                         sums == sums_held);
        invariant_flits: assert ((flits_q[0] || !flits_held[0]) && (flits_q[1] || !flits_held[1]) &&
                                 (flits_q[2] || out_valid == '0));
        invariant_expected: assert ((flits_q[0] || expected_q[P*W-1:0] == '0) &&
                                    (flits_q[1] || expected_q[2*P*W-1:P*W] == '0) &&
                                    (flits_q[2] || expected_q[3*P*W-1:2*P*W] == '0));
      end
    end
  end

  always_comb begin : assertions
    if (started_q) begin
      flits_where_they_are_meant: assert (valid_wrong == '0);
      header_of_the_lowest_input: assert (header_wrong == '0);
      sum_of_the_inputs: assert (lane_wrong == '0);
      busy_while_something_is_inside: assert (busy == (flits_q != '0 || loads_q != '0));
    end
  end
endmodule
