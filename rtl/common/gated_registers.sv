// SPDX-License-Identifier: Apache-2.0
// Registers with a load enable, and a clock gate for every GROUP of them.
//
// Function: at an edge with en_i or test_en_i high q_o loads d_i; otherwise it holds. No reset.
// Variants, equal at every edge (proved by tests/synth/clock_gates_test.py): with
//   FREDSIM_CLOCK_GATES defined, as scripts/synth.sh does, registers behind clock gates; otherwise
//   registers with an enable, which simulate fastest.
// test_en_i: opens all gates. A design without scan chains ties it low; the tool that inserts scan
//   chains connects it.
module gated_registers #(
  /// Number of registers.
  parameter int unsigned WIDTH = 128,
  /// Max registers per clock gate.
  parameter int unsigned GROUP = 32
) (
  input  logic             clk_i,
  input  logic             en_i,
  input  logic             test_en_i,
  input  logic [WIDTH-1:0] d_i,
  output logic [WIDTH-1:0] q_o
);
`ifdef FREDSIM_CLOCK_GATES
  for (genvar lsb = 0; lsb < WIDTH; lsb += GROUP) begin : gen_group
    localparam int unsigned BITS = (WIDTH - lsb < GROUP) ? WIDTH - lsb : GROUP;
    logic            clk;
    logic [BITS-1:0] group_q;

    clock_gate i_clock_gate (.clk_i, .en_i, .test_en_i, .clk_o(clk));
    always_ff @(posedge clk) group_q <= d_i[lsb +: BITS];
    assign q_o[lsb +: BITS] = group_q;
  end
`else
  always_ff @(posedge clk_i) begin
    if (en_i || test_en_i) q_o <= d_i;
  end
`endif
endmodule
