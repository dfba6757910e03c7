// SPDX-License-Identifier: Apache-2.0
// Switch around a bus: one flit per cycle from any input to any output, virtual cut-through, four
// virtual channels with credits. Worked example of an additional kind of switch.
//
// Latency of a flit without contention:
//     edge e      sampled on in_flit_i; its output is looked up (bus_input, phased_route_ram)
//     e + 1       into the buffer of its VC; it is a head-of-line flit now
//     e + 2       it leaves: granted the bus (bus_arbiter), a credit is spent. Its slot is free,
//                 signalled on in_credit_o after this edge
//     e + 3       read from the memory
//     e + 4       over the bus into the output register: on out_flit_o after e + 4
//   A packet is routed by its destination, the same in all its flits, through the routing table at
//   REG_ROUTE. A packet starts only if the receiver has room for PACKET_FLITS flits (control VC:
//   for one): the buffers of receivers are at least that deep.
// Links: in_valid_i / in_flit_i without ready, credits back on in_credit_o (bit vc_index(p, v): a
//   slot of VC v of input p was freed at the previous edge). A flit leaves only at an edge where
//   out_ready_i of its output is high and a credit is available; it is on out_valid_o / out_flit_o
//   two edges later. out_credit_i bit vc_index(p, v) gives a credit; given at edge e it can be
//   spent at e + 1. All outputs are functions of registers; words of out_flit_o are meaningful only
//   with out_valid_o.
// Registers (reg_*): noc_pkg; identity BUS_ID, shape P, error, credits, routes, counters: flits in
//   and out, stalls by credit, arbiter and link (bus_arbiter). One request per cycle, reg_rdata_o
//   follows the edge that samples a read; other addresses read 0. Credits and routes are written
//   while no traffic flows. Flits in are counted at the edge that samples them, flits out one edge
//   after they are on out_valid_o, stalls one edge after the edge at which the flit did not leave.
// idle_o: no flit inside or on an output, no credit on in_credit_o; an edge without inputs then
//   changes nothing.
// error_o: first error code, sticky. noc_pkg::ERROR_OVERFLOW: a flit found its buffer full and is
//   dropped. ERROR_ROUTE: the flit at the head of a buffer has no output, and stays. Overflow wins
//   if both come at once.
module bus_switch #(
  /// number of ports, 2 to 32
  parameter int unsigned P = 4,
  /// lanes physically carried per flit, 1 to 256
  parameter int unsigned LANES = 1,
  /// input buffer depth of each data VC, in flits, at least PACKET_FLITS
  parameter int unsigned VC_DEPTH = 48,
  /// input buffer of the control VC in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// flits of the longest data packet
  parameter int unsigned PACKET_FLITS = 8,
  /// virtual channels by priority, any order of the four: noc_pkg
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [P-1:0]                   in_valid_i,
  input  logic [P*FLIT_W-1:0]            in_flit_i,
  output logic [VCS*P-1:0]               in_credit_o,
  output logic [P-1:0]                   out_valid_o,
  output logic [P*FLIT_W-1:0]            out_flit_o,
  input  logic [P-1:0]                   out_ready_i,
  input  logic [VCS*P-1:0]               out_credit_i,
  input  logic                           reg_valid_i,
  input  logic                           reg_write_i,
  input  logic [noc_pkg::REG_ADDR_W-1:0] reg_addr_i,
  input  logic [31:0]                    reg_wdata_i,
  output logic [31:0]                    reg_rdata_o,
  output logic                           idle_o,
  output logic [31:0]                    error_o
);
  if (P < 2 || P > 32 || LANES < 1 || LANES > 256 || PACKET_FLITS < 1 || VC_DEPTH < PACKET_FLITS ||
      CTRL_DEPTH < 1) begin : gen_range
    $fatal(1, "bus_switch: found P=%0d LANES=%0d VC_DEPTH=%0d CTRL_DEPTH=%0d PACKET_FLITS=%0d",
           P, LANES, VC_DEPTH, CTRL_DEPTH, PACKET_FLITS);
  end
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "bus_switch: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
  end
  localparam int unsigned OUT_W = phased_pkg::OUT_W;
  localparam int unsigned DST_W = noc_pkg::DST_W;
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W;
  localparam int unsigned REG_ADDR_W = noc_pkg::REG_ADDR_W;
  localparam int unsigned ROUTE_ADDR_W = $clog2(noc_pkg::MAX_ROUTES);

  // ------------------------------------------------------------------ routing table, inputs
  logic                       route_hit, read, write;
  logic [OUT_W:0]             route_rdata;
  logic [P-1:0]               lookup, known, pop, overflow, input_empty;
  logic [DST_W*P-1:0]         dst;
  logic [OUT_W*P-1:0]         out;
  logic [VCS*P-1:0]           hol, lost, tail;
  logic [VCS*P*OUT_W-1:0]     to;
  logic [noc_pkg::VC_W-1:0]   pop_vc;
  logic [OUT_W-1:0]           pop_to;
  logic [P*FLIT_W-1:0]        flits;
  logic                       unused_bist_fail, unused_wdata;
  logic [bist_pkg::BUS_W-1:0] no_bist;  // no memory test

  assign no_bist = '0;
  assign unused_wdata = &{1'b0, reg_wdata_i[31:CREDIT_W]};  // no register is wider
  assign read = reg_valid_i && !reg_write_i;
  assign write = reg_valid_i && reg_write_i;
  assign route_hit = reg_addr_i >= noc_pkg::REG_ROUTE &&
                     reg_addr_i < noc_pkg::REG_ROUTE + REG_ADDR_W'(noc_pkg::MAX_ROUTES);

  phased_route_ram #(.P(P)) i_routes (
    .clk_i,
    .write_i    (write && route_hit),
    .read_i     (read && route_hit),
    .addr_i     (reg_addr_i[ROUTE_ADDR_W-1:0]),
    .wdata_i    (reg_wdata_i[OUT_W:0]),
    .rdata_o    (route_rdata),
    .lookup_i   (lookup),
    .dst_i      (dst),
    .known_o    (known),
    .out_o      (out),
    .bist_i     (no_bist),
    .bist_fail_o(unused_bist_fail)
  );

  for (genvar p = 0; p < P; p++) begin : gen_input
    bus_input #(.LANES(LANES), .VC_DEPTH(VC_DEPTH), .CTRL_DEPTH(CTRL_DEPTH)) i_input (
      .clk_i,
      .rst_ni,
      .in_valid_i(in_valid_i[p]),
      .in_flit_i (in_flit_i[p*FLIT_W +: FLIT_W]),
      .credit_o  (in_credit_o[noc_pkg::vc_index(p, 0) +: VCS]),
      .lookup_o  (lookup[p]),
      .dst_o     (dst[DST_W*p +: DST_W]),
      .known_i   (known[p]),
      .out_i     (out[OUT_W*p +: OUT_W]),
      .hol_o     (hol[noc_pkg::vc_index(p, 0) +: VCS]),
      .lost_o    (lost[noc_pkg::vc_index(p, 0) +: VCS]),
      .to_o      (to[OUT_W*noc_pkg::vc_index(p, 0) +: VCS*OUT_W]),
      .tail_o    (tail[noc_pkg::vc_index(p, 0) +: VCS]),
      .pop_i     (pop[p]),
      .pop_vc_i  (pop_vc),
      .flit_o    (flits[p*FLIT_W +: FLIT_W]),
      .overflow_o(overflow[p]),
      .empty_o   (input_empty[p])
    );
  end

  // ------------------------------------------------------------------ credits
  logic [VCS*P*CREDIT_W-1:0] credits;
  logic [VCS*P-1:0]          room_flit, room_packet;

  for (genvar p = 0; p < P; p++) begin : gen_output
    for (genvar v = 0; v < VCS; v++) begin : gen_vc
      localparam int unsigned DEPTH = (v == noc_pkg::VC_CONTROL) ? CTRL_DEPTH : VC_DEPTH;
      localparam int unsigned NEED = (v == noc_pkg::VC_CONTROL) ? 1 : PACKET_FLITS;
      localparam bit [REG_ADDR_W-1:0] REGISTER = noc_pkg::REG_CREDIT + REG_ADDR_W'(noc_pkg::vc_index(p, v));
      logic                spend;
      logic [CREDIT_W-1:0] count;
      assign spend = pop != '0 && pop_vc == noc_pkg::VC_W'(v) && pop_to == OUT_W'(p);
      assign room_packet[noc_pkg::vc_index(p, v)] = count >= CREDIT_W'(NEED);
      assign credits[CREDIT_W*noc_pkg::vc_index(p, v) +: CREDIT_W] = count;
      credit_counter #(.DEPTH(DEPTH)) i_credits (
        .clk_i,
        .rst_ni,
        .give_i      (out_credit_i[noc_pkg::vc_index(p, v)]),
        .spend_i     (spend),
        .write_i     (write && reg_addr_i == REGISTER),
        .wdata_i     (reg_wdata_i[CREDIT_W-1:0]),
        .has_credit_o(room_flit[noc_pkg::vc_index(p, v)]),
        .credits_o   (count)
      );
    end
  end

  // ------------------------------------------------------------------ bus
  logic [7:0]        stall_credit, stall_arbiter;
  logic [P-1:0]      stall_link;
  logic [P-1:0]      read_in_q, read_to_q;  // one-hot: a flit is read for its output
  logic [P-1:0]      bus_in_q, bus_to_q;    // one is on the bus
  logic [FLIT_W-1:0] bus;

  bus_arbiter #(.P(P), .VC_ORDER(VC_ORDER)) i_arbiter (
    .clk_i,
    .rst_ni,
    .hol_i          (hol),
    .to_i           (to),
    .tail_i         (tail),
    .room_flit_i    (room_flit),
    .room_packet_i  (room_packet),
    .out_ready_i,
    .pop_o          (pop),
    .pop_vc_o       (pop_vc),
    .pop_to_o       (pop_to),
    .stall_credit_o (stall_credit),
    .stall_arbiter_o(stall_arbiter),
    .stall_link_o   (stall_link)
  );

  always_comb begin : the_bus
    bus = '0;
    for (int unsigned p = 0; p < P; p++) begin
      if (bus_in_q[p]) bus = bus | flits[p*FLIT_W +: FLIT_W];
    end
  end

  always_ff @(posedge clk_i) begin : pipeline
    if (!rst_ni) begin
      read_in_q <= '0;
      read_to_q <= '0;
      bus_in_q <= '0;
      bus_to_q <= '0;
      out_valid_o <= '0;
    end else begin
      read_in_q <= pop;
      read_to_q <= (pop != '0) ? P'(1) << pop_to : '0;
      bus_in_q <= read_in_q;
      bus_to_q <= read_to_q;
      out_valid_o <= bus_to_q;
    end
    for (int unsigned p = 0; p < P; p++) begin
      if (bus_to_q[p]) out_flit_o[p*FLIT_W +: FLIT_W] <= bus;
    end
  end
  assign idle_o = &input_empty && (read_to_q | bus_to_q | out_valid_o) == '0;

  // ------------------------------------------------------------------ registers, counters
  logic                counter_hit, counter_read_q, route_read_q;  // select the read data
  logic [31:0]         counter_rdata, rdata_q;
  logic [CREDIT_W-1:0] credit_read;
  assign counter_hit = reg_addr_i >= noc_pkg::REG_FLITS_IN && reg_addr_i < noc_pkg::REG_ROUTE;
  assign reg_rdata_o = counter_read_q ? counter_rdata : route_read_q ? 32'(route_rdata) : rdata_q;

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
    .read_i         (read && counter_hit),
    .addr_i         (reg_addr_i),
    .rdata_o        (counter_rdata)
  );

  always_comb begin : credit_registers
    credit_read = '0;
    for (int unsigned i = 0; i < VCS * P; i++) begin
      if (reg_addr_i == noc_pkg::REG_CREDIT + REG_ADDR_W'(i)) credit_read = credits[CREDIT_W*i +: CREDIT_W];
    end
  end

  always_ff @(posedge clk_i) begin : reads
    if (!rst_ni) begin
      counter_read_q <= 1'b0;
      route_read_q <= 1'b0;
      rdata_q <= '0;
    end else if (read) begin
      counter_read_q <= counter_hit;
      route_read_q <= route_hit;
      case (reg_addr_i)
        noc_pkg::REG_ID:    rdata_q <= bus_pkg::BUS_ID;
        noc_pkg::REG_SHAPE: rdata_q <= P;
        noc_pkg::REG_ERROR: rdata_q <= error_o;
        default:            rdata_q <= 32'(credit_read);
      endcase
    end
  end

  always_ff @(posedge clk_i) begin : errors
    if (!rst_ni) error_o <= noc_pkg::ERROR_NONE;
    else if (error_o == noc_pkg::ERROR_NONE) begin
      if (overflow != '0) error_o <= noc_pkg::ERROR_OVERFLOW;
      else if (lost != '0) error_o <= noc_pkg::ERROR_ROUTE;
    end
  end
endmodule
