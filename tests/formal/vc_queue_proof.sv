// SPDX-License-Identifier: Apache-2.0
// Proof of vc_queue: the sidebands of a queue leave once each and in order, none is late; each flit
// keeps the slot that it was given, which no other flit gets before it was read; full and valid
// agree with the number of flits.
//
// Environment: no push into a full queue, no pop without a head-of-line flit; a reset comes at any
//   time. One arbitrary flit in the queue is tracked; when it is out, another one may be.
module vc_queue_proof #(
  /// flits, 4 or 5: more than the sides that are in registers
  parameter int unsigned DEPTH = 5,
  /// bits of a side
  parameter int unsigned SIDE_W = 2
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              push_i,
  input logic [SIDE_W-1:0] side_i,
  input logic              pop_i,
  input logic              follow_i  // the flit that is pushed
);
  localparam int unsigned W = 4;      // bits of all numbers here
  localparam int unsigned FIRST = 2;  // slot
  localparam int unsigned KNOWN = 3;

  logic              started_q = 1'b0;
  logic              valid, full, unused_bist;
  logic [SIDE_W-1:0] side;
  logic [W-1:0]      tail, head;

  vc_queue #(.SIDE_W(SIDE_W), .DEPTH(DEPTH), .LAST(FIRST + DEPTH - 1), .SLOT_W(W)) i_dut (
    .clk_i,
    .rst_ni,
    .push_i,
    .side_i,
    .pop_i,
    .valid_o    (valid),
    .side_o     (side),
    .full_o     (full),
    .tail_o     (tail),
    .head_o     (head),
    .bist_i     ({bist_pkg::BUS_W{1'b0}}),
    .bist_fail_o(unused_bist)
  );

  // The flit that is followed: its side and slot, how many are before it; its slot while the flit
  // is being read.
  logic              followed_q, popped_q, reading_q;
  logic [SIDE_W-1:0] side_q;
  logic [W-1:0]      slot_q, before_q, count_q;

  always_comb begin : environment
    if (!started_q) assume (!rst_ni);
    else if (rst_ni) begin
      assume (!push_i || !full);
      assume (!pop_i || valid);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      followed_q <= 1'b0;
      popped_q <= 1'b0;
      reading_q <= 1'b0;
      count_q <= '0;
    end else begin
      popped_q <= pop_i;
      count_q <= count_q + W'(push_i) - W'(pop_i);
      reading_q <= followed_q && pop_i && before_q == '0;
      if (followed_q && pop_i) begin
        followed_q <= before_q != '0;
        before_q <= before_q - W'(1);
      end else if (!followed_q && !reading_q && push_i && follow_i) begin
        followed_q <= 1'b1;
        side_q <= side_i;
        slot_q <= tail;
        before_q <= count_q - W'(pop_i);
      end
    end
  end

  // Invariant of the module: positions of the sides.
  (* hierconn *) logic [KNOWN:0] \i_dut.known_q ;
  (* hierconn *) logic [KNOWN*SIDE_W-1:0] \i_dut.side_q ;
  (* hierconn *) logic [$clog2(DEPTH+1)-1:0] \i_dut.unread_q , \i_dut.used_q ;
  (* hierconn *) logic \i_dut.read_q ;
  (* hierconn *) logic [$clog2(DEPTH)-1:0] \i_dut.write_at_q , \i_dut.read_at_q ;
  (* hierconn *) logic [SIDE_W-1:0] \i_dut.memory_side ;
  (* hierconn *) logic [SIDE_W-1:0] \i_dut.gen_memory.i_sides.i_ram.mem_q[0] ,
                                    \i_dut.gen_memory.i_sides.i_ram.mem_q[1] ,
                                    \i_dut.gen_memory.i_sides.i_ram.mem_q[2] ,
                                    \i_dut.gen_memory.i_sides.i_ram.mem_q[3] ,
                                    \i_dut.gen_memory.i_sides.i_ram.mem_q[4] ;
  // A number below 2 * DEPTH, modulo DEPTH.
  function automatic logic [W-1:0] wrap(input logic [W-1:0] number);
    wrap = (32'(number) >= DEPTH) ? number - W'(DEPTH) : number;
  endfunction

  logic [5*SIDE_W-1:0] memory;
  logic [W-1:0]        known, read, at;
  logic [SIDE_W-1:0]   found;

  assign memory = {\i_dut.gen_memory.i_sides.i_ram.mem_q[4] , \i_dut.gen_memory.i_sides.i_ram.mem_q[3] ,
                   \i_dut.gen_memory.i_sides.i_ram.mem_q[2] , \i_dut.gen_memory.i_sides.i_ram.mem_q[1] ,
                   \i_dut.gen_memory.i_sides.i_ram.mem_q[0] };
  assign known = i_dut.known_q[3] ? W'(3) : i_dut.known_q[2] ? W'(2) : W'(i_dut.known_q[1]);
  assign read = known + W'(i_dut.read_q);  // known ones and the one in flight
  assign at = wrap(W'(i_dut.read_at_q) + before_q - read);

  always_comb begin
    if (before_q < known) found = i_dut.side_q[SIDE_W*32'(before_q) +: SIDE_W];
    else if (before_q < read) found = i_dut.memory_side;
    else found = memory[SIDE_W*32'(at) +: SIDE_W];
  end

  always_comb begin : assertions
    if (started_q) begin
      invariant_known: assert (i_dut.known_q == (KNOWN + 1)'(1) << known && read <= W'(KNOWN));
      invariant_count: assert (count_q == read + W'(i_dut.unread_q) && W'(i_dut.used_q) == count_q + W'(popped_q));
      invariant_room: assert (32'(i_dut.used_q) <= DEPTH);
      invariant_read_ahead: assert (i_dut.unread_q == '0 || known != '0);
      invariant_memory: assert (32'(i_dut.write_at_q) < DEPTH && 32'(i_dut.read_at_q) < DEPTH &&
                                W'(i_dut.write_at_q) == wrap(W'(i_dut.read_at_q) + W'(i_dut.unread_q)));
      invariant_slots: assert (head >= W'(FIRST) && 32'(head) < FIRST + DEPTH &&
                               tail == W'(FIRST) + wrap(head - W'(FIRST) + count_q));
      invariant_followed: assert (!followed_q || (before_q < count_q && found == side_q &&
                                                  slot_q == W'(FIRST) + wrap(head - W'(FIRST) + before_q)));
      invariant_reading: assert (!reading_q || (popped_q &&
                                                slot_q == W'(FIRST) + wrap(head - W'(FIRST) + W'(DEPTH - 1))));
      hol_where_there_are_flits: assert (valid == (count_q != '0));
      full_where_all_slots_are_in_use: assert (full == (32'(count_q) + 32'(popped_q) == DEPTH));
      sides_in_order: assert (!followed_q || before_q != '0 || side == side_q);
      slot_of_the_hol: assert (!followed_q || before_q != '0 || head == slot_q);
      slot_is_free: assert (!rst_ni || !push_i || !(followed_q || reading_q) || tail != slot_q);
    end
  end
endmodule
