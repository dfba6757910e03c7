// SPDX-License-Identifier: Apache-2.0
// Router of the 2D mesh or torus: X-Y routing, virtual cut-through, four virtual channels with
// credits.
//
// Ports: P = 4 + NUM_LOCAL + NUM_IO in the order north, east, south, west, local, I/O. The router
//   is part of its NPU, which sends on all of its links at once, hence several local ports.
// Latency of a flit without contention:
//     edge e      sampled on in_flit_i, into the pin register of its input (mesh_input)
//     e + 1       with its route into the buffer of its VC; it is a head-of-line flit now
//     e + 2       it leaves: granted by its output, accepted by its input (mesh_allocator), a
//                 credit is spent. Its slot is free, signalled on in_credit_o after this edge
//     e + 3       read from the memory
//     e + 4       through the crossbar into the output register (mesh_output): on out_flit_o after
//                 e + 4
//   A port carries one flit per cycle in each direction. The route of a packet comes from
//   route_select, with the position in register REG_POSITION and the sides of the rings in
//   REG_TORUS (0 after reset: a mesh). A packet to the NPU leaves by a local port that has a link
//   according to REG_NO_LINK (0 after reset: all have one).
// Links: in_valid_i / in_flit_i without ready, credits back on in_credit_o (bit vc_index(p, v): a
//   slot of VC v of input port p was freed at the previous edge). A flit leaves only at an edge
//   where out_ready_i of its output is high and a credit is available, the first flit of a packet
//   only with credits for the whole packet (mesh_credit); it is on out_valid_o / out_flit_o two
//   edges later, so a link that lowers its ready still receives two flits. out_credit_i bit
//   vc_index(p, v) gives a credit; given at edge e it can be spent at e + 1. All outputs are
//   registers or, idle_o and reg_rdata_o, functions of registers. Words of out_flit_o are
//   meaningful only with out_valid_o.
// Rings: with columns (of east and west) or rows (north and south) not 0, flit bubble flow control.
//   A packet start that enters the ring, from a local or I/O port or by a turn, needs room for one
//   flit more than a packet, need + 1 credits (mesh_credit); one that goes straight on, from the
//   opposite port, needs one credit. The buffers around a ring thus always keep a free slot, into
//   which the flit behind it can move: a ring never deadlocks, whatever the lengths of its packets
//   (up to need). A packet on a ring may stop half way. A receiver on a ring with a depth of need
//   or less is safe, but no packet ever enters the ring there. (Room for whole packets in place of
//   slots would not be enough: short packets fragment the room for a long one.) The pipeline does
//   not weaken this argument: a credit is spent at the edge at which its flit leaves and is not
//   counted from the next cycle on; a credit in flight, or given at the previous edge, is not
//   counted yet. The room seen by a router is thus never more than the free slots of the receiver,
//   which preserves the free slot; and it equals them as soon as all flits and credits in flight
//   have arrived, after a bounded number of cycles, so the slot is used.
// Flits: noc_pkg. A packet is the flits of one (input port, VC) up to a tail.
// Registers (reg_*): mesh_registers. Position, rings, ports and credits are written while no
//   traffic flows: a flit sampled at an edge is routed by the register contents after it. A credit
//   register reads as the known room of the receiver, less the flits launched up to the edge before
//   the last one. Counters:
//     flits in, flits out     per port
//     stall credit            cycles x (input port, VC): the head-of-line flit lacks credits
//     stall arbiter           cycles x (input port, VC): it has credits, but another packet has the
//                             output VC, or it is not granted, or its input accepts another VC
//     stall link              cycles x output port: a flit has credits and the output VC, but the
//                             pacing of the link (out_ready_i low) blocks it; such flits count in
//                             no other counter
//   An incoming flit is counted after the edge that samples it, an outgoing flit one edge after it
//   is on out_valid_o, a stall two edges after the edge at which the flit did not leave.
// idle_o: no flit inside or on an output and no credit on in_credit_o; a clock edge without inputs
//   then has no visible effect.
// error_o: first error code, sticky: noc_pkg::ERROR_OVERFLOW (the flit is dropped; visible from the
//   third edge on, including the edge that sampled it) or ERROR_ROUTE (the packet stays where it
//   is; visible from the third edge on, including the edge after which it is at the head of the
//   buffer). Overflow wins if both come at once.
module mesh_router #(
  /// number of local ports, to the NPU, 1 or more
  parameter int unsigned NUM_LOCAL = 4,
  /// number of I/O ports, 0 to 15
  parameter int unsigned NUM_IO = 2,
  /// input buffer depth of each data VC, in flits
  parameter int unsigned VC_DEPTH = 80,
  /// number of ports, derived
  localparam int unsigned P = mesh_pkg::FIRST_LOCAL + NUM_LOCAL + NUM_IO,
  `include "../common/switch_parameters.svh"
) (
  `include "../common/switch_ports.svh"
  output logic [31:0] error_o
);
  if (NUM_LOCAL < 1 || P > 32 || LANES < 1 || LANES > 256 || VC_DEPTH < 1 || CTRL_DEPTH < 1 ||
      PACKET_FLITS < 1) begin : gen_range
    $fatal(1, "mesh_router: found NUM_LOCAL=%0d NUM_IO=%0d LANES=%0d VC_DEPTH=%0d CTRL_DEPTH=%0d",
           NUM_LOCAL, NUM_IO, LANES, VC_DEPTH, CTRL_DEPTH);
  end
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "mesh_router: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
  end

  localparam int unsigned VC_W = noc_pkg::VC_W;
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W;

  // ------------------------------------------------------------------ registers, counters
  logic [mesh_pkg::COORDINATE_W-1:0] x, y;
  logic [mesh_pkg::SIDE_W-1:0]       columns, rows;
  logic [mesh_pkg::MASK_W-1:0]       no_link;          // local ports without a link
  logic [CREDIT_W*VCS*P-1:0]         credits;
  logic [VCS*P-1:0]                  credit_write;
  logic                              counter_hit;
  logic                              from_counters_q;  // selects the data of the last read
  logic [31:0]                       counter_rdata, other_rdata;
  logic [7:0]                        stall_credit, stall_arbiter;
  logic [P-1:0]                      stall_link;
  logic [P-1:0]                      error_overflow, error_route;

  assign counter_hit = reg_addr_i >= noc_pkg::REG_FLITS_IN && reg_addr_i < noc_pkg::REG_PHASE_STORE;
  assign reg_rdata_o = from_counters_q ? counter_rdata : other_rdata;

  logic unused_wdata;  // no register of a router is wider than a credit count
  assign unused_wdata = &{1'b0, reg_wdata_i[31:CREDIT_W]};

  always_ff @(posedge clk_i) begin : reads
    if (!rst_ni) from_counters_q <= 1'b0;
    else if (reg_valid_i && !reg_write_i) from_counters_q <= counter_hit;
  end

  mesh_registers #(.NUM_LOCAL(NUM_LOCAL), .NUM_IO(NUM_IO)) i_registers (
    .clk_i,
    .rst_ni,
    .valid_i         (reg_valid_i),
    .write_i         (reg_write_i),
    .addr_i          (reg_addr_i),
    .wdata_i         (reg_wdata_i[CREDIT_W-1:0]),
    .rdata_o         (other_rdata),
    .x_o             (x),
    .y_o             (y),
    .columns_o       (columns),
    .rows_o          (rows),
    .no_link_o       (no_link),
    .credits_i       (credits),
    .credit_write_o  (credit_write),
    .error_overflow_i(|error_overflow),
    .error_route_i   (|error_route),
    .error_o
  );

  switch_counters #(.P(P)) i_counters (
    .clk_i,
    .rst_ni,
    .flit_in_i      (in_valid_i),
    .flit_out_i     (out_valid_o),
    .reductions_i   (8'd0),
    .phase_change_i (1'b0),
    .stall_join_i   (8'd0),
    .stall_phase_i  (8'd0),
    .stall_credit_i (stall_credit),
    .stall_arbiter_i(stall_arbiter),
    .stall_link_i   (stall_link),
    .read_i         (reg_valid_i && !reg_write_i && counter_hit),
    .addr_i         (reg_addr_i),
    .rdata_o        (counter_rdata)
  );

  // ------------------------------------------------------------------ inputs
  logic [VCS*P-1:0]    hol, begun, tail;  // indexed by noc_pkg::vc_index
  logic [P*VCS*P-1:0]  to;                // likewise, with a bit per output
  logic [P-1:0]        pop;
  logic [VC_W*P-1:0]   pop_vc;
  logic [P*FLIT_W-1:0] flits;
  logic [P-1:0]        input_empty;

  for (genvar p = 0; p < P; p++) begin : gen_input
    mesh_input #(
      .NUM_LOCAL (NUM_LOCAL),
      .NUM_IO    (NUM_IO),
      .LANES     (LANES),
      .VC_DEPTH  (VC_DEPTH),
      .CTRL_DEPTH(CTRL_DEPTH)
    ) i_input (
      .clk_i,
      .rst_ni,
      .in_valid_i      (in_valid_i[p]),
      .in_flit_i       (in_flit_i[FLIT_W*p +: FLIT_W]),
      .credit_o        (in_credit_o[noc_pkg::vc_index(p, 0) +: VCS]),
      .npu_port_i      (mesh_pkg::npu_port(p, NUM_LOCAL, no_link)),
      .from_i          (mesh_pkg::from_direction(p)),
      .x_i             (x),
      .y_i             (y),
      .columns_i       (columns),
      .rows_i          (rows),
      .hol_o           (hol[noc_pkg::vc_index(p, 0) +: VCS]),
      .to_o            (to[P*noc_pkg::vc_index(p, 0) +: P*VCS]),
      .begun_o         (begun[noc_pkg::vc_index(p, 0) +: VCS]),
      .tail_o          (tail[noc_pkg::vc_index(p, 0) +: VCS]),
      .pop_i           (pop[p]),
      .pop_vc_i        (pop_vc[VC_W*p +: VC_W]),
      .flit_o          (flits[FLIT_W*p +: FLIT_W]),
      .error_overflow_o(error_overflow[p]),
      .error_route_o   (error_route[p]),
      .empty_o         (input_empty[p])
    );
  end

  // ------------------------------------------------------------------ allocator
  logic [P-1:0]     ring;                            // outputs that lead into a ring
  logic [VCS*P-1:0] room_flit, room_packet, launch;  // indexed by noc_pkg::vc_index, likewise the
                                                     // last line
  logic [P*P-1:0]   granted;                         // for each input a bit per output
  logic [VCS*P-1:0] no_credit, contends;
  logic [P-1:0]     link_stall;
  assign ring = P'({columns != '0, rows != '0, columns != '0, rows != '0});

  mesh_allocator #(.P(P), .VC_ORDER(VC_ORDER)) i_allocator (
    .clk_i,
    .rst_ni,
    .hol_i        (hol),
    .to_i         (to),
    .begun_i      (begun),
    .tail_i       (tail),
    .pop_o        (pop),
    .pop_vc_o     (pop_vc),
    .ring_i       (ring),
    .out_ready_i,
    .room_flit_i  (room_flit),
    .room_packet_i(room_packet),
    .launch_o     (launch),
    .granted_o    (granted),
    .no_credit_o  (no_credit),
    .contends_o   (contends),
    .link_stall_o (link_stall)
  );

  mesh_stalls #(.P(P)) i_stalls (
    .clk_i,
    .rst_ni,
    .no_credit_i    (no_credit),
    .contends_i     (contends),
    .pop_i          (pop),
    .link_i         (link_stall),
    .stall_credit_o (stall_credit),
    .stall_arbiter_o(stall_arbiter),
    .stall_link_o   (stall_link)
  );

  // ------------------------------------------------------------------ outputs
  logic [P-1:0] output_empty;

  for (genvar o = 0; o < P; o++) begin : gen_output
    logic [P-1:0] from;
    for (genvar p = 0; p < P; p++) begin : gen_input
      assign from[p] = granted[P*p + o];
    end
    mesh_output #(
      .P           (P),
      .LANES       (LANES),
      .VC_DEPTH    (VC_DEPTH),
      .CTRL_DEPTH  (CTRL_DEPTH),
      .PACKET_FLITS(PACKET_FLITS)
    ) i_output (
      .clk_i,
      .rst_ni,
      .ring_i        (ring[o]),
      .launch_i      (launch[noc_pkg::vc_index(o, 0) +: VCS]),
      .granted_i     (from),
      .room_flit_o   (room_flit[noc_pkg::vc_index(o, 0) +: VCS]),
      .room_packet_o (room_packet[noc_pkg::vc_index(o, 0) +: VCS]),
      .flits_i       (flits),
      .out_valid_o   (out_valid_o[o]),
      .out_flit_o    (out_flit_o[FLIT_W*o +: FLIT_W]),
      .out_credit_i  (out_credit_i[noc_pkg::vc_index(o, 0) +: VCS]),
      .credit_write_i(credit_write[noc_pkg::vc_index(o, 0) +: VCS]),
      .credit_wdata_i(reg_wdata_i[CREDIT_W-1:0]),
      .credits_o     (credits[CREDIT_W*noc_pkg::vc_index(o, 0) +: CREDIT_W*VCS]),
      .empty_o       (output_empty[o])
    );
  end
  assign idle_o = &input_empty && &output_empty;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && granted != '0) begin
      one_credit_per_flit: assert ($countones(in_credit_o) == $countones(granted));
    end
  end
endmodule
