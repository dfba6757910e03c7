// SPDX-License-Identifier: Apache-2.0
// RD-µSwitch (2 x 2), the base case Fred_m(2): reduces and distributes (paper §4).
//
// Function: every output selects nothing, input 0, input 1 or the sum by its own 2-bit code; both
//   outputs with the same code distribute. This is exactly an R-µSwitch with two outputs: see
//   fred_r_uswitch.sv for timing, reset, clock enable, configuration loading and online unicasts
//   (which name one bit of their output port here).
module fred_rd_uswitch #(
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: fred_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Levels of middle sub-networks around this one.
  parameter int unsigned LEVEL = 0,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          step_i,
  // configuration: code of output k in bits [2k+1:2k]
  input  logic                          load_i,
  input  logic [2*fred_pkg::USEL_W-1:0] config_i,
  // flits
  input  logic [1:0]                    in_valid_i,
  input  logic [2*FLIT_W-1:0]           in_flit_i,
  output logic [1:0]                    out_valid_o,
  output logic [2*FLIT_W-1:0]           out_flit_o
);
  fred_r_uswitch #(
    .OUTPUTS(2),
    .LANES  (LANES),
    .FORMAT (FORMAT),
    .KEY_LSB(fred_pkg::OUT_LSB + LEVEL),
    .KEY_W  (1)
  ) i_r_uswitch (
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
endmodule
