// SPDX-License-Identifier: Apache-2.0
// Scheduler of an aggregator: assigns adders to flows that have flits to add.
//
// Queues: every flow has a queue of flits that have fired and have no adder yet, at most
//   aggregator_pkg::MAX_WAITING. An adder takes one flit of one flow; at most one flit per flow is
//   taken at an edge.
// Order: rounds. In a round every flow with flits gets one adder before any flow gets a second one;
//   within a round flows are served in ascending order. No adder stays free while a flow has flits:
//   at an edge the n-th flow served gets the n-th free adder.
// Shares: over any interval in which a flow has flits at every edge, no other flow gets more than
//   two turns more than this flow. A flow that was held back and then gets an adder at consecutive
//   edges has no flit at one edge, since hold_o depends on waiting flits and ignores flits in
//   flight; if a round ends at that edge, the flow has lost its turn in it. Two-input flows that
//   always have packets get equal shares of the adders if this never happens (four flows, three
//   adders), and 7 : 6 at worst (six flows, five adders: 3500 and 3000 flits in 4000 cycles; the
//   bound holds for all sizes up to 32 ports).
// hold_o: flows that must not fire at the next edge, because MAX_WAITING - 1 or more of their flits
//   wait. A flit that fired at the last edge is not counted yet. A flow that is not held always
//   finds a place, whatever the adders do (asserted).
// Timing: the register fired_i marks flows that fired at the last edge. A flit that fired at edge e
//   is assigned to an adder at e + 2 at the earliest; its operands are written at e + 3. A flow
//   that fires at every edge and always gets an adder is never held back.
// Reset (synchronous): empties all queues.
module aggregator_scheduler #(
  /// number of flows, one per port
  parameter int unsigned P = 12,
  /// number of adders
  parameter int unsigned ADDERS = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [P-1:0]        fired_i,
  input  logic [ADDERS-1:0]   free_i,
  // bit P*adder + flow
  output logic [ADDERS*P-1:0] start_o,
  output logic [P-1:0]        hold_o,
  output logic [P-1:0]        waiting_o
);
  localparam int unsigned DEPTH = aggregator_pkg::MAX_WAITING;
  localparam int unsigned PLACE_W = $clog2(((P > ADDERS) ? P : ADDERS) + 1);

  // Waiting flits, thermometer-coded: bit DEPTH*f + n is set if flow f has n + 1 flits or more.
  // Flows that have had their turn.
  logic [DEPTH*P-1:0] waiting_q, waiting_d;
  logic [P-1:0]       served_q;

  // ------------------------------------------------------------------ places
  logic [P-1:0]       first, second;  // flows with flits: in this round, in the next one
  logic [PLACE_W-1:0] place [P];      // position of a flow among these
  logic [PLACE_W-1:0] rank [ADDERS];  // rank of an adder among the free ones
  logic [P-1:0]       started;

  assign first = waiting_o & ~served_q;
  assign second = waiting_o & served_q;

  always_comb begin : places
    logic [PLACE_W-1:0] firsts;
    for (int unsigned f = 0; f < P; f++) place[f] = '0;
    firsts = '0;
    if (waiting_o != '0) begin
      firsts = PLACE_W'($countones(first));
      for (int unsigned f = 0; f < P; f++) begin
        place[f] = served_q[f] ? firsts + PLACE_W'($countones(second & ((P'(1) << f) - P'(1))))
                               : PLACE_W'($countones(first & ((P'(1) << f) - P'(1))));
      end
    end
  end

  always_comb begin : ranks
    for (int unsigned k = 0; k < ADDERS; k++) rank[k] = '0;
    if (waiting_o != '0) begin
      for (int unsigned k = 0; k < ADDERS; k++) begin
        rank[k] = PLACE_W'($countones(free_i & ((ADDERS'(1) << k) - ADDERS'(1))));
      end
    end
  end

  always_comb begin : starts
    start_o = '0;
    started = '0;
    if (waiting_o != '0) begin
      for (int unsigned k = 0; k < ADDERS; k++) begin
        for (int unsigned f = 0; f < P; f++) begin
          start_o[P*k + f] = free_i[k] && waiting_o[f] && place[f] == rank[k];
        end
        started = started | start_o[P*k +: P];
      end
    end
  end

  // ------------------------------------------------------------------ queues
  always_comb begin : queues
    waiting_d = waiting_q;
    if ((fired_i | started) != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (fired_i[f] && !started[f]) begin
          waiting_d[DEPTH*f +: DEPTH] = {waiting_q[DEPTH*f +: DEPTH-1], 1'b1};
        end else if (started[f] && !fired_i[f]) begin
          waiting_d[DEPTH*f +: DEPTH] = {1'b0, waiting_q[DEPTH*f + 1 +: DEPTH-1]};
        end
      end
    end
  end

  // A fire at the last edge is not counted yet, and another may come at the next edge.
  for (genvar f = 0; f < P; f++) begin : gen_flow
    assign waiting_o[f] = waiting_q[DEPTH*f];
    assign hold_o[f] = waiting_q[DEPTH*f + DEPTH-2];
  end

  always_ff @(posedge clk_i) begin : registers
    if (!rst_ni) begin
      waiting_q <= '0;
      served_q <= '0;
    end else begin
      waiting_q <= waiting_d;
      if (started != '0) served_q <= (first & ~started) == '0 ? started & served_q : served_q | started;
    end
  end

  // ------------------------------------------------------------------ assertions
  logic [P-1:0] full, all_but_full;  // no free place; one at most
  for (genvar f = 0; f < P; f++) begin : gen_full
    assign full[f] = waiting_q[DEPTH*f + DEPTH-1];
    assign all_but_full[f] = waiting_q[DEPTH*f + DEPTH-2];
  end

  always_ff @(posedge clk_i) begin : assertions
    logic [ADDERS-1:0] many;
    if (rst_ni && (fired_i | started) != '0) begin
      for (int unsigned k = 0; k < ADDERS; k++) begin
        many[k] = (start_o[P*k +: P] & (start_o[P*k +: P] - P'(1))) != '0;
      end
      queue_has_a_place: assert ((fired_i & ~started & full) == '0);
      who_is_not_held_has_a_place: assert ((fired_i & ~hold_o & all_but_full) == '0);
      one_flow_per_adder: assert (many == '0);
      one_adder_per_flow: assert ($countones(start_o) == $countones(started));
      no_adder_stays_free: assert ((waiting_o & ~started) == '0 || $countones(started) == $countones(free_i));
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      waits_for_an_adder: cover (waiting_o != '0 && started == '0);
      several_at_once: cover ((started & (started - P'(1))) != '0);
      into_the_next_round: cover ((started & served_q) != '0);
      queue_holds_a_flow_back: cover (hold_o != '0);
      queue_is_full: cover (full != '0);
    end
  end
endmodule
