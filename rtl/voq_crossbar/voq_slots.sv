// Free slots of one virtual channel of a voq_buffer: which slot the next flit takes.
//
// Timing: slot_o, the lowest free slot, and full_o follow registers. take_i at an edge takes slot_o; the parent takes
//   none while full_o is high. give_i gives give_slot_i back, which may be taken one edge later (both asserted).
// Slots: 0 to DEPTH - 1, of this virtual channel.
module voq_slots #(
  /// slots, 1 or more
  parameter int unsigned DEPTH = 48,
  /// bits of a slot's number, derived
  localparam int unsigned SLOT_W = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              take_i,
  input  logic              give_i,
  input  logic [SLOT_W-1:0] give_slot_i,
  output logic [SLOT_W-1:0] slot_o,
  output logic              full_o
);
  logic [DEPTH-1:0] free_q, lowest;

  assign lowest = free_q & (~free_q + DEPTH'(1));
  assign full_o = free_q == '0;

  always_comb begin : number
    slot_o = '0;
    if (take_i) begin
      for (int unsigned s = 0; s < DEPTH; s++) begin
        if (lowest[s]) slot_o = slot_o | SLOT_W'(s);
      end
    end
  end

  always_ff @(posedge clk_i) begin : slots
    if (!rst_ni) begin
      free_q <= '1;
    end else if (take_i || give_i) begin
      for (int unsigned s = 0; s < DEPTH; s++) begin
        free_q[s] <= (free_q[s] && !(take_i && lowest[s])) || (give_i && give_slot_i == SLOT_W'(s));
      end
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      if (take_i) taken_slot_was_free: assert (!full_o);
      if (give_i) given_slot_was_in_use: assert (32'(give_slot_i) < DEPTH && !free_q[give_slot_i]);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      all_slots_in_use: cover (full_o);
      slot_taken_and_given: cover (take_i && give_i);
    end
  end
endmodule
