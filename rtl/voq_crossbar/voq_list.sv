// SPDX-License-Identifier: Apache-2.0
// Virtual output queue of a voq_buffer: slots of its flits, oldest first, as a linked list.
//
// Operation: push_i at an edge appends a flit that is stored in push_slot_i. pop_i removes the
//   head-of-line flit. The slot of the head-of-line flit, and whether it is the last one of its
//   packet, are on slot_o and tail_o, from registers, while valid_o is high; several_o: there are
//   two flits or more.
// Handshake: pop_i only while valid_o is high (asserted), push_i never with more flits than DEPTH.
// Timing: a flit pushed into an empty queue is head-of-line after the edge. One flit can be pushed
//   and one popped at every edge: a head-of-line flit is never late.
// Links: the first flits, at most KNOWN, are in registers. Each later flit is found through the
//   link of the flit before it, a word of the parent's memory at the slot of that flit: slot of the
//   next flit, with the tail bit above. link_o, with push_i: the word of link_slot_o is to be
//   written with the pushed flit. read_o: the word of read_slot_o is to be read at this edge; it is
//   on read_link_i after it. KNOWN is three because a pop affects the reads one edge later and a
//   read completes two edges later.
module voq_list #(
  /// max flits
  parameter int unsigned DEPTH = 48,
  /// width of a slot index
  parameter int unsigned SLOT_W = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              push_i,
  input  logic [SLOT_W-1:0] push_slot_i,
  input  logic              push_tail_i,
  input  logic              pop_i,
  output logic              valid_o,
  output logic              several_o,
  output logic [SLOT_W-1:0] slot_o,
  output logic              tail_o,
  output logic              link_o,
  output logic [SLOT_W-1:0] link_slot_o,
  output logic              read_o,
  output logic [SLOT_W-1:0] read_slot_o,
  input  logic [SLOT_W:0]   read_link_i
);
  localparam int unsigned KNOWN = 3;
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1);
  localparam int unsigned W = SLOT_W + 1;  // a flit: slot, tail bit above

  logic [KNOWN*W-1:0] flit_q;    // head-of-line flit first
  logic [KNOWN:0]     known_q;   // one-hot: number of known flits
  logic [COUNT_W-1:0] behind_q;  // flits behind them, not in flight
  logic               behind_any_q;
  logic [SLOT_W-1:0]  last_q;    // slot of the flit that was pushed last
  logic               popped_q, reading_q;
  logic               direct;

  // With flits behind, the known ones, the one in flight and the one popped in the last cycle are
  // always three.
  assign read_o = popped_q && behind_any_q;
  assign read_slot_o = reading_q ? read_link_i[SLOT_W-1:0] : flit_q[W +: SLOT_W];
  assign direct = !behind_any_q && !known_q[KNOWN] && !(known_q[KNOWN-1] && reading_q);
  assign link_o = push_i && !direct;
  assign link_slot_o = last_q;

  always_ff @(posedge clk_i) begin : list
    logic [KNOWN:0]     after_pop, after_read;
    logic [COUNT_W-1:0] behind;
    if (!rst_ni) begin
      known_q <= (KNOWN + 1)'(1);
      behind_q <= '0;
      behind_any_q <= 1'b0;
      popped_q <= 1'b0;
      reading_q <= 1'b0;
    end else if (push_i || pop_i || popped_q || reading_q) begin
      after_pop = pop_i ? known_q >> 1 : known_q;
      after_read = reading_q ? after_pop << 1 : after_pop;
      known_q <= (push_i && direct) ? after_read << 1 : after_read;
      popped_q <= pop_i;
      reading_q <= read_o;
      behind = behind_q + COUNT_W'(link_o) - COUNT_W'(read_o);
      behind_q <= behind;
      behind_any_q <= behind != '0;
      if (push_i) last_q <= push_slot_i;
      if (pop_i) flit_q[0 +: (KNOWN-1)*W] <= flit_q[W +: (KNOWN-1)*W];
      for (int unsigned i = 0; i < KNOWN; i++) begin
        if (reading_q && after_pop[i]) flit_q[W*i +: W] <= read_link_i;
        if (push_i && direct && after_read[i]) flit_q[W*i +: W] <= {push_tail_i, push_slot_i};
      end
    end
  end

  assign valid_o = !known_q[0];
  assign several_o = known_q[3] || known_q[2] || (known_q[1] && (reading_q || behind_any_q));
  assign slot_o = flit_q[SLOT_W-1:0];
  assign tail_o = flit_q[SLOT_W];

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && (push_i || pop_i || read_o)) begin
      pop_takes_a_hol: assert (!pop_i || valid_o);
      fewer_behind_than_slots: assert (32'(behind_q) < DEPTH);
      known_is_one_hot: assert ($countones(known_q) == 1);
      hol_where_flits_are: assert (valid_o || (!behind_any_q && !reading_q));
      next_ones_are_known: assert (!behind_any_q ||
                                   (known_q << (2'(popped_q) + 2'(reading_q))) == (KNOWN + 1)'(1) << KNOWN);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      pop_and_push_of_one_flit: cover (push_i && pop_i && known_q[1] && !several_o);
      link_is_read_behind_one_just_read: cover (read_o && reading_q);
      comes_while_a_link_is_read: cover (push_i && direct && reading_q);
      pop_with_the_next_on_its_way: cover (pop_i && reading_q && known_q[1]);
    end
  end
endmodule
