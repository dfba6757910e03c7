// SPDX-License-Identifier: Apache-2.0
// Abstraction of `async_fifo`: the properties that async_fifo_proof proves, without Gray codes.
// Each side sees the word count of the other one late, by any number of edges, and never sees it
// decrease.
module async_fifo #(
  /// word width in bits
  parameter int unsigned WIDTH = 32,
  /// words, a power of two
  parameter int unsigned DEPTH = 8,
  /// bits of a number of words, derived
  localparam int unsigned COUNT_W = $clog2(DEPTH) + 1
) (
  input  logic               wclk_i,
  input  logic               wrst_ni,
  input  logic               write_i,
  input  logic [WIDTH-1:0]   wdata_i,
  output logic [COUNT_W-1:0] free_o,
  input  logic               rclk_i,
  input  logic               rrst_ni,
  input  logic               read_i,
  output logic               valid_o,
  output logic [WIDTH-1:0]   rdata_o
);
  localparam int unsigned ADDR_W = COUNT_W - 1;

  // Words written or read that are newly seen at the next edge.
  (* anyseq *) logic [COUNT_W-1:0] more_written, more_read;
  logic [COUNT_W-1:0]     written_q, read_q, written_seen_q, read_seen_q;
  logic [DEPTH*WIDTH-1:0] word_q;

  assign free_o = COUNT_W'(DEPTH) - (written_q - read_seen_q);
  assign valid_o = written_seen_q != read_q;
  assign rdata_o = word_q[32'(read_q[ADDR_W-1:0])*WIDTH +: WIDTH];

  always_comb begin : late
    assume (more_written <= written_q - written_seen_q);
    assume (more_read <= read_q - read_seen_q);
  end

  always_ff @(posedge wclk_i) begin
    written_q <= wrst_ni ? written_q + COUNT_W'(write_i) : '0;
    read_seen_q <= wrst_ni ? read_seen_q + more_read : '0;
    for (int unsigned i = 0; i < DEPTH; i++) begin
      if (write_i && written_q[ADDR_W-1:0] == ADDR_W'(i)) word_q[i*WIDTH +: WIDTH] <= wdata_i;
    end
  end
  always_ff @(posedge rclk_i) begin
    read_q <= rrst_ni ? read_q + COUNT_W'(read_i) : '0;
    written_seen_q <= rrst_ni ? written_seen_q + more_written : '0;
  end

  always_ff @(posedge wclk_i) if (wrst_ni) write_has_room: assert (!write_i || free_o != '0);
  always_ff @(posedge rclk_i) if (rrst_ni) read_takes_a_word: assert (!read_i || valid_o);
endmodule
