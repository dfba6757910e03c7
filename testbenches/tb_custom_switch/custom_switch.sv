// SPDX-License-Identifier: Apache-2.0
// Worked example of a user's own switch: a fred_switch with one more register at every input port,
// as a long path from the chip's edge to the buffers would need. Parameters and ports are those of
// fred_switch except for its memory test, so every command takes it; its cost shows in the cycles
// of a collective.
//
// Timing: as fred_switch, but a flit on in_flit_i at edge e is in the input buffer after e + 1.
// Contract kept: outputs are functions of registers; idle_o is low while a flit is in the new
//   register.
module custom_switch #(
  /// number of ports
  parameter int unsigned P = 4,
  /// number of middle sub-networks
  parameter int unsigned M = 3,
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// input buffer depth of each data VC, in flits
  parameter int unsigned VC_DEPTH = 48,
  /// input buffer of the control VC in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// output staging of each VC in flits
  parameter int unsigned OUT_DEPTH = 24,
  /// lane format: 0 FP16, 1 BF16
  parameter int unsigned FORMAT = 0,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [P-1:0]                   in_valid_i,
  input  logic [P*FLIT_W-1:0]            in_flit_i,
  output logic [VCS*P-1:0]               in_credit_o,
  output logic [P-1:0]                   out_valid_o,
  output logic [P*FLIT_W-1:0]            out_flit_o,
  input  logic [P-1:0]                   out_ready_i,
  input  logic [VCS*P-1:0]               out_credit_i,
  input  logic                           reg_valid_i,
  input  logic                           reg_write_i,
  input  logic [noc_pkg::REG_ADDR_W-1:0] reg_addr_i,
  input  logic [31:0]                    reg_wdata_i,
  output logic [31:0]                    reg_rdata_o,
  output logic                           idle_o,
  output logic [31:0]                    error_o
);
  logic [P-1:0]        valid_q;
  logic [P*FLIT_W-1:0] flit_q;
  logic                switch_idle;

  // No memory test in here.
  logic [bist_pkg::BUS_W-1:0] no_bist;
  logic [2*P+1:0]             unused_bist_fail;
  assign no_bist = '0;

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? in_valid_i : '0;
    if (in_valid_i != '0) flit_q <= in_flit_i;
  end

  fred_switch #(
    .P         (P),
    .M         (M),
    .LANES     (LANES),
    .VC_DEPTH  (VC_DEPTH),
    .CTRL_DEPTH(CTRL_DEPTH),
    .OUT_DEPTH (OUT_DEPTH),
    .FORMAT    (FORMAT)
  ) i_switch (
    .clk_i,
    .rst_ni,
    .in_valid_i (valid_q),
    .in_flit_i  (flit_q),
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
    .idle_o     (switch_idle),
    .error_o,
    .bist_i     (no_bist),
    .bist_fail_o(unused_bist_fail)
  );

  assign idle_o = switch_idle && valid_q == '0;
endmodule
