// SPDX-License-Identifier: Apache-2.0
// Synchronous memory with one write port and one read port. Every memory is inferred here; a chip
// puts its own macro here.
//
// Timing: a write at an edge is visible to reads at later edges. rdata_o follows the edge that
//   samples read_i and holds until the next read. A read and a write of the same word at the same
//   edge are not allowed (asserted).
// Reset: none. A word that was never written is zero in simulation and unknown in silicon.
module flit_ram #(
  /// word width in bits
  parameter int unsigned WIDTH = 32,
  /// words, 1 or more
  parameter int unsigned DEPTH = 16,
  /// address width in bits, derived
  localparam int unsigned ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  logic              clk_i,
  input  logic              write_i,
  input  logic [ADDR_W-1:0] waddr_i,
  input  logic [WIDTH-1:0]  wdata_i,
  input  logic              read_i,
  input  logic [ADDR_W-1:0] raddr_i,
  output logic [WIDTH-1:0]  rdata_o
);
  logic [WIDTH-1:0] mem_q [DEPTH];

  always_ff @(posedge clk_i) begin
    if (write_i) mem_q[waddr_i] <= wdata_i;
    if (read_i) rdata_o <= mem_q[raddr_i];
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (write_i) write_within_depth: assert (32'(waddr_i) < DEPTH);
    if (read_i) begin
      read_within_depth: assert (32'(raddr_i) < DEPTH);
      no_read_of_a_word_being_written: assert (!write_i || raddr_i != waddr_i);
    end
  end
endmodule
