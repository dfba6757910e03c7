// SPDX-License-Identifier: Apache-2.0
// Asynchronous FIFO between two clock domains, with Gray-coded pointers.
//
// Write side (wclk_i): write_i at an edge stores wdata_i; allowed only if free_o is not zero
//   (asserted). free_o, from registers, counts free places; the places of recently read words may
//   be missing, and it never counts a place too many.
// Read side (rclk_i): rdata_o is the oldest word while valid_o is high, from registers through a
//   multiplexer; read_i at an edge removes it, allowed only while valid_o is high (asserted).
// Timing: a word written at an edge is on rdata_o after the second edge of rclk_i that samples its
//   write pointer. Its place is counted in free_o again after the second edge of wclk_i that
//   samples the read pointer. With equal clocks in any phase six places sustain one word per cycle;
//   eight are needed if every synchroniser samples a changing bit.
// Crossing: the pointers go through `synchroniser`, whose constraints hold for wgray_q and rgray_q.
//   Words cross without synchronisers: a word is written before its pointer leaves and stays until
//   the read pointer has come back. The paths from word_q to rclk_i therefore need a maximum delay
//   of one period of rclk_i, and no other constraint.
// Storage: registers, not a memory: words are written in one domain and read in the other.
// Reset: one per side, synchronous. Both are asserted together and may end at any time: words
//   written before the read side leaves reset wait.
module async_fifo #(
  /// word width in bits
  parameter int unsigned WIDTH = 32,
  /// words, a power of two, 2 or more
  parameter int unsigned DEPTH = 8,
  /// width of a word count, derived
  localparam int unsigned COUNT_W = $clog2(DEPTH) + 1
) (
  // write side
  input  logic               wclk_i,
  input  logic               wrst_ni,
  input  logic               write_i,
  input  logic [WIDTH-1:0]   wdata_i,
  output logic [COUNT_W-1:0] free_o,
  // read side
  input  logic               rclk_i,
  input  logic               rrst_ni,
  input  logic               read_i,
  output logic               valid_o,
  output logic [WIDTH-1:0]   rdata_o
);
  if (DEPTH < 2 || DEPTH != 1 << $clog2(DEPTH)) begin : gen_range
    $fatal(1, "async_fifo: found DEPTH=%0d; allowed: a power of two, 2 or more", DEPTH);
  end

  localparam int unsigned ADDR_W = COUNT_W - 1;

  function automatic logic [COUNT_W-1:0] gray(input logic [COUNT_W-1:0] binary);
    gray = binary ^ (binary >> 1);
  endfunction

  function automatic logic [COUNT_W-1:0] binary(input logic [COUNT_W-1:0] gray_code);
    binary = gray_code;
    for (int unsigned shift = 1; shift < COUNT_W; shift = shift * 2) binary = binary ^ (binary >> shift);
  endfunction

  // ------------------------------------------------------------------ write side
  logic [COUNT_W-1:0]     wpointer_q, wpointer_d, wgray_q, rgray_here, used;
  logic [DEPTH*WIDTH-1:0] word_q;

  assign wpointer_d = wpointer_q + COUNT_W'(write_i);
  assign used = wpointer_q - binary(rgray_here);
  assign free_o = COUNT_W'(DEPTH) - used;

  synchroniser #(.WIDTH(COUNT_W)) i_read_pointer (.clk_i(wclk_i), .rst_ni(wrst_ni), .d_i(rgray_q), .q_o(rgray_here));

  always_ff @(posedge wclk_i) begin
    wpointer_q <= wrst_ni ? wpointer_d : '0;
    wgray_q <= wrst_ni ? gray(wpointer_d) : '0;
  end

  for (genvar i = 0; i < DEPTH; i++) begin : gen_word
    always_ff @(posedge wclk_i) begin
      if (write_i && wpointer_q[ADDR_W-1:0] == ADDR_W'(i)) word_q[i*WIDTH +: WIDTH] <= wdata_i;
    end
  end

  // ------------------------------------------------------------------ read side
  logic [COUNT_W-1:0] rpointer_q, rpointer_d, rgray_q, wgray_here;

  assign rpointer_d = rpointer_q + COUNT_W'(read_i);
  assign valid_o = wgray_here != rgray_q;
  assign rdata_o = word_q[32'(rpointer_q[ADDR_W-1:0])*WIDTH +: WIDTH];

  synchroniser #(.WIDTH(COUNT_W)) i_write_pointer (.clk_i(rclk_i), .rst_ni(rrst_ni), .d_i(wgray_q), .q_o(wgray_here));

  always_ff @(posedge rclk_i) begin
    rpointer_q <= rrst_ni ? rpointer_d : '0;
    rgray_q <= rrst_ni ? gray(rpointer_d) : '0;
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge wclk_i) begin : write_assertions
    if (wrst_ni) begin
      write_has_room: assert (!write_i || free_o != '0);
      no_more_words_than_places: assert (32'(used) <= DEPTH);
      one_bit_of_the_write_pointer_changes: assert ($countones(gray(wpointer_d) ^ wgray_q) <= 1);
    end
  end
  always_ff @(posedge rclk_i) begin : read_assertions
    if (rrst_ni) begin
      read_takes_a_word: assert (!read_i || valid_o);
      no_more_words_than_were_written: assert (32'(COUNT_W'(binary(wgray_here) - rpointer_q)) <= DEPTH);
      one_bit_of_the_read_pointer_changes: assert ($countones(gray(rpointer_d) ^ rgray_q) <= 1);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge wclk_i) begin : covers
    if (wrst_ni) begin
      all_places_in_use: cover (free_o == '0);
      written_while_words_wait: cover (write_i && used != '0);
    end
  end
endmodule
