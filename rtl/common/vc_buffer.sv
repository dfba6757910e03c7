// SPDX-License-Identifier: Apache-2.0
// Input buffer of one port: a FIFO per virtual channel, with credits (§5.4, §6.2.3).
//
// Function: a flit on in_flit_i at an edge is stored in the FIFO of VC in_vc_i together with its
//   sideband in_side_i, the fields that the control logic needs. side_o shows, from registers, the
//   sideband of the head-of-line flit of every VC. pop_i, a bit per VC, at most one of them,
//   removes a head-of-line flit, which is then read from the memory.
// Handshake: in_valid_i has no ready: the sender holds credits. A flit that finds all slots of its
//   VC in use is dropped, and overflow_o is high after the edge; the slot of a popped flit is free
//   one edge later. pop_i may be high only with a head-of-line flit. A pop returns one credit.
// Timing: a flit stored at edge e with none before it is head-of-line after e. With pop_i at edge e
//   the next head-of-line flit is there after e, credit_o is high after e for one cycle, and flit_o
//   has the flit after edge e + 1, until the next pop. One flit can enter and one leave at every
//   edge.
// Method: flits are in one memory with one read port. The sidebands of the first three flits of a
//   VC are in registers, further ones in a memory per VC. One sideband is prefetched at an edge
//   after which fewer than three are known, and is in a register one edge later: a head-of-line
//   flit is never late, in whatever order VCs are popped.
// BIST (bist_i, bist_fail_o): see bist_ram; a failure of any of the memories.
// empty_o: no flits, no pop whose flit is still to be read, no credit on credit_o.
module vc_buffer #(
  /// flit width in bits
  parameter int unsigned FLIT_W = 128,
  /// sideband width in bits
  parameter int unsigned SIDE_W = 16,
  /// buffer depth of each data VC, in flits
  parameter int unsigned VC_DEPTH = 48,
  /// buffer depth of the control VC, in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               in_valid_i,
  input  logic [noc_pkg::VC_W-1:0]           in_vc_i,
  input  logic [FLIT_W-1:0]                  in_flit_i,
  input  logic [SIDE_W-1:0]                  in_side_i,
  output logic [noc_pkg::NUM_VCS-1:0]        valid_o,
  output logic [noc_pkg::NUM_VCS*SIDE_W-1:0] side_o,
  input  logic [noc_pkg::NUM_VCS-1:0]        pop_i,
  output logic [FLIT_W-1:0]                  flit_o,
  output logic [noc_pkg::NUM_VCS-1:0]        credit_o,
  output logic                               overflow_o,
  output logic                               empty_o,
  input  logic [bist_pkg::BUS_W-1:0]         bist_i,
  output logic                               bist_fail_o
);
  localparam int unsigned VCS = noc_pkg::NUM_VCS;
  localparam int unsigned TOTAL = (VCS - 1) * VC_DEPTH + CTRL_DEPTH;
  localparam int unsigned SLOT_W = (TOTAL > 1) ? $clog2(TOTAL) : 1;

  logic [VCS-1:0]    push, full;
  logic [SLOT_W-1:0] head [VCS];  // slots of the head-of-line flits
  logic [SLOT_W-1:0] tail [VCS];  // slots for flits that arrive
  logic [SLOT_W-1:0] popped;      // slot of the popped flit
  logic [SLOT_W-1:0] popped_q;

  logic              write, read;
  logic [SLOT_W-1:0] write_slot;
  logic [VCS:0]      bist_fail;  // by VC, then the flit memory

  always_comb begin : who_comes_and_goes
    push = '0;
    write_slot = '0;
    popped = '0;
    if (in_valid_i) begin
      push = (VCS'(1) << in_vc_i) & ~full;
      write_slot = tail[in_vc_i];
    end
    for (int unsigned v = 0; v < VCS; v++) begin
      if (pop_i[v]) popped = popped | head[v];
    end
  end
  assign write = push != '0;
  assign read = credit_o != '0;

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    // The slots of the data VCs come first.
    localparam int unsigned BEFORE = (v <= noc_pkg::VC_CONTROL) ? v * VC_DEPTH
                                                                : (v - 1) * VC_DEPTH + CTRL_DEPTH;
    localparam int unsigned DEPTH = (v == noc_pkg::VC_CONTROL) ? CTRL_DEPTH : VC_DEPTH;
    vc_queue #(.SIDE_W(SIDE_W), .DEPTH(DEPTH), .LAST(BEFORE + DEPTH - 1), .SLOT_W(SLOT_W), .BIST(BIST)) i_queue (
      .clk_i,
      .rst_ni,
      .push_i     (push[v]),
      .side_i     (in_side_i),
      .pop_i      (pop_i[v]),
      .valid_o    (valid_o[v]),
      .side_o     (side_o[SIDE_W*v +: SIDE_W]),
      .full_o     (full[v]),
      .tail_o     (tail[v]),
      .head_o     (head[v]),
      .bist_i,
      .bist_fail_o(bist_fail[v])
    );
  end

  bist_ram #(.WIDTH(FLIT_W), .DEPTH(TOTAL), .BIST(BIST)) i_flits (
    .clk_i,
    .write_i(write),
    .waddr_i(write_slot),
    .wdata_i(in_flit_i),
    .read_i (read),
    .raddr_i(popped_q),
    .rdata_o(flit_o),
    .bist_i,
    .fail_o (bist_fail[VCS])
  );

  always_ff @(posedge clk_i) begin : pops
    if (!rst_ni) begin
      credit_o <= '0;
      overflow_o <= 1'b0;
    end else begin
      credit_o <= pop_i;
      overflow_o <= in_valid_i && full[in_vc_i];
      if (pop_i != '0) popped_q <= popped;
    end
  end

  assign empty_o = valid_o == '0 && credit_o == '0;
  assign bist_fail_o = |bist_fail;
endmodule
