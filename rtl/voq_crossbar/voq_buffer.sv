// SPDX-License-Identifier: Apache-2.0
// Input buffer of one port of a VOQ crossbar: slots of four virtual channels, and in them a queue
// for every (virtual channel, output).
//
// Function: a flit on in_flit_i at an edge is stored in a slot of its VC, at the end of the queue
//   of that VC to output in_out_i. Queues of one VC share its slots dynamically. pop_i removes the
//   head-of-line flit of a queue, which is then read from the memory.
// Queues: bit P*v + o of a vector is the queue of VC v to output o. valid_o: it has a head-of-line
//   flit; tail_o: this flit is the last one of its packet; several_o: the queue has two flits or
//   more; all from registers.
// Handshake: in_valid_i has no ready: the sender holds credits. A flit that finds all slots of its
//   VC in use is dropped, and overflow_o is high after the edge; the slot of a popped flit is free
//   one edge later. pop_i has at most one bit, of a queue with a head-of-line flit. A pop returns
//   one credit.
// Timing: a flit stored at edge e with none before it in its queue is head-of-line after e. With
//   pop_i at edge e the next head-of-line flit of the queue is there after e, credit_o is high
//   after e for one cycle, and flit_o has the flit after edge e + 1, until the next pop. One flit
//   can enter and one leave at every edge.
// Structure: one memory of flits with one read port, and one of links between the flits of a queue
//   (voq_list).
// BIST (bist_i, bist_fail_o): see bist_ram; a failure of either memory.
// empty_o: no flits, no pop whose flit is still to be read, no credit on credit_o.
module voq_buffer #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// flit width in bits
  parameter int unsigned FLIT_W = 128,
  /// slots of each data VC
  parameter int unsigned VC_DEPTH = 48,
  /// slots of the control VC
  parameter int unsigned CTRL_DEPTH = 4,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         in_valid_i,
  input  logic [phased_pkg::OUT_W-1:0] in_out_i,
  input  logic [FLIT_W-1:0]            in_flit_i,
  output logic [VCS*P-1:0]             valid_o,
  output logic [VCS*P-1:0]             tail_o,
  output logic [VCS*P-1:0]             several_o,
  input  logic [VCS*P-1:0]             pop_i,
  output logic [FLIT_W-1:0]            flit_o,
  output logic [VCS-1:0]               credit_o,
  output logic                         overflow_o,
  output logic                         empty_o,
  input  logic [bist_pkg::BUS_W-1:0]   bist_i,
  output logic                         bist_fail_o
);
  localparam int unsigned TOTAL = (VCS - 1) * VC_DEPTH + CTRL_DEPTH;
  localparam int unsigned SLOT_W = (TOTAL > 1) ? $clog2(TOTAL) : 1;
  localparam int unsigned LINK_W = SLOT_W + 1;
  localparam int unsigned QUEUES = VCS * P;

  noc_pkg::header_t  header;         // header of the incoming flit
  logic [VCS-1:0]    come, take, full;
  logic [SLOT_W-1:0] free [VCS];     // slot of the next flit
  logic [QUEUES-1:0] link, read;
  logic [SLOT_W-1:0] slot [QUEUES];  // slot of the head-of-line flit
  logic [SLOT_W-1:0] link_slot [QUEUES];
  logic [SLOT_W-1:0] read_slot [QUEUES];
  logic              write, read_q, link_any, read_any;
  logic [SLOT_W-1:0] write_slot, popped, popped_q, link_at, read_at;
  logic [LINK_W-1:0] next, pushed;   // links: one that was read, and the incoming flit's
  logic [1:0]        bist_fail;      // flits, links
  logic              unused;         // unused header fields

  assign header = in_flit_i[noc_pkg::HEADER_W-1:0];
  assign unused = &{1'b0, header};
  assign come = in_valid_i ? VCS'(1) << header.vc : '0;
  assign take = come & ~full;
  assign write = take != '0;
  assign pushed = {header.tail, write_slot};
  assign link_any = link != '0;
  assign read_any = read != '0;

  // ------------------------------------------------------------------ slots and queues
  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    // The slots of the VCs follow each other.
    localparam int unsigned BEFORE = (v <= noc_pkg::VC_CONTROL) ? v * VC_DEPTH
                                                                : (v - 1) * VC_DEPTH + CTRL_DEPTH;
    localparam int unsigned DEPTH = (v == noc_pkg::VC_CONTROL) ? CTRL_DEPTH : VC_DEPTH;
    voq_slots #(.DEPTH(DEPTH), .FIRST(BEFORE), .SLOT_W(SLOT_W)) i_slots (
      .clk_i,
      .rst_ni,
      .take_i     (take[v]),
      .give_i     (credit_o[v]),
      .give_slot_i(popped_q),
      .slot_o     (free[v]),
      .full_o     (full[v])
    );

    for (genvar o = 0; o < P; o++) begin : gen_queue
      localparam int unsigned Q = P * v + o;
      voq_list #(.DEPTH(DEPTH), .SLOT_W(SLOT_W)) i_list (
        .clk_i,
        .rst_ni,
        .push_i     (take[v] && in_out_i == phased_pkg::OUT_W'(o)),
        .push_slot_i(free[v]),
        .push_tail_i(header.tail),
        .pop_i      (pop_i[Q]),
        .valid_o    (valid_o[Q]),
        .several_o  (several_o[Q]),
        .slot_o     (slot[Q]),
        .tail_o     (tail_o[Q]),
        .link_o     (link[Q]),
        .link_slot_o(link_slot[Q]),
        .read_o     (read[Q]),
        .read_slot_o(read_slot[Q]),
        .read_link_i(next)
      );
    end
  end

  // ------------------------------------------------------------------ memories
  always_comb begin : addresses
    write_slot = '0;
    popped = '0;
    link_at = '0;
    read_at = '0;
    if (write) begin
      for (int unsigned v = 0; v < VCS; v++) begin
        if (take[v]) write_slot = write_slot | free[v];
      end
    end
    if (link != '0) begin
      for (int unsigned q = 0; q < QUEUES; q++) begin
        if (link[q]) link_at = link_at | link_slot[q];
      end
    end
    if (read != '0) begin
      for (int unsigned q = 0; q < QUEUES; q++) begin
        if (read[q]) read_at = read_at | read_slot[q];
      end
    end
    if (pop_i != '0) begin
      for (int unsigned q = 0; q < QUEUES; q++) begin
        if (pop_i[q]) popped = popped | slot[q];
      end
    end
  end

  bist_ram #(.WIDTH(FLIT_W), .DEPTH(TOTAL), .BIST(BIST)) i_flits (
    .clk_i,
    .write_i(write),
    .waddr_i(write_slot),
    .wdata_i(in_flit_i),
    .read_i (read_q),
    .raddr_i(popped_q),
    .rdata_o(flit_o),
    .bist_i,
    .fail_o (bist_fail[0])
  );

  bist_ram #(.WIDTH(LINK_W), .DEPTH(TOTAL), .BIST(BIST)) i_links (
    .clk_i,
    .write_i(link_any),
    .waddr_i(link_at),
    .wdata_i(pushed),
    .read_i (read_any),
    .raddr_i(read_at),
    .rdata_o(next),
    .bist_i,
    .fail_o (bist_fail[1])
  );

  always_ff @(posedge clk_i) begin : pops
    if (!rst_ni) begin
      credit_o <= '0;
      read_q <= 1'b0;
      overflow_o <= 1'b0;
    end else begin
      for (int unsigned v = 0; v < VCS; v++) credit_o[v] <= pop_i[P*v +: P] != '0;
      read_q <= pop_i != '0;
      overflow_o <= (come & full) != '0;
      if (pop_i != '0) popped_q <= popped;
    end
  end

  assign empty_o = valid_o == '0 && !read_q;
  assign bist_fail_o = bist_fail != '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      if (in_valid_i) output_there_is: assert (32'(in_out_i) < P);
      if (pop_i != '0) one_pop_of_a_hol: assert ($countones(pop_i) == 1 && (pop_i & ~valid_o) == '0);
      if (read != '0) one_link_read: assert ($countones(read) == 1);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      link_written_and_read: cover (link != '0 && read != '0);
      comes_to_a_full_vc: cover ((come & full) != '0);
      hol_flits_of_all_outputs: cover (valid_o[0 +: P] == '1);
    end
  end
endmodule
