// SPDX-License-Identifier: Apache-2.0
// Variant of fred_network for switch.adder_stages 2: the adders of R- and RD-µSwitches have two
// register stages, and up to three levels of D-µSwitches share one.
//
// Shape, configuration bits, online unicasts, sums, reset: as fred_network.
// Timing: STAGES register stages on every path. A µSwitch, and the demultiplexer alongside it, has
//   two of them. The level of D-µSwitches and multiplexers has one, at its outputs, if LEVEL is a
//   multiple of fred_pkg::d_levels(2); otherwise it is combinational logic in front of the level
//   around it, and copies its configuration with that stage. Stage s works, or copies its
//   configuration, at an edge with bit s of step_i or load_i.
module fred_network_two_stage #(
  /// Number of ports, 2 to 32.
  parameter int unsigned P = 12,
  /// Number of middle sub-networks m, 2 to 4.
  parameter int unsigned M = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: fred_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Levels of middle sub-networks around this one.
  parameter int unsigned LEVEL = 0,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Number of µSwitch configuration bits, derived.
  localparam int unsigned CONFIG_BITS = fred_pkg::config_bits(P, M),
  /// Number of register stages, derived.
  localparam int unsigned STAGES = fred_pkg::network_stages(P, 2, LEVEL)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [STAGES-1:0]      step_i,
  input  logic [STAGES-1:0]      load_i,
  input  logic [CONFIG_BITS-1:0] config_i,
  input  logic [P-1:0]           in_valid_i,
  input  logic [P*FLIT_W-1:0]    in_flit_i,
  output logic [P-1:0]           out_valid_o,
  output logic [P*FLIT_W-1:0]    out_flit_o
);
  if (P == 2) begin : gen_base
    fred_r_uswitch_two_stage #(
      .OUTPUTS(2),
      .LANES  (LANES),
      .FORMAT (FORMAT),
      .KEY_LSB(fred_pkg::OUT_LSB + LEVEL),
      .KEY_W  (1)
    ) i_rd_uswitch (
      .clk_i,
      .rst_ni,
      .step_i,
      .load_i(load_i[0]),
      .config_i,
      .in_valid_i,
      .in_flit_i,
      .out_valid_o,
      .out_flit_o
    );
    logic unused_load;
    assign unused_load = load_i[1];
  end else begin : gen_level
    localparam int unsigned R = P / 2;
    localparam int unsigned S = (P + 1) / 2;
    localparam int unsigned SEL_W = fred_pkg::sel_w(M);
    localparam int unsigned R_BITS = M * fred_pkg::USEL_W;
    localparam int unsigned SUB_BITS = fred_pkg::config_bits(S, M);
    localparam int unsigned SUB_LSB = R * R_BITS + (P % 2) * SEL_W;
    localparam int unsigned D_LSB = SUB_LSB + M * SUB_BITS;
    localparam int unsigned SUB_STAGES = fred_pkg::network_stages(S, 2, LEVEL + 1);

    // Wires between the edge stages and the sub-networks: flit of port i of sub-network j at j * S
    // + i.
    logic [M*S-1:0]        to_sub_valid, from_sub_valid;
    logic [M*S*FLIT_W-1:0] to_sub_flit, from_sub_flit;
    // Inputs of an output p: flits of output port p / 2 of every sub-network.
    logic [S*M-1:0]        d_valid;
    logic [S*M*FLIT_W-1:0] d_flit;

    for (genvar j = 0; j < M; j = j + 1) begin : gen_sub
      fred_network_two_stage #(.P(S), .M(M), .LANES(LANES), .FORMAT(FORMAT), .LEVEL(LEVEL + 1)) i_network (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[2 +: SUB_STAGES]),
        .load_i     (load_i[2 +: SUB_STAGES]),
        .config_i   (config_i[SUB_LSB+j*SUB_BITS +: SUB_BITS]),
        .in_valid_i (to_sub_valid[j*S +: S]),
        .in_flit_i  (to_sub_flit[j*S*FLIT_W +: S*FLIT_W]),
        .out_valid_o(from_sub_valid[j*S +: S]),
        .out_flit_o (from_sub_flit[j*S*FLIT_W +: S*FLIT_W])
      );
      for (genvar i = 0; i < S; i = i + 1) begin : gen_wire
        assign d_valid[i*M+j] = from_sub_valid[j*S+i];
        assign d_flit[(i*M+j)*FLIT_W +: FLIT_W] = from_sub_flit[(j*S+i)*FLIT_W +: FLIT_W];
      end
    end

    for (genvar i = 0; i < R; i = i + 1) begin : gen_edge
      logic [M-1:0]        r_valid;
      logic [M*FLIT_W-1:0] r_flit;

      fred_r_uswitch_two_stage #(
        .OUTPUTS(M),
        .LANES  (LANES),
        .FORMAT (FORMAT),
        .KEY_LSB(fred_pkg::PATH_LSB + 2 * LEVEL)
      ) i_r_uswitch (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[1:0]),
        .load_i     (load_i[0]),
        .config_i   (config_i[i*R_BITS +: R_BITS]),
        .in_valid_i (in_valid_i[2*i +: 2]),
        .in_flit_i  (in_flit_i[2*i*FLIT_W +: 2*FLIT_W]),
        .out_valid_o(r_valid),
        .out_flit_o (r_flit)
      );
      for (genvar j = 0; j < M; j = j + 1) begin : gen_wire
        assign to_sub_valid[j*S+i] = r_valid[j];
        assign to_sub_flit[(j*S+i)*FLIT_W +: FLIT_W] = r_flit[j*FLIT_W +: FLIT_W];
      end
    end

    if (P % 2 == 1) begin : gen_last_port
      logic [M-1:0]      first_valid, second_valid;
      logic [FLIT_W-1:0] first_flit, second_flit;

      fred_port_demux #(.M(M), .LANES(LANES), .LEVEL(LEVEL)) i_demux (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[0]),
        .load_i     (load_i[0]),
        .config_i   (config_i[R*R_BITS +: SEL_W]),
        .in_valid_i (in_valid_i[P-1]),
        .in_flit_i  (in_flit_i[(P-1)*FLIT_W +: FLIT_W]),
        .out_valid_o(first_valid),
        .out_flit_o (first_flit)
      );
      fred_flit_stage #(.OUTPUTS(M), .LANES(LANES)) i_stage (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[1]),
        .in_valid_i (first_valid),
        .in_flit_i  (first_flit),
        .out_valid_o(second_valid),
        .out_flit_o (second_flit)
      );
      for (genvar j = 0; j < M; j = j + 1) begin : gen_wire
        assign to_sub_valid[j*S+R] = second_valid[j];
        assign to_sub_flit[(j*S+R)*FLIT_W +: FLIT_W] = second_flit;
      end
    end

    // ---- D-µSwitches and the last multiplexer, output by output ---------------------------------
    for (genvar p = 0; p < P; p = p + 1) begin : gen_output
      // The bits of a D-µSwitch's two outputs are neighbours; the odd last output is side 0 of its
      // pair.
      if (LEVEL % fred_pkg::d_levels(2) == 0) begin : gen_stage
        fred_port_mux #(.M(M), .LANES(LANES), .LEVEL(LEVEL), .SIDE(p % 2 == 1)) i_mux (
          .clk_i,
          .rst_ni,
          .step_i     (step_i[STAGES-1]),
          .load_i     (load_i[STAGES-1]),
          .config_i   (config_i[D_LSB+p*SEL_W +: SEL_W]),
          .in_valid_i (d_valid[(p/2)*M +: M]),
          .in_flit_i  (d_flit[(p/2)*M*FLIT_W +: M*FLIT_W]),
          .out_valid_o(out_valid_o[p]),
          .out_flit_o (out_flit_o[p*FLIT_W +: FLIT_W])
        );
      end else begin : gen_logic
        fred_port_select #(.M(M), .LANES(LANES), .LEVEL(LEVEL), .SIDE(p % 2 == 1)) i_select (
          .clk_i,
          .rst_ni,
          .load_i     (load_i[STAGES-1]),
          .config_i   (config_i[D_LSB+p*SEL_W +: SEL_W]),
          .in_valid_i (d_valid[(p/2)*M +: M]),
          .in_flit_i  (d_flit[(p/2)*M*FLIT_W +: M*FLIT_W]),
          .out_valid_o(out_valid_o[p]),
          .out_flit_o (out_flit_o[p*FLIT_W +: FLIT_W])
        );
      end
    end
    if (LEVEL % fred_pkg::d_levels(2) != 0) begin : gen_no_stage
      logic unused_step;
      assign unused_step = step_i[STAGES-1];
    end
  end
endmodule
