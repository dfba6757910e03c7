// SPDX-License-Identifier: Apache-2.0
// Device under test of tb_fred_interconnect: fred_interconnect with ports of one width for all
// shapes, so that one C++ interface (dut.h) drives every Verilated size.
module tb_fred_interconnect_top #(
  /// Number of ports.
  parameter int unsigned P = 12,
  /// Middle sub-networks.
  parameter int unsigned M = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: noc_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Register stages of an adder.
  parameter int unsigned ADDER_STAGES = 1,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Configuration in whole 32-bit words, never less than three, derived.
  localparam int unsigned CONFIG_W = 96 + (fred_pkg::config_bits(P, M) / 32) * 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                load_i,
  input  logic [CONFIG_W-1:0] config_i,
  input  logic [31:0]         in_valid_i,
  input  logic [P*FLIT_W-1:0] in_flit_i,
  output logic [31:0]         out_valid_o,
  output logic [P*FLIT_W-1:0] out_flit_o,
  output logic                busy_o
);
  logic [P-1:0] out_valid;

  fred_interconnect #(.P(P), .M(M), .LANES(LANES), .FORMAT(FORMAT), .ADDER_STAGES(ADDER_STAGES)) i_dut (
    .clk_i,
    .rst_ni,
    .load_i,
    .config_i   (config_i[fred_pkg::config_bits(P, M)-1:0]),
    .in_valid_i (in_valid_i[P-1:0]),
    .in_flit_i,
    .out_valid_o(out_valid),
    .out_flit_o,
    .busy_o
  );

  assign out_valid_o = 32'(out_valid);

  // Unused bits of the common port widths in narrower shapes.
  logic unused;
  assign unused = ^{config_i, in_valid_i};
endmodule
