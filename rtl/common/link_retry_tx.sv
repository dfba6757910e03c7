// SPDX-License-Identifier: Apache-2.0
// Sending end of a link with retransmission (Go-Back-N): keeps every flit until the receiver has
// acknowledged it, and retransmits on request or after a time-out.
//
// Switch side: a flit with valid_i, one per cycle, is taken at every edge. ready_o, a register, is
//   high if there is room and no flit waits. Up to MARGIN flits may arrive after ready_o has
//   fallen. Bit v of credit_o is one slot of VC v freed at the other end.
// Wire: at an edge with wire_ready_i (pacing) the next flit, new or retransmitted, is fetched; it
//   is on wire_o with wire_valid_o after the next edge: {check, round, sequence number, flit},
//   link_pkg.
// Return channel: back_i is sampled at every edge: {check, credits given so far, round, next
//   expected sequence number}. A damaged word is discarded, since the next one carries the same
//   totals. Credits missed in this way are given one per cycle.
// Round: a number that the receiver increments with every request for retransmission, and that the
//   sender sends with every flit. If the round on back_i differs from that of the sender, the
//   sender adopts it and goes back to the flit that the receiver expects.
// Time-out: after TIMEOUT edges without an acknowledgement, with flits unacknowledged, the sender
//   goes back to the oldest of them.
// Dead link: when the oldest unacknowledged flit is retransmitted more than MAX_RETRIES times,
//   dead_o rises and stays high until reset. The sender goes on as before: the system decides what
//   to do with the link.
// Timing: a flit sampled at an edge with wire_ready_i high, and with no flit waiting, is on the
//   wire after the next edge (link_pkg::TX_EDGES). For full throughput DEPTH covers one round trip:
//   the latency of both directions, TX_EDGES, RX_EDGES and ACK_EDGES, and MARGIN.
// Reset: synchronous. Both ends are reset together.
module link_retry_tx #(
  /// flit width in bits
  parameter int unsigned FLIT_W = 128,
  /// flits in the retransmission buffer, a power of two, at most half of the sequence numbers
  parameter int unsigned DEPTH = 64,
  /// flits that may arrive after ready_o has fallen
  parameter int unsigned MARGIN = 3,
  /// time-out in edges, more than a round trip
  parameter int unsigned TIMEOUT = 128,
  /// max retransmissions of the oldest flit
  parameter int unsigned MAX_RETRIES = 1000
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  // switch
  output logic                                   ready_o,
  input  logic                                   valid_i,
  input  logic [FLIT_W-1:0]                      flit_i,
  output logic [noc_pkg::NUM_VCS-1:0]            credit_o,
  // link
  input  logic                                   wire_ready_i,
  output logic                                   wire_valid_o,
  output logic [FLIT_W+link_pkg::OVERHEAD_W-1:0] wire_o,
  input  logic [link_pkg::BACK_W-1:0]            back_i,
  /// the flit on the wire is a retransmission
  output logic                                   wire_again_o,
  /// the oldest flit was retransmitted more than MAX_RETRIES times
  output logic                                   dead_o
);
  localparam int unsigned SEQ_W = link_pkg::SEQ_W;
  localparam int unsigned ROUND_W = link_pkg::ROUND_W;
  localparam int unsigned CREDIT_W = link_pkg::CREDITS_W / noc_pkg::NUM_VCS;
  localparam int unsigned DATA_W = FLIT_W + SEQ_W + ROUND_W;
  localparam int unsigned ADDR_W = $clog2(DEPTH);
  localparam int unsigned TIME_W = $clog2(TIMEOUT + 1);
  localparam int unsigned RETRIES_W = $clog2(MAX_RETRIES + 2);
  if (DEPTH < 2 || DEPTH > 2 ** (SEQ_W - 1) || 2 ** ADDR_W != DEPTH || MARGIN >= DEPTH || TIMEOUT < 2 ||
      MAX_RETRIES < 1) begin : gen_range
    $fatal(1, {"link_retry_tx: found DEPTH=%0d MARGIN=%0d TIMEOUT=%0d MAX_RETRIES=%0d; allowed: ",
               "DEPTH a power of two to %0d, more than MARGIN, TIMEOUT of 2 or more, MAX_RETRIES of 1 or more"},
           DEPTH, MARGIN, TIMEOUT, MAX_RETRIES, 2 ** (SEQ_W - 1));
  end

  // ------------------------------------------------------------------ feedback
  logic [link_pkg::CHECK_W-1:0] back_check;
  logic                         intact;
  logic [SEQ_W-1:0]             expected;
  logic [ROUND_W-1:0]           asked;

  link_check #(.DATA_W(link_pkg::BACK_DATA_W)) i_back_check (
    .data_i (back_i[link_pkg::BACK_DATA_W-1:0]),
    .check_o(back_check)
  );

  assign intact = back_check == back_i[link_pkg::BACK_W-1:link_pkg::BACK_DATA_W];
  assign expected = back_i[SEQ_W-1:0];
  assign asked = back_i[SEQ_W +: ROUND_W];

  // ------------------------------------------------------------------ credits
  for (genvar v = 0; v < noc_pkg::NUM_VCS; v++) begin : gen_vc
    logic [CREDIT_W-1:0] given, given_q, owed_q, owed;

    assign given = back_i[SEQ_W+ROUND_W+CREDIT_W*v +: CREDIT_W];
    assign owed = intact ? owed_q + (given - given_q) : owed_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        given_q <= '0;
        owed_q <= '0;
        credit_o[v] <= 1'b0;
      end else begin
        if (intact) given_q <= given;
        owed_q <= (owed != '0) ? owed - CREDIT_W'(1) : '0;
        credit_o[v] <= owed != '0;
      end
    end
  end

  // ------------------------------------------------------------------ selection of the next flit
  // Sequence numbers: oldest unacknowledged flit, next flit to send, first flit never sent, next
  // flit to arrive.
  logic [SEQ_W-1:0]     base_q, next_q, fresh_q, come_q;
  logic [SEQ_W-1:0]     base, next, come;
  logic [ROUND_W-1:0]   round_q;
  logic [TIME_W-1:0]    time_q;
  logic                 waits, send, go_back, time_out;
  logic [RETRIES_W-1:0] retries_q, retries;  // retransmissions of the oldest flit, up to
                                             // MAX_RETRIES + 1

  assign waits = next_q != come_q;
  assign send = wire_ready_i && (waits || valid_i);
  assign go_back = intact && asked != round_q;
  assign time_out = time_q == TIME_W'(TIMEOUT - 1);

  always_comb begin : counters
    base = intact ? expected : base_q;
    come = come_q + SEQ_W'(valid_i);
    next = next_q + SEQ_W'(send);
    // Last condition: retransmitted flits had arrived.
    if (go_back || time_out || next - base_q < base - base_q) next = base;
    retries = (base != base_q) ? '0 : retries_q;
    if (send && next_q == base && next_q != fresh_q && retries != RETRIES_W'(MAX_RETRIES + 1)) begin
      retries = retries + RETRIES_W'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      base_q <= '0;
      next_q <= '0;
      fresh_q <= '0;
      come_q <= '0;
      round_q <= '0;
      time_q <= '0;
      retries_q <= '0;
      ready_o <= 1'b0;
      dead_o <= 1'b0;
    end else begin
      base_q <= base;
      next_q <= next;
      if (send && next_q == fresh_q) fresh_q <= fresh_q + SEQ_W'(1);
      come_q <= come;
      if (intact) round_q <= asked;
      time_q <= (base != base_q || base == fresh_q || go_back || time_out) ? '0 : time_q + TIME_W'(1);
      retries_q <= retries;
      dead_o <= dead_o || retries_q == RETRIES_W'(MAX_RETRIES + 1);
      ready_o <= next == come && come - base < SEQ_W'(DEPTH - MARGIN);
    end
  end

  // State of the last edge: a flit was fetched, from the memory, as a retransmission.
  logic                         taken_q, waited_q, again_q;
  logic [FLIT_W-1:0]            new_q, kept;
  logic [SEQ_W-1:0]             seq_q;
  logic [ROUND_W-1:0]           sent_round_q;
  logic [DATA_W-1:0]            data;
  logic [link_pkg::CHECK_W-1:0] check;

  flit_ram #(.WIDTH(FLIT_W), .DEPTH(DEPTH)) i_kept (
    .clk_i,
    .write_i(valid_i),
    .waddr_i(come_q[ADDR_W-1:0]),
    .wdata_i(flit_i),
    .read_i (send && waits),
    .raddr_i(next_q[ADDR_W-1:0]),
    .rdata_o(kept)
  );

  always_ff @(posedge clk_i) begin
    taken_q <= rst_ni && send;
    if (send) begin
      waited_q <= waits;
      again_q <= next_q != fresh_q;
      seq_q <= next_q;
      sent_round_q <= round_q;
    end
    if (send && !waits) new_q <= flit_i;
  end

  assign data = {sent_round_q, seq_q, waited_q ? kept : new_q};

  link_check #(.DATA_W(DATA_W)) i_check (.data_i(data), .check_o(check));

  always_ff @(posedge clk_i) begin
    wire_valid_o <= rst_ni && taken_q;
    wire_again_o <= rst_ni && taken_q && again_q;
    if (taken_q) wire_o <= {check, data};
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      keeps_no_more_than_its_depth: assert (come_q - base_q <= SEQ_W'(DEPTH));
      sends_what_is_kept: assert (next_q - base_q <= come_q - base_q);
      was_sent_before_it_is_acknowledged: assert (!intact || expected - base_q <= fresh_q - base_q);
      if (valid_i) has_room: assert (come_q - base_q < SEQ_W'(DEPTH));
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      asked_for_again: cover (go_back);
      nothing_was_received: cover (time_out);
      is_full: cover (come_q - base_q == SEQ_W'(DEPTH));
    end
  end
endmodule
