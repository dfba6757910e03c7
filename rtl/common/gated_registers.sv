// SPDX-License-Identifier: Apache-2.0
// Registers that load when they are enabled, with a clock gate for every GROUP of them.
//
// Contract: at an edge with en_i or test_en_i high q_o takes d_i, at others it holds. No reset.
// Two forms, the same at every edge (tests/synth/clock_gates_test.py proves it): with FREDSIM_CLOCK_GATES defined, as
//   scripts/synth.sh has it, registers behind clock gates; else registers with an enable, which cost a simulator least.
// test_en_i: opens all gates. A design without scan chains ties it low; the tool that puts in the chains connects it.
module gated_registers #(
  /// Registers.
  parameter int unsigned WIDTH = 128,
  /// Registers that a clock gate drives, at most.
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
