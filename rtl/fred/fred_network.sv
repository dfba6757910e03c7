// SPDX-License-Identifier: Apache-2.0
// Recursive network Fred_m(P) (paper §4): the µSwitches and their wiring, without the control of
// the waves.
//
// Shape: P = 2: one RD-µSwitch. P > 2, with r = floor(P/2), s = ceil(P/2): r R-µSwitches, M
//   sub-networks Fred_m(s), r D-µSwitches. R-µSwitch i drives input i of every sub-network; output
//   i of every sub-network drives D-µSwitch i. P odd: the last input port drives input r of every
//   sub-network through a demultiplexer, and output r of every sub-network drives the last output
//   port through a multiplexer. Fred_m(3) is the odd case with r = 1.
// Configuration bits, least significant first: R-µSwitches, demultiplexer, sub-networks in order,
//   D-µSwitches, multiplexer (codes: sc_models/routing/fred_routing.h).
// Timing: STAGES register stages on every path, one per µSwitch, multiplexer or demultiplexer.
//   step_i and load_i have one bit per stage: stage s works, or copies its configuration, at this
//   edge.
// Online unicasts carry their own route: the sub-network of every level from their path field, then
//   the bits of their output port, the lowest bit at the outermost level (port p is port p / 2 of a
//   sub-network).
// Contract of step_i, load_i, reset and sums: see fred_r_uswitch.sv. fred_interconnect.sv wraps
//   this module and drives step_i and load_i; it is not meant as a top module (Verilator drops the
//   contents of a recursive top).
module fred_network #(
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
  localparam int unsigned STAGES = fred_pkg::stages(P, 1)
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
    fred_rd_uswitch #(.LANES(LANES), .FORMAT(FORMAT), .LEVEL(LEVEL)) i_rd_uswitch (
      .clk_i,
      .rst_ni,
      .step_i,
      .load_i,
      .config_i,
      .in_valid_i,
      .in_flit_i,
      .out_valid_o,
      .out_flit_o
    );
  end else begin : gen_level
    localparam int unsigned R = P / 2;
    localparam int unsigned S = (P + 1) / 2;
    localparam int unsigned SEL_W = fred_pkg::sel_w(M);
    localparam int unsigned R_BITS = M * fred_pkg::USEL_W;
    localparam int unsigned D_BITS = 2 * SEL_W;
    localparam int unsigned SUB_BITS = fred_pkg::config_bits(S, M);
    localparam int unsigned SUB_LSB = R * R_BITS + (P % 2) * SEL_W;
    localparam int unsigned D_LSB = SUB_LSB + M * SUB_BITS;

    // Wires between the edge stages and the sub-networks: flit of port i of sub-network j at j * S
    // + i.
    logic [M*S-1:0]        to_sub_valid, from_sub_valid;
    logic [M*S*FLIT_W-1:0] to_sub_flit, from_sub_flit;

    for (genvar j = 0; j < M; j = j + 1) begin : gen_sub
      fred_network #(.P(S), .M(M), .LANES(LANES), .FORMAT(FORMAT), .LEVEL(LEVEL + 1)) i_network (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[STAGES-2:1]),
        .load_i     (load_i[STAGES-2:1]),
        .config_i   (config_i[SUB_LSB+j*SUB_BITS +: SUB_BITS]),
        .in_valid_i (to_sub_valid[j*S +: S]),
        .in_flit_i  (to_sub_flit[j*S*FLIT_W +: S*FLIT_W]),
        .out_valid_o(from_sub_valid[j*S +: S]),
        .out_flit_o (from_sub_flit[j*S*FLIT_W +: S*FLIT_W])
      );
    end

    for (genvar i = 0; i < R; i = i + 1) begin : gen_edge
      logic [M-1:0]        r_valid, d_valid;
      logic [M*FLIT_W-1:0] r_flit, d_flit;

      fred_r_uswitch #(
        .OUTPUTS(M),
        .LANES  (LANES),
        .FORMAT (FORMAT),
        .KEY_LSB(fred_pkg::PATH_LSB + 2 * LEVEL)
      ) i_r_uswitch (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[0]),
        .load_i     (load_i[0]),
        .config_i   (config_i[i*R_BITS +: R_BITS]),
        .in_valid_i (in_valid_i[2*i +: 2]),
        .in_flit_i  (in_flit_i[2*i*FLIT_W +: 2*FLIT_W]),
        .out_valid_o(r_valid),
        .out_flit_o (r_flit)
      );

      fred_d_uswitch #(.M(M), .LANES(LANES), .LEVEL(LEVEL)) i_d_uswitch (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[STAGES-1]),
        .load_i     (load_i[STAGES-1]),
        .config_i   (config_i[D_LSB+i*D_BITS +: D_BITS]),
        .in_valid_i (d_valid),
        .in_flit_i  (d_flit),
        .out_valid_o(out_valid_o[2*i +: 2]),
        .out_flit_o (out_flit_o[2*i*FLIT_W +: 2*FLIT_W])
      );

      for (genvar j = 0; j < M; j = j + 1) begin : gen_wire
        assign to_sub_valid[j*S+i] = r_valid[j];
        assign to_sub_flit[(j*S+i)*FLIT_W +: FLIT_W] = r_flit[j*FLIT_W +: FLIT_W];
        assign d_valid[j] = from_sub_valid[j*S+i];
        assign d_flit[j*FLIT_W +: FLIT_W] = from_sub_flit[(j*S+i)*FLIT_W +: FLIT_W];
      end
    end

    if (P % 2 == 1) begin : gen_last_port
      logic [M-1:0]        demux_valid, mux_valid;
      logic [FLIT_W-1:0]   demux_flit;
      logic [M*FLIT_W-1:0] mux_flit;

      fred_port_demux #(.M(M), .LANES(LANES), .LEVEL(LEVEL)) i_demux (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[0]),
        .load_i     (load_i[0]),
        .config_i   (config_i[R*R_BITS +: SEL_W]),
        .in_valid_i (in_valid_i[P-1]),
        .in_flit_i  (in_flit_i[(P-1)*FLIT_W +: FLIT_W]),
        .out_valid_o(demux_valid),
        .out_flit_o (demux_flit)
      );

      fred_port_mux #(.M(M), .LANES(LANES), .LEVEL(LEVEL)) i_mux (
        .clk_i,
        .rst_ni,
        .step_i     (step_i[STAGES-1]),
        .load_i     (load_i[STAGES-1]),
        .config_i   (config_i[D_LSB+R*D_BITS +: SEL_W]),
        .in_valid_i (mux_valid),
        .in_flit_i  (mux_flit),
        .out_valid_o(out_valid_o[P-1]),
        .out_flit_o (out_flit_o[(P-1)*FLIT_W +: FLIT_W])
      );

      for (genvar j = 0; j < M; j = j + 1) begin : gen_wire
        assign to_sub_valid[j*S+R] = demux_valid[j];
        assign to_sub_flit[(j*S+R)*FLIT_W +: FLIT_W] = demux_flit;
        assign mux_valid[j] = from_sub_valid[j*S+R];
        assign mux_flit[j*FLIT_W +: FLIT_W] = from_sub_flit[(j*S+R)*FLIT_W +: FLIT_W];
      end
    end
  end
endmodule
