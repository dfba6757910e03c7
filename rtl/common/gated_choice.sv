// SPDX-License-Identifier: Apache-2.0
// Registers that load one of four words or hold, behind clock gates as in gated_registers.
//
// Function: at an edge q_o loads the word of the highest bit set in load_i, and holds if no bit is
//   set. No reset. In simulation only the loaded word is read.
module gated_choice #(
  /// Word width in bits.
  parameter int unsigned WIDTH = 128
) (
  input  logic             clk_i,
  input  logic [3:0]       load_i,
  input  logic [WIDTH-1:0] d0_i,
  input  logic [WIDTH-1:0] d1_i,
  input  logic [WIDTH-1:0] d2_i,
  input  logic [WIDTH-1:0] d3_i,
  output logic [WIDTH-1:0] q_o
);
`ifdef FREDSIM_CLOCK_GATES
  logic [WIDTH-1:0] d;

  always_comb begin : choose
    d = d0_i;
    if (load_i[3]) d = d3_i;
    else if (load_i[2]) d = d2_i;
    else if (load_i[1]) d = d1_i;
  end

  gated_registers #(.WIDTH(WIDTH)) i_registers (
    .clk_i,
    .en_i     (load_i != '0),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (d),
    .q_o
  );
`else
  always_ff @(posedge clk_i) begin
    if (load_i[3]) q_o <= d3_i;
    else if (load_i[2]) q_o <= d2_i;
    else if (load_i[1]) q_o <= d1_i;
    else if (load_i[0]) q_o <= d0_i;
  end
`endif
endmodule
