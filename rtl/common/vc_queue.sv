// SPDX-License-Identifier: Apache-2.0
// Queue control of one virtual channel of a vc_buffer: slots in use, and the sidebands of its first
// flits.
//
// Timing: as vc_buffer. push_i and pop_i at an edge are always executed; the parent does not push
//   while full_o is high, nor pop while valid_o is low (asserted). The slot of a popped flit is
//   free one edge later, when the flit has been read.
// Slots: LAST - DEPTH + 1 to LAST of the parent's memory, as a ring: tail_o is the slot of a flit
//   that arrives at this edge, head_o the slot of the head-of-line flit.
// Sidebands: registers hold the sidebands of the first flits, KNOWN at most; the memory holds all
//   later ones. A new sideband goes to the registers if the memory holds none, otherwise to the
//   memory. The memory is read at an edge if fewer than KNOWN sidebands are in registers or in
//   flight before it. KNOWN is three because a pop affects the reads one edge later and a read
//   completes two edges later.
// BIST (bist_i, bist_fail_o): see bist_ram.
module vc_queue #(
  /// sideband width in bits
  parameter int unsigned SIDE_W = 16,
  /// depth in flits
  parameter int unsigned DEPTH = 48,
  /// last slot
  parameter int unsigned LAST = DEPTH - 1,
  /// width of a slot index
  parameter int unsigned SLOT_W = 6,
  /// 1: adds BIST to the memory
  parameter int unsigned BIST = 0
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       push_i,
  input  logic [SIDE_W-1:0]          side_i,
  input  logic                       pop_i,
  output logic                       valid_o,
  output logic [SIDE_W-1:0]          side_o,
  output logic                       full_o,
  output logic [SLOT_W-1:0]          tail_o,
  output logic [SLOT_W-1:0]          head_o,
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic                       bist_fail_o
);
  localparam int unsigned KNOWN = 3;
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1);
  localparam int unsigned ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1;
  localparam bit [SLOT_W-1:0] FIRST_SLOT = SLOT_W'(LAST + 1 - DEPTH);
  localparam bit [SLOT_W-1:0] LAST_SLOT = SLOT_W'(LAST);

  logic [COUNT_W-1:0]      used_q;    // slots in use
  logic                    popped_q;
  logic [SLOT_W-1:0]       head_q, tail_q;
  logic                    full_q;
  logic [KNOWN*SIDE_W-1:0] side_q;    // head-of-line flit first
  logic [KNOWN:0]          known_q;   // one-hot: number of known sidebands
  logic [COUNT_W-1:0]      unread_q;  // sidebands in the memory, not in flight
  logic                    read_q;    // a sideband is in flight
  logic [ADDR_W-1:0]       write_at_q, read_at_q;
  logic                    read, direct, write;
  logic [SIDE_W-1:0]       memory_side;

  // ------------------------------------------------------------------ sides
  always_comb begin : where_sides_go
    logic known_full;  // known_q with the sideband in flight
    known_full = known_q[KNOWN] || (known_q[KNOWN-1] && read_q);
    read = 1'b0;
    direct = 1'b0;
    write = 1'b0;
    if (unread_q != '0) read = !known_full;
    if (push_i) begin
      direct = unread_q == '0 && (pop_i || !known_full);
      write = !direct;
    end
  end

  if (DEPTH > KNOWN) begin : gen_memory
    bist_ram #(.WIDTH(SIDE_W), .DEPTH(DEPTH), .BIST(BIST)) i_sides (
      .clk_i,
      .write_i(write),
      .waddr_i(write_at_q),
      .wdata_i(side_i),
      .read_i (read),
      .raddr_i(read_at_q),
      .rdata_o(memory_side),
      .bist_i,
      .fail_o (bist_fail_o)
    );
  end else begin : gen_no_memory
    logic unused_bist;
    assign unused_bist = &{1'b0, bist_i};
    assign memory_side = '0;
    assign bist_fail_o = 1'b0;
  end

  always_ff @(posedge clk_i) begin : sides
    logic [KNOWN:0] after_pop, after_read;
    if (!rst_ni) begin
      known_q <= (KNOWN + 1)'(1);
      unread_q <= '0;
      read_q <= 1'b0;
      write_at_q <= '0;
      read_at_q <= '0;
    end else if (push_i || pop_i || read_q || read) begin
      after_pop = pop_i ? known_q >> 1 : known_q;
      after_read = read_q ? after_pop << 1 : after_pop;
      known_q <= direct ? after_read << 1 : after_read;
      read_q <= read;
      unread_q <= unread_q + COUNT_W'(write) - COUNT_W'(read);
      if (write) write_at_q <= (write_at_q == ADDR_W'(DEPTH - 1)) ? '0 : write_at_q + ADDR_W'(1);
      if (read) read_at_q <= (read_at_q == ADDR_W'(DEPTH - 1)) ? '0 : read_at_q + ADDR_W'(1);
      if (pop_i) side_q[0 +: (KNOWN-1)*SIDE_W] <= side_q[SIDE_W +: (KNOWN-1)*SIDE_W];
      for (int unsigned i = 0; i < KNOWN; i++) begin
        if (read_q && after_pop[i]) side_q[SIDE_W*i +: SIDE_W] <= memory_side;
        if (direct && after_read[i]) side_q[SIDE_W*i +: SIDE_W] <= side_i;
      end
    end
  end

  // ------------------------------------------------------------------ slots
  always_ff @(posedge clk_i) begin : slots
    if (!rst_ni) begin
      used_q <= '0;
      full_q <= 1'b0;
      popped_q <= 1'b0;
      head_q <= FIRST_SLOT;
      tail_q <= FIRST_SLOT;
    end else if (push_i || pop_i || popped_q) begin
      popped_q <= pop_i;
      if (push_i) tail_q <= (tail_q == LAST_SLOT) ? FIRST_SLOT : tail_q + SLOT_W'(1);
      if (pop_i) head_q <= (head_q == LAST_SLOT) ? FIRST_SLOT : head_q + SLOT_W'(1);
      used_q <= used_q + COUNT_W'(push_i) - COUNT_W'(popped_q);
      full_q <= (full_q || (push_i && used_q == COUNT_W'(DEPTH - 1))) && !popped_q;
    end
  end

  assign valid_o = !known_q[0];
  assign side_o = side_q[SIDE_W-1:0];
  assign full_o = full_q;
  assign head_o = head_q;
  assign tail_o = tail_q;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && (push_i || pop_i)) begin
      push_has_room: assert (!push_i || !full_q);
      pop_takes_a_hol: assert (!pop_i || valid_o);
      full_is_all_slots_in_use: assert (full_q == (32'(used_q) == DEPTH));
      hol_where_flits_are: assert (valid_o == (used_q != COUNT_W'(popped_q)));
      known_is_one_hot: assert (known_q != '0 && (known_q & (known_q - (KNOWN + 1)'(1))) == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      all_slots_in_use: cover (full_q);
      pop_of_a_full_queue: cover (full_q && pop_i);
      side_to_the_memory: cover (write);
      side_read_while_one_is_popped: cover (read_q && pop_i);
      side_comes_while_one_is_read: cover (read_q && direct);
      push_and_pop: cover (push_i && pop_i);
    end
  end
endmodule
