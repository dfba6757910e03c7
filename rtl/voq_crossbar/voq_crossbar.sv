// SPDX-License-Identifier: Apache-2.0
// VOQ crossbar: a switch without phases and adders, with virtual output queues at its inputs and
// iSLIP. It is the conventional switch, of equal ports and buffers, to compare unicasts with.
//
// Path of a flit: link -> voq_input_unit -> (voq_scheduler lets it go) -> voq_crossbar_mux ->
//   phased_output_unit -> link. In an unloaded switch a flit sampled on in_flit_i at edge e is at
//   the head of its queue after e + 1, leaves it at e + 2, is read from its memory at e + 3, in the
//   flit register after e + 4, in the crossbar register after e + 5, in the staging with its launch
//   decided at e + 6, and on out_flit_o after e + 7.
// Links: in_valid_i / in_flit_i without ready, credits back on in_credit_o (bit vc_index(p, v): one
//   slot of VC v of input p was freed); out_valid_o / out_flit_o one edge after a launch was
//   decided, which happens only at edges at which out_ready_i was high and a credit was available;
//   out_credit_i bit vc_index(p, v) gives a credit, usable at the same edge. out_flit_o is
//   meaningful only with out_valid_o. All outputs are functions of registers, except out_flit_o,
//   which is a function of a memory's output.
// Flits: noc_pkg. A packet is at most PACKET_FLITS flits (control VC: one flit), all of
//   PHASE_ONLINE and with one destination, which the routing table has. A flit that names a phase
//   or has no route is an error and is dropped (voq_input_unit). Header bits above TAIL_BIT leave
//   as zero.
// Order: flits of one input, VC and output leave in the order of arrival; packets of a VC leave
//   whole, one after the other. Between outputs, and between VCs, there is no order.
// Registers (reg_*): sc_models/switch/register_map.h; one request per cycle, reg_rdata_o follows
//   the edge that samples a read. Credits and routes are written before traffic flows. There is no
//   phase store; its addresses read 0.
// Memory test: with BIST, bist_i is the test bus of all memories (bist_pkg); bist_fail_o names the
//   part with a failure: bit p input p, P+p output p, 2P the routing table. During the test the
//   switch is held in reset.
// idle_o: no flit buffered or in flight; a clock edge without inputs then changes no state.
// error_o: first error code, the lowest of several at one edge, sticky; the switch continues as far
//   as possible.
module voq_crossbar #(
  /// number of ports, 2 to 32
  parameter int unsigned P = 12,
  /// input buffer depth of each data VC, in flits (24 KB), shared by its queues
  parameter int unsigned VC_DEPTH = 48,
  /// depth of the output staging of each VC in flits, at least PACKET_FLITS
  parameter int unsigned OUT_DEPTH = 24,
  /// address width of the routing table, 10 to 15 (noc_pkg)
  parameter int unsigned ROUTE_ADDR_W = noc_pkg::DEFAULT_ROUTE_ADDR_W,
  /// rounds of iSLIP, 1 to 4 (voq_scheduler)
  parameter int unsigned ITERATIONS = 2,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0,
  `include "../common/switch_parameters.svh"
) (
  `include "../common/switch_ports.svh"
  output logic [31:0]                error_o,
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic [2*P:0]               bist_fail_o
);
  localparam int unsigned VC_W = noc_pkg::VC_W;
  localparam int unsigned DST_W = noc_pkg::DST_W;
  localparam int unsigned OUT_W = phased_pkg::OUT_W;
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W;
  localparam int unsigned NO_HEADER_W = noc_pkg::HEADER_W - noc_pkg::TAIL_BIT - 1;  // unused bits
  if (P < 2 || P > 32 || LANES < 1 || LANES > 256 || PACKET_FLITS < 1 || VC_DEPTH < 1 || CTRL_DEPTH < 1 ||
      OUT_DEPTH < PACKET_FLITS || ITERATIONS < 1 || ITERATIONS > voq_crossbar_pkg::MAX_ITERATIONS) begin : gen_range
    // Ranges: see the parameter list.
    $fatal(1, "voq_crossbar: found P=%0d LANES=%0d VC_DEPTH=%0d CTRL_DEPTH=%0d OUT_DEPTH=%0d ITERATIONS=%0d",
           P, LANES, VC_DEPTH, CTRL_DEPTH, OUT_DEPTH, ITERATIONS);
  end
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "voq_crossbar: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
  end

  // ------------------------------------------------------------------ scheduler
  logic [VCS*P*P-1:0] valid, tail, several, pop;  // bit P*vc_index(input, v) + output
  logic [VCS*P-1:0]   room;                       // by (output, VC)
  logic [P-1:0]       reserve;
  logic [VC_W*P-1:0]  reserve_vc;
  logic [P*P-1:0]     pair, pair_q, select_q;     // bit P*output + input, 1, 2, 3 edges after the
                                                  // pop
  logic [7:0]         stall_credit, stall_arbiter;
  logic               scheduler_idle;

  voq_scheduler #(.P(P), .ITERATIONS(ITERATIONS), .VC_ORDER(VC_ORDER)) i_scheduler (
    .clk_i,
    .rst_ni,
    .valid_i        (valid),
    .tail_i         (tail),
    .several_i      (several),
    .room_i         (room),
    .pop_o          (pop),
    .reserve_o      (reserve),
    .reserve_vc_o   (reserve_vc),
    .pair_o         (pair),
    .stall_credit_o (stall_credit),
    .stall_arbiter_o(stall_arbiter),
    .idle_o         (scheduler_idle)
  );

  always_ff @(posedge clk_i) begin : selection
    if (!rst_ni) begin
      pair_q <= '0;
      select_q <= '0;
    end else begin
      pair_q <= pair;
      select_q <= pair_q;
    end
  end

  // ------------------------------------------------------------------ registers, counters, routes
  logic                      counter_read, route_read, route_write;
  logic [31:0]               counter_rdata;
  logic [OUT_W:0]            route_rdata;
  logic [CREDIT_W*VCS*P-1:0] credits;
  logic [VCS*P-1:0]          credit_write;
  logic [P-1:0]              overflow, error_phase, error_route, stall_link;
  logic [P-1:0]              lookup, route_known;
  logic [DST_W*P-1:0]        lookup_dst;
  logic [OUT_W*P-1:0]        route_out;

  voq_crossbar_registers #(.P(P), .ROUTE_ADDR_W(ROUTE_ADDR_W)) i_registers (
    .clk_i,
    .rst_ni,
    .valid_i         (reg_valid_i),
    .write_i         (reg_write_i),
    .addr_i          (reg_addr_i),
    .rdata_o         (reg_rdata_o),
    .counter_read_o  (counter_read),
    .counter_rdata_i (counter_rdata),
    .route_read_o    (route_read),
    .route_write_o   (route_write),
    .route_rdata_i   (route_rdata),
    .credits_i       (credits),
    .credit_write_o  (credit_write),
    .error_overflow_i(overflow),
    .error_phase_i   (error_phase),
    .error_route_i   (error_route),
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
    .stall_credit_i (stall_credit),
    .stall_phase_i  (8'd0),
    .stall_arbiter_i(stall_arbiter),
    .stall_link_i   (stall_link),
    .read_i         (counter_read),
    .addr_i         (reg_addr_i),
    .rdata_o        (counter_rdata)
  );

  phased_route_ram #(.P(P), .ROUTE_ADDR_W(ROUTE_ADDR_W), .BIST(BIST)) i_routes (
    .clk_i,
    .write_i    (route_write),
    .read_i     (route_read),
    .addr_i     (reg_addr_i[ROUTE_ADDR_W-1:0]),
    .wdata_i    (reg_wdata_i[OUT_W:0]),
    .rdata_o    (route_rdata),
    .lookup_i   (lookup),
    .dst_i      (lookup_dst),
    .known_o    (route_known),
    .out_o      (route_out),
    .bist_i,
    .bist_fail_o(bist_fail_o[2*P])
  );

  // ------------------------------------------------------------------ ports
  logic [P-1:0]        flit_valid, leave_valid, in_empty, empty;
  logic [P*FLIT_W-1:0] flit;

  for (genvar p = 0; p < P; p++) begin : gen_port
    logic [VCS-1:0]    write_vc;
    logic [VC_W-1:0]   write_vc_number;
    logic              write_any;
    logic [FLIT_W-1:0] read, leave;

    voq_input_unit #(.P(P), .LANES(LANES), .VC_DEPTH(VC_DEPTH), .CTRL_DEPTH(CTRL_DEPTH), .BIST(BIST)) i_input (
      .clk_i,
      .rst_ni,
      .in_valid_i   (in_valid_i[p]),
      .in_flit_i    (in_flit_i[p*FLIT_W +: FLIT_W]),
      .credit_o     (in_credit_o[noc_pkg::vc_index(p, 0) +: VCS]),
      .lookup_o     (lookup[p]),
      .lookup_dst_o (lookup_dst[DST_W*p +: DST_W]),
      .route_known_i(route_known[p]),
      .route_out_i  (route_out[OUT_W*p +: OUT_W]),
      .valid_o      (valid[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .tail_o       (tail[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .several_o    (several[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .pop_i        (pop[P*noc_pkg::vc_index(p, 0) +: VCS*P]),
      .flit_valid_o (flit_valid[p]),
      .flit_o       (read),
      .empty_o      (in_empty[p]),
      .overflow_o   (overflow[p]),
      .error_phase_o(error_phase[p]),
      .error_route_o(error_route[p]),
      .bist_i,
      .bist_fail_o  (bist_fail_o[p])
    );
    logic unused_header;  // header bits after the tail bit are not passed on
    assign unused_header = &{1'b0, read[noc_pkg::HEADER_W-1:noc_pkg::TAIL_BIT+1]};
    assign flit[p*FLIT_W +: FLIT_W] = {read[FLIT_W-1:noc_pkg::HEADER_W], {NO_HEADER_W{1'b0}},
                                       read[noc_pkg::TAIL_BIT:0]};

    voq_crossbar_mux #(.P(P), .FLIT_W(FLIT_W)) i_mux (
      .clk_i,
      .rst_ni,
      .select_i   (select_q[P*p +: P]),
      .in_valid_i (flit_valid),
      .in_flit_i  (flit),
      .out_valid_o(leave_valid[p]),
      .out_flit_o (leave)
    );

    assign write_vc = credit_write[noc_pkg::vc_index(p, 0) +: VCS];
    assign write_any = write_vc != '0;
    always_comb begin : number
      write_vc_number = '0;
      for (int unsigned v = 0; v < VCS; v++) begin
        if (write_vc[v]) write_vc_number = write_vc_number | VC_W'(v);
      end
    end
    phased_output_unit #(
      .LANES       (LANES),
      .OUT_DEPTH   (OUT_DEPTH),
      .VC_DEPTH    (VC_DEPTH),
      .CTRL_DEPTH  (CTRL_DEPTH),
      .PACKET_FLITS(PACKET_FLITS),
      .VC_ORDER    (VC_ORDER),
      .BIST        (BIST)
    ) i_output (
      .clk_i,
      .rst_ni,
      .reserve_i     (reserve[p]),
      .reserve_vc_i  (reserve_vc[VC_W*p +: VC_W]),
      .room_o        (room[noc_pkg::vc_index(p, 0) +: VCS]),
      .in_valid_i    (leave_valid[p]),
      .in_flit_i     (leave),
      .ready_i       (out_ready_i[p]),
      .credit_i      (out_credit_i[noc_pkg::vc_index(p, 0) +: VCS]),
      .out_valid_o   (out_valid_o[p]),
      .out_flit_o    (out_flit_o[p*FLIT_W +: FLIT_W]),
      .credit_write_i(write_any),
      .credit_vc_i   (write_vc_number),
      .credit_wdata_i(reg_wdata_i[CREDIT_W-1:0]),
      .credits_o     (credits[CREDIT_W*noc_pkg::vc_index(p, 0) +: VCS*CREDIT_W]),
      .stall_link_o  (stall_link[p]),
      .empty_o       (empty[p]),
      .whole_i       (1'b1),
      .bist_i,
      .bist_fail_o   (bist_fail_o[P+p])
    );
  end

  // A flit in flight between inputs and outputs has a reserved place in the staging, which is then
  // not empty.
  assign idle_o = scheduler_idle && pair_q == '0 && select_q == '0 && &in_empty && &empty;

  logic unused_wdata;  // no register is wider
  assign unused_wdata = &{1'b0, reg_wdata_i[31:CREDIT_W]};
endmodule
