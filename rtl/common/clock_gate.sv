// SPDX-License-Identifier: Apache-2.0
// Integrated clock-gating cell: a wrapper, to be replaced by a library cell.
//
// Function: clk_o has the pulses of clk_i at whose rising edge en_i or test_en_i is high. A latch
//   that is transparent while the clock is low samples the enable, so clk_o is free of glitches
//   even if en_i changes while the clock is high.
// Timing: en_i has to be stable one latch delay before the rising edge of clk_i, and has to hold
//   until the latch has closed.
// Use: in gated_registers, if FREDSIM_CLOCK_GATES is defined.
module clock_gate (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);
  logic open_q;

  always_latch begin : latch
    if (!clk_i) open_q = en_i || test_en_i;
  end

  assign clk_o = clk_i && open_q;
endmodule
