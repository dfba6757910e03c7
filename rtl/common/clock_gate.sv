// SPDX-License-Identifier: Apache-2.0
// Integrated clock-gating cell: a wrapper, to be replaced by the cell of a library.
//
// Contract: clk_o has the pulses of clk_i whose rising edge finds en_i or test_en_i high. The enable is taken by a
//   latch that is open while the clock is low, so clk_o has no glitch, whatever en_i does while the clock is high.
// Timing: en_i settles before the rising edge of clk_i by the time through the latch, and holds until the latch is
//   closed.
// Use: by gated_registers, where FREDSIM_CLOCK_GATES is defined.
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
