// SPDX-License-Identifier: Apache-2.0
// Free slots of one virtual channel of a voq_buffer: selects the slot of the next flit.
//
// Timing: slot_o, a free slot, and full_o are registers. take_i at an edge takes slot_o; the parent
//   takes none while full_o is high. give_i returns give_slot_i, which can be taken one edge later
//   (both asserted).
// Method: slot_o is chosen an edge ahead, the lowest of the other free slots, or the returned one.
// Slots: FIRST to FIRST + DEPTH - 1.
module voq_slots #(
  /// number of slots, 1 or more
  parameter int unsigned DEPTH = 48,
  /// index of the first slot
  parameter int unsigned FIRST = 0,
  /// width of a slot index
  parameter int unsigned SLOT_W = 6
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              take_i,
  input  logic              give_i,
  input  logic [SLOT_W-1:0] give_slot_i,
  output logic [SLOT_W-1:0] slot_o,
  output logic              full_o
);
  logic [DEPTH-1:0]  free_q, lowest;  // free slots without slot_o
  logic [SLOT_W-1:0] lowest_slot;
  logic              choose, from_free;

  assign lowest = free_q & (~free_q + DEPTH'(1));
  assign choose = take_i || full_o;
  assign from_free = free_q != '0;

  always_comb begin : number
    lowest_slot = '0;
    for (int unsigned s = 0; s < DEPTH; s++) begin
      if (lowest[s]) lowest_slot = lowest_slot | SLOT_W'(FIRST + s);
    end
  end

  always_ff @(posedge clk_i) begin : slots
    if (!rst_ni) begin
      free_q <= ~(DEPTH'(1));  // yosys 0.23 reads a ~ without brackets as part of the width
      slot_o <= SLOT_W'(FIRST);
      full_o <= 1'b0;
    end else if (take_i || give_i) begin
      if (choose) begin
        slot_o <= from_free ? lowest_slot : give_slot_i;
        full_o <= !from_free && !give_i;
      end
      for (int unsigned s = 0; s < DEPTH; s++) begin
        free_q[s] <= (free_q[s] && !(choose && lowest[s])) ||
                     (give_i && give_slot_i == SLOT_W'(FIRST + s) && (from_free || !choose));
      end
    end
  end

  // ------------------------------------------------------------------ assertions
  logic [SLOT_W-1:0] given;  // slot index, from 0 on
  assign given = give_slot_i - SLOT_W'(FIRST);

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      if (take_i) taken_slot_was_free: assert (!full_o);
      if (give_i) begin
        given_slot_is_one: assert (32'(given) < DEPTH);
        given_slot_was_in_use: assert (!free_q[32'(given)] && (full_o || give_slot_i != slot_o));
      end
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      all_slots_in_use: cover (full_o);
      slot_taken_and_given: cover (take_i && give_i);
      given_slot_is_the_next: cover (give_i && choose && !from_free);
    end
  end
endmodule
