// SPDX-License-Identifier: Apache-2.0
// Proof of async_fifo: the n-th word read is the n-th word written, each once; free_o never exceeds
// the number of free places; a word is visible, and a place is free again, after the specified
// number of edges of each clock, so that nothing is lost.
//
// Environment: two clocks of any frequencies in any phase, also with simultaneous edges; flip-flops
//   that sample a changing bit (caught_synchroniser). Arbitrary writes while there is room, and
//   reads while there is a word. Resets as in two_resets.
module async_fifo_proof #(
  /// word width in bits
  parameter int unsigned WIDTH = 1,
  /// words
  parameter int unsigned DEPTH = 2
) (
  input logic             wclk_i,
  input logic             wrst_ni,
  input logic             write_i,
  input logic [WIDTH-1:0] wdata_i,
  input logic             rclk_i,
  input logic             rrst_ni,
  input logic             read_i,
  input logic             follow_i  // the word that is written
);
  localparam int unsigned W = $clog2(DEPTH) + 1;
  localparam int unsigned EDGES = 3;  // two, and one for a first flip-flop that was caught

  (* gclk *) logic moment;
  logic             on, valid, wreset, rreset;
  logic [W-1:0]     free;
  logic [WIDTH-1:0] rdata;

  async_fifo #(.WIDTH(WIDTH), .DEPTH(DEPTH)) i_dut (
    .wclk_i,
    .wrst_ni,
    .write_i,
    .wdata_i,
    .free_o (free),
    .rclk_i,
    .rrst_ni,
    .read_i,
    .valid_o(valid),
    .rdata_o(rdata)
  );

  two_resets i_resets (
    .a_clk_i  (wclk_i),
    .a_rst_ni (wrst_ni),
    .b_clk_i  (rclk_i),
    .b_rst_ni (rrst_ni),
    .on_o     (on),
    .a_reset_o(wreset),
    .b_reset_o(rreset)
  );

  always_comb begin : environment
    assume (!write_i || (on && wrst_ni && free != '0));
    assume (!read_i || (on && rrst_ni && valid));
  end

  // Words written and read; the word that is followed, and how many were before it.
  logic [W-1:0]     written_q, read_q, index_q, inside;
  logic             followed_q;
  logic [WIDTH-1:0] word_q;

  always_ff @(posedge wclk_i) begin
    if (!wrst_ni) begin
      written_q <= '0;
      followed_q <= 1'b0;
    end else if (write_i) begin
      written_q <= written_q + W'(1);
      if (!followed_q || W'(index_q - read_q) >= inside) begin  // none, or it was read
        followed_q <= follow_i;
        index_q <= written_q;
        word_q <= wdata_i;
      end
    end
  end
  always_ff @(posedge rclk_i) read_q <= rrst_ni ? read_q + W'(read_i) : '0;
  assign inside = written_q - read_q;

  // Free places left by the last edge, and a word that was shown.
  logic [W-1:0] left_q;
  logic         shown_q;
  always_ff @(posedge wclk_i) left_q <= wrst_ni ? free - W'(write_i) : '0;
  always_ff @(posedge rclk_i) shown_q <= rrst_ni && valid && !read_i;

  // Edges of each clock since the count of the other side changed: up to EDGES.
  logic [W-1:0] last_written_q, last_read_q;
  logic         wclk_q, rclk_q, wrst_q, rrst_q;
  logic [1:0]   wedges_q, redges_q, wedges, redges;

  always_comb begin
    redges = redges_q;
    wedges = wedges_q;
    if (rclk_i && !rclk_q && 32'(redges_q) < EDGES) redges = redges_q + 2'd1;
    if (wclk_i && !wclk_q && 32'(wedges_q) < EDGES) wedges = wedges_q + 2'd1;
    if (written_q != last_written_q || !rrst_q) redges = '0;
    if (read_q != last_read_q || !wrst_q) wedges = '0;
  end
  always_ff @(posedge moment) begin
    last_written_q <= written_q;
    last_read_q <= read_q;
    wclk_q <= wclk_i;
    rclk_q <= rclk_i;
    wrst_q <= wrst_ni;
    rrst_q <= rrst_ni;
    wedges_q <= wedges;
    redges_q <= redges;
  end

  (* hierconn *) logic [W-1:0] \i_dut.wpointer_q , \i_dut.wgray_q , \i_dut.rpointer_q , \i_dut.rgray_q ;
  (* hierconn *) logic [W-1:0] \i_dut.i_read_pointer.before_q , \i_dut.i_read_pointer.first_q ,
                               \i_dut.i_read_pointer.q_o ;
  (* hierconn *) logic [W-1:0] \i_dut.i_write_pointer.before_q , \i_dut.i_write_pointer.first_q ,
                               \i_dut.i_write_pointer.q_o ;
  (* hierconn *) logic [DEPTH*WIDTH-1:0] \i_dut.word_q ;
  logic [W-1:0]     read_first, read_here, written_first, written_here;
  logic [WIDTH-1:0] stored;

  gray_crossing #(.W(W)) i_written (
    .on_i    (on),
    .last_i  (read_q),
    .count_i (written_q),
    .gray_i  (i_dut.wgray_q),
    .before_i(i_dut.i_write_pointer.before_q),
    .first_i (i_dut.i_write_pointer.first_q),
    .second_i(i_dut.i_write_pointer.q_o),
    .first_o (written_first),
    .second_o(written_here)
  );
  gray_crossing #(.W(W)) i_read (
    .on_i    (on),
    .last_i  (written_q - W'(DEPTH)),
    .count_i (read_q),
    .gray_i  (i_dut.rgray_q),
    .before_i(i_dut.i_read_pointer.before_q),
    .first_i (i_dut.i_read_pointer.first_q),
    .second_i(i_dut.i_read_pointer.q_o),
    .first_o (read_first),
    .second_o(read_here)
  );
  assign stored = i_dut.word_q[WIDTH*32'(index_q % W'(DEPTH)) +: WIDTH];

  always_comb begin : assertions
    invariant_wreset: assert (!wreset || (left_q == '0 && written_q == '0 && i_dut.wpointer_q == '0 &&
                                          i_dut.wgray_q == '0 &&
                                          i_dut.i_read_pointer.first_q == '0 && i_dut.i_read_pointer.q_o == '0));
    invariant_rreset: assert (!rreset || (!shown_q && read_q == '0 && i_dut.rpointer_q == '0 && i_dut.rgray_q == '0 &&
                                          i_dut.i_write_pointer.first_q == '0 && i_dut.i_write_pointer.q_o == '0));
    if (on) begin
      invariant_pointers: assert (i_dut.wpointer_q == written_q && i_dut.rpointer_q == read_q && 32'(inside) <= DEPTH);
      invariant_shown: assert ((redges < 2'd2 || written_first == written_q) &&
                               (redges < 2'd3 || written_here == written_q));
      invariant_freed: assert ((wedges < 2'd2 || read_first == read_q) && (wedges < 2'd3 || read_here == read_q));
      invariant_followed: assert (!followed_q || W'(index_q - read_q) >= inside || stored == word_q);
      nothing_is_invented: assert (!valid || inside != '0);
      nothing_is_lost: assert (32'(redges) < EDGES || inside == '0 || valid);
      words_in_order: assert (!followed_q || inside == '0 || !valid || index_q != read_q || rdata == word_q);
      room_is_there: assert (32'(free) + 32'(inside) <= DEPTH);
      free_places_stay_free: assert (!wrst_q || !wrst_ni || free >= left_q);
      a_word_stays_until_it_is_read: assert (!rrst_q || !shown_q || valid);
      room_comes_back: assert (32'(wedges) < EDGES || 32'(free) + 32'(inside) == DEPTH);
    end
  end
endmodule
