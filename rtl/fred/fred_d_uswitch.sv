// SPDX-License-Identifier: Apache-2.0
// D-µSwitch (M x 2), output side of Fred_m(P): routes, and can copy one input to both outputs (§4).
//
// Function: output k follows the input named by its own code: 0 = nothing, j + 1 = input j. Each
//   output is a registered multiplexer: see fred_port_mux.sv and fred_r_uswitch.sv for timing,
//   clock enable, loading and reset.
module fred_d_uswitch #(
  /// Number of inputs: M of Fred_m(P).
  parameter int unsigned M = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Levels of middle sub-networks around this one.
  parameter int unsigned LEVEL = 0,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Code width of one output, derived.
  localparam int unsigned SEL_W = fred_pkg::sel_w(M)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                step_i,
  // configuration: code of output k in bits [k*SEL_W +: SEL_W]
  input  logic                load_i,
  input  logic [2*SEL_W-1:0]  config_i,
  // flits
  input  logic [M-1:0]        in_valid_i,
  input  logic [M*FLIT_W-1:0] in_flit_i,
  output logic [1:0]          out_valid_o,
  output logic [2*FLIT_W-1:0] out_flit_o
);
  for (genvar k = 0; k < 2; k = k + 1) begin : gen_output
    fred_port_mux #(.M(M), .LANES(LANES), .LEVEL(LEVEL), .SIDE(k == 1)) i_mux (
      .clk_i,
      .rst_ni,
      .step_i,
      .load_i,
      .config_i   (config_i[k*SEL_W +: SEL_W]),
      .in_valid_i,
      .in_flit_i,
      .out_valid_o(out_valid_o[k]),
      .out_flit_o (out_flit_o[k*FLIT_W +: FLIT_W])
    );
  end
endmodule
