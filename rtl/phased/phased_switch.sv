// SPDX-License-Identifier: Apache-2.0
// Common part of switches with a phase store, around their interconnect: input buffers, control
// unit, matcher of online unicasts, output staging, registers and counters (§4, §5.4, §6.2.3). The
// top module of a kind combines it with an interconnect and the routes of online unicasts:
// fred_switch, reducing_crossbar, aggregator, mesh_reducing.
//
// Path of a flit: link -> phased_input_unit -> (phased_control joins the flits of a flow, or
//   phased_matcher lets a unicast go) -> the interconnect -> phased_output_unit -> link. In an
//   unloaded switch, with its phase active or as an online unicast, a flit sampled on in_flit_i at
//   edge e is at the head of its buffer after e + 1, leaves it at e + 2, is read from its memory at
//   e + 3, and on enter_flit_o after e + 4. A flit on leave_flit_i after edge f is on out_flit_o
//   after f + 2.
// Interconnect: takes the flits on enter_*_o at every edge and delivers them to the outputs of
//   their flow on leave_*_i, some edges later, to each output the flits of a VC in order; it cannot
//   stall, and the places of its flits at the outputs are reserved.
//     phase     change_o: at this edge the phase of change_row_o becomes active. load_o, two edges
//               later: its configuration applies to flits that enter after this edge. Changes are
//               at least CONFIG_STAGES + 1 edges apart. The flits of a flow enter together.
//     unicasts  move_o, a register, marks unicasts that left their buffers at the last edge; they
//               are on enter_flit_o after two more. phase_in_o and phase_out_o, registers: ports
//               that phases used at that edge; phase_vc_o: virtual channels of the flits to these
//               outputs. No two unicasts go to one output, and none to an output that the phase
//               uses.
//   An interconnect in which flits wait restricts the coming edge; other interconnects tie these
//   inputs to zero:
//     hold_i           inputs whose flits of the phase must not fire: all inputs of a flow or none.
//                      A flit held back is an arbiter stall in every cycle, and the phase does not
//                      count as silent.
//     closed_i         outputs to which no unicast may move.
//     in_flight_i      outputs with flits of phases in flight, on VC in_flight_vc_i: no unicast
//                      packet of that VC may start.
//   Header bits above TAIL_BIT are zero on enter_flit_o, and have to be zero on leave_flit_i.
//   enter_idle_i: the interconnect and its companion modules are empty.
//   enter_error_i: the interconnect's output did not match its configuration: ERROR_CONFIG.
// Routes: lookup_o marks inputs with an online unicast on in_flit_i, lookup_dst_o is its
//   destination. After that edge and until the input's next lookup route_known_i is high if there
//   is an output for it, route_out_i.
// Links: in_valid_i / in_flit_i without ready, credits back on in_credit_o (bit vc_index(p, v): one
//   slot of VC v of input p was freed); out_valid_o / out_flit_o one edge after a launch was
//   decided, which happens only at edges at which out_ready_i was high and a credit was available;
//   out_credit_i bit vc_index(p, v) gives a credit, usable at the same edge. out_flit_o is
//   meaningful only with out_valid_o. All outputs are functions of registers, except out_flit_o,
//   which is a function of a memory's output.
// Flits: noc_pkg. A packet is at most PACKET_FLITS flits (control VC: one flit). Every packet names
//   a phase of the store, or PHASE_ONLINE: a unicast routed by its destination, the same in all its
//   flits. Flits that a flow joins must agree in tag, head and tail. Header bits above TAIL_BIT
//   leave as zero.
// Registers (reg_*): sc_models/switch/register_map.h; one request per cycle, reg_rdata_o follows
//   the edge that samples a read. Registers of the routes belong to the kind: own_hit_i is high if
//   reg_addr_i is one of them and overrides all other registers, own_rdata_i is the result of the
//   last read of one. Credits and routes are written before traffic flows; the row of a phase,
//   active or not, at any time at which no packet of it is in the switch.
// Memory test: with BIST, bist_i is the test bus of all memories (bist_pkg); bist_fail_o names the
//   part with a failure: bit p input p, P+p output p, 2P the phase store. During the test the
//   switch is held in reset.
// idle_o: no flit buffered or in flight; a clock edge without inputs then changes no state.
// error_o: first error code, the lowest of several at one edge, sticky; the switch continues as far
//   as possible.
// Misprogramming: the assertions here and below hold for any register contents, except routes
//   written while flits look them up. A row that does not fit the packets that name it gives
//   ERROR_PHASE, and they stay where they are, or ERROR_JOIN, and packets may leave incomplete. A
//   row written while packets of its phase are here takes effect at its next lookup.
module phased_switch #(
  /// number of ports, 2 to 32
  parameter int unsigned P = 12,
  /// value of the identity register
  parameter bit [31:0] ID = 32'd0,
  /// value of the shape register
  parameter bit [31:0] SHAPE = 32'd0,
  /// row width of the phase store: flows, then the configuration of the interconnect
  parameter int unsigned ROW_W = phased_pkg::row_config_lsb(P),
  /// register stages of the interconnect that hold configuration
  parameter int unsigned CONFIG_STAGES = 1,
  /// see phased_control; 2 only if no flit waits in the interconnect
  parameter int unsigned PHASES_IN_USE = 1,
  /// see phased_candidates
  parameter int unsigned CONFIG_FIELD_W = 1,
  /// see phased_matcher
  parameter int unsigned APART_LEVELS = 0,
  /// input buffer depth of each data VC, in flits (24 KB)
  parameter int unsigned VC_DEPTH = 48,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W,
  /// width of a phase index, derived
  localparam int unsigned PHASE_W = noc_pkg::PHASE_W,
  /// width of a credit count, derived
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W,
  /// width of a destination, derived
  localparam int unsigned DST_W = noc_pkg::DST_W,
  /// width of an output port index, derived
  localparam int unsigned OUT_W = phased_pkg::OUT_W,
  `include "../phased/phased_parameters.svh"
  `include "../common/switch_parameters.svh"
) (
  `include "../common/switch_ports.svh"
  output logic [31:0]                error_o,
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic [2*P:0]               bist_fail_o,
  // routes of online unicasts, and their registers
  output logic [P-1:0]               lookup_o,
  output logic [DST_W*P-1:0]         lookup_dst_o,
  input  logic [P-1:0]               route_known_i,
  input  logic [OUT_W*P-1:0]         route_out_i,
  input  logic                       own_hit_i,
  input  logic [31:0]                own_rdata_i,
  // interconnect: phases, online unicasts, flits
  output logic                       change_o,
  output logic [ROW_W-1:0]           change_row_o,
  output logic                       load_o,
  output logic [P*P-1:0]             move_o,
  output logic [P-1:0]               phase_in_o,
  output logic [P-1:0]               phase_out_o,
  output logic [VC_W*P-1:0]          phase_vc_o,
  input  logic [P-1:0]               hold_i,
  input  logic [P-1:0]               closed_i,
  input  logic [P-1:0]               in_flight_i,
  input  logic [VC_W-1:0]            in_flight_vc_i,
  output logic [P-1:0]               enter_valid_o,
  output logic [P*FLIT_W-1:0]        enter_flit_o,
  input  logic [P-1:0]               leave_valid_i,
  input  logic [P*FLIT_W-1:0]        leave_flit_i,
  input  logic                       enter_idle_i,
  input  logic                       enter_error_i
);
  if (P < 2 || P > 32 || LANES < 1 || LANES > 256 || PACKET_FLITS < 1 ||
      VC_DEPTH < 1 || CTRL_DEPTH < 1 || OUT_DEPTH < PACKET_FLITS || YIELD < 1 || QUANTUM < 1) begin : gen_range
    // Ranges: see the parameter list.
    $fatal(1, "phased_switch: found P=%0d LANES=%0d VC_DEPTH=%0d CTRL_DEPTH=%0d OUT_DEPTH=%0d",
           P, LANES, VC_DEPTH, CTRL_DEPTH, OUT_DEPTH);
  end
  if (!noc_pkg::is_vc_order(VC_ORDER)) begin : gen_vc_order
    $fatal(1, "phased_switch: found VC_ORDER=%0d; allowed: every virtual channel once", VC_ORDER);
  end

  localparam int unsigned PORT_W = $clog2(P);
  localparam int unsigned NO_HEADER_W = noc_pkg::HEADER_W - noc_pkg::TAIL_BIT - 1;  // unused bits

  // ------------------------------------------------------------------ control unit and its wires
  // Phases in use, by slot; slots of the ports.
  logic [PHASES_IN_USE-1:0]         active, waits;
  logic [VC_W*PHASES_IN_USE-1:0]    vc;
  logic [VCS-1:0]                   first_vc;
  logic [PHASE_W*PHASES_IN_USE-1:0] phase;
  logic [P-1:0]                     in_slot, out_slot;
  logic [P-1:0]                     first_held, in_flight;  // for the matcher
  logic [VC_W-1:0]                  in_flight_vc;
  logic [P-1:0]                     match, match_tail, pop, reserve, held, overflow, in_empty;
  logic                             fires;
  // Head-of-line flits and room, by noc_pkg::vc_index.
  logic [VCS*PHASE_W*P-1:0]         hol_phase;
  logic [VCS*P-1:0]                 hol_tail, other, room, room_phase;
  logic [P*PORT_W-1:0]              partner;
  logic                             store_free, store_read, store_write;
  logic [PHASE_W-1:0]               store_phase, store_write_phase;
  logic [ROW_W-1:0]                 row;
  logic [7:0]                       reductions, stall_join, stall_credit, stall_phase;
  logic                             error_phase, error_join, control_idle;

  // Online unicasts, the first vectors indexed by noc_pkg::vc_index.
  logic [VCS*P-1:0]       request, no_route, locked;
  logic [VCS*P*OUT_W-1:0] hol_out;
  logic [P-1:0]           online_reserve;
  logic [VCS*P-1:0]       online_pop;  // bit vc_index(input, VC)
  logic [VC_W*P-1:0]      online_reserve_vc;
  logic [7:0]             online_stall_credit, online_stall_arbiter;
  logic                   matcher_idle;

  // Inputs whose flits of the phase were held back by the interconnect in the last cycle.
  logic [P-1:0] held_back_q;

  always_ff @(posedge clk_i) begin : held_back
    if (!rst_ni) held_back_q <= '0;
    else held_back_q <= match & hold_i;
  end

  assign room_phase = room & ~locked;

  if (PHASES_IN_USE > 1) begin : gen_two
    assign waits = {(match & hold_i & in_slot) != '0, (match & hold_i & ~in_slot) != '0};
    // No flit waits in the interconnect, so the outputs held by the second phase take the place of
    // outputs with flits in flight.
    logic unused_in_flight;
    assign unused_in_flight = &{1'b0, in_flight_i, in_flight_vc_i};
    assign first_held = held & ~out_slot;
    assign in_flight = held & out_slot;
    assign in_flight_vc = vc[VC_W +: VC_W];
  end else begin : gen_one
    assign waits = (match & hold_i) != '0;
    assign first_held = held;
    assign in_flight = in_flight_i;
    assign in_flight_vc = in_flight_vc_i;
  end

  phased_control #(
    .P             (P),
    .ROW_W         (ROW_W),
    .CONFIG_STAGES (CONFIG_STAGES),
    .PHASES_IN_USE (PHASES_IN_USE),
    .CONFIG_FIELD_W(CONFIG_FIELD_W),
    .YIELD         (YIELD),
    .QUANTUM       (QUANTUM),
    .VC_ORDER      (VC_ORDER)
  ) i_control (
    .clk_i,
    .rst_ni,
    .active_o      (active),
    .vc_o          (vc),
    .first_vc_o    (first_vc),
    .phase_o       (phase),
    .in_slot_o     (in_slot),
    .out_slot_o    (out_slot),
    .match_i       (match & ~hold_i),
    .wait_i        (waits),
    .tail_i        (match_tail),
    .other_i       (other),
    .hol_phase_i   (hol_phase),
    .pop_o         (pop),
    .partner_o     (partner),
    .room_i        (room_phase),
    .reserve_o     (reserve),
    .fire_o        (fires),
    .held_o        (held),
    .free_i        (store_free),
    .read_o        (store_read),
    .read_phase_o  (store_phase),
    .row_i         (row),
    .write_i       (store_write),
    .write_phase_i (store_write_phase),
    .change_o,
    .change_row_o,
    .load_o,
    .reductions_o  (reductions),
    .stall_join_o  (stall_join),
    .stall_credit_o(stall_credit),
    .stall_phase_o (stall_phase),
    .error_phase_o (error_phase),
    .idle_o        (control_idle)
  );

  phased_matcher #(.P(P), .APART_LEVELS(APART_LEVELS), .VC_ORDER(VC_ORDER)) i_matcher (
    .clk_i,
    .rst_ni,
    .request_i      (request),
    .out_i          (hol_out),
    .tail_i         (hol_tail),
    .room_i         (room),
    .phase_held_i   (first_held),
    .phase_vc_i     (first_vc),
    .closed_i,
    .in_flight_i    (in_flight),
    .in_flight_vc_i (in_flight_vc),
    .phase_pop_i    (pop),
    .phase_reserve_i(reserve),
    .phase_fires_i  (fires),
    .pop_o          (online_pop),
    .reserve_o      (online_reserve),
    .reserve_vc_o   (online_reserve_vc),
    .locked_o       (locked),
    .move_o,
    .phase_in_o,
    .phase_out_o,
    .stall_credit_o (online_stall_credit),
    .stall_arbiter_o(online_stall_arbiter),
    .idle_o         (matcher_idle)
  );

  // ------------------------------------------------------------------ registers
  logic                  store_hit, counter_hit, credit_hit;
  logic [31:0]           store_rdata, counter_rdata, other_q;
  logic [REG_ADDR_W-1:0] credit_index;  // noc_pkg::vc_index
  logic [PORT_W-1:0]     credit_port;
  logic [VC_W-1:0]       credit_vc;
  // Source of the data of the last read: 0 identity and credits, 1 counters, 2 phase store, 3 the
  // kind's own.
  logic [1:0]            source_q;

  assign store_hit = reg_addr_i >= noc_pkg::REG_PHASE_STORE;
  assign counter_hit = reg_addr_i >= noc_pkg::REG_FLITS_IN && !store_hit && !own_hit_i;
  assign credit_index = reg_addr_i - noc_pkg::REG_CREDIT;
  assign credit_hit = reg_valid_i && reg_addr_i >= noc_pkg::REG_CREDIT && 32'(credit_index) < VCS * P;
  assign credit_port = PORT_W'(32'(credit_index) / VCS);
  assign credit_vc = VC_W'(32'(credit_index) % VCS);
  assign reg_rdata_o = (source_q == 2'd3) ? own_rdata_i : (source_q == 2'd2) ? store_rdata
                                          : (source_q == 2'd1) ? counter_rdata : other_q;

  phased_store #(.ROW_W(ROW_W), .PHASES_IN_USE(PHASES_IN_USE), .BIST(BIST)) i_phase_store (
    .clk_i,
    .rst_ni,
    .access_i     (reg_valid_i && store_hit),
    .write_i      (reg_write_i),
    .addr_i       (reg_addr_i - noc_pkg::REG_PHASE_STORE),
    .wdata_i      (reg_wdata_i),
    .rdata_o      (store_rdata),
    .free_o       (store_free),
    .write_o      (store_write),
    .write_phase_o(store_write_phase),
    .read_i       (store_read),
    .phase_i      (store_phase),
    .row_o        (row),
    .bist_i,
    .bist_fail_o  (bist_fail_o[2*P])
  );

  logic [P-1:0]              empty, stall_link;
  logic [VCS*CREDIT_W*P-1:0] credits;  // by noc_pkg::vc_index

  switch_counters #(.P(P)) i_counters (
    .clk_i,
    .rst_ni,
    .flit_in_i      (in_valid_i),
    .flit_out_i     (out_valid_o),
    .reductions_i   (reductions),
    .phase_change_i (change_o),
    .stall_join_i   (stall_join),
    .stall_credit_i (stall_credit + online_stall_credit),
    .stall_phase_i  (stall_phase),
    .stall_arbiter_i(online_stall_arbiter + ((held_back_q != '0) ? 8'($countones(held_back_q)) : 8'd0)),
    .stall_link_i   (stall_link),
    .read_i         (reg_valid_i && !reg_write_i && counter_hit),
    .addr_i         (reg_addr_i),
    .rdata_o        (counter_rdata)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      other_q <= '0;
      source_q <= '0;
      error_o <= noc_pkg::ERROR_NONE;
    end else begin
      if (reg_valid_i && !reg_write_i) begin
        source_q <= own_hit_i ? 2'd3 : store_hit ? 2'd2 : counter_hit ? 2'd1 : 2'd0;
        other_q <= '0;
        if (reg_addr_i == noc_pkg::REG_ID) other_q <= ID;
        if (reg_addr_i == noc_pkg::REG_SHAPE) other_q <= SHAPE;
        if (reg_addr_i == noc_pkg::REG_ERROR) other_q <= error_o;
        if (credit_hit) other_q <= 32'(credits[CREDIT_W*32'(credit_index) +: CREDIT_W]);
      end
      if (error_o == noc_pkg::ERROR_NONE) begin
        if (overflow != '0) error_o <= noc_pkg::ERROR_OVERFLOW;
        else if (error_join) error_o <= noc_pkg::ERROR_JOIN;
        else if (error_phase) error_o <= noc_pkg::ERROR_PHASE;
        else if (no_route != '0) error_o <= noc_pkg::ERROR_ROUTE;
        else if (enter_error_i) error_o <= noc_pkg::ERROR_CONFIG;
      end
    end
  end

  // Packets cut by an error or mixed with others do not leave whole. In simulation only.
  logic cut_q;

  always_ff @(posedge clk_i) begin : cut
    if (!rst_ni) cut_q <= 1'b0;
    else if (overflow != '0 || error_join || enter_error_i) cut_q <= 1'b1;
  end

  // ------------------------------------------------------------------ ports
  logic [P-1:0]                read_tail;
  logic [noc_pkg::TAG_W*P-1:0] read_tag;

  phased_join_check #(.P(P)) i_join_check (
    .clk_i,
    .rst_ni,
    .pop_i    (pop),
    .partner_i(partner),
    .tag_i    (read_tag),
    .tail_i   (read_tail),
    .error_o  (error_join)
  );

  for (genvar p = 0; p < P; p++) begin : gen_port
    localparam int unsigned LAST_SLOT = PHASES_IN_USE - 1;
    logic [VCS-1:0]               credit_back;
    logic [FLIT_W-1:0]            flit;
    logic [noc_pkg::HEADER_W-1:0] read_header;
    logic [VC_W-1:0]              in_vc, out_vc;  // VCs of the phase in the slot of the port
    logic [PHASE_W-1:0]           in_phase;
    logic                         in_active;
    logic [VC_W-1:0]              reserve_vc;
    logic [VCS-1:0]               pop_vc;         // one-hot
    assign in_vc = in_slot[p] ? vc[VC_W*LAST_SLOT +: VC_W] : vc[0 +: VC_W];
    assign out_vc = out_slot[p] ? vc[VC_W*LAST_SLOT +: VC_W] : vc[0 +: VC_W];
    assign in_phase = in_slot[p] ? phase[PHASE_W*LAST_SLOT +: PHASE_W] : phase[0 +: PHASE_W];
    assign in_active = in_slot[p] ? active[LAST_SLOT] : active[0];
    assign phase_vc_o[VC_W*p +: VC_W] = out_vc;
    // Selected by the phase's actions, which are known before the actions of online unicasts.
    assign pop_vc = pop[p] ? VCS'(1) << in_vc : online_pop[noc_pkg::vc_index(p, 0) +: VCS];
    assign reserve_vc = reserve[p] ? out_vc : online_reserve_vc[VC_W*p +: VC_W];
    phased_input_unit #(.LANES(LANES), .VC_DEPTH(VC_DEPTH), .CTRL_DEPTH(CTRL_DEPTH), .BIST(BIST)) i_input (
      .clk_i,
      .rst_ni,
      .in_valid_i   (in_valid_i[p]),
      .in_flit_i    (in_flit_i[p*FLIT_W +: FLIT_W]),
      .credit_o     (credit_back),
      .active_i     (in_active),
      .vc_i         (in_vc),
      .phase_i      (in_phase),
      .lookup_o     (lookup_o[p]),
      .lookup_dst_o (lookup_dst_o[DST_W*p +: DST_W]),
      .route_known_i(route_known_i[p]),
      .route_out_i  (route_out_i[OUT_W*p +: OUT_W]),
      .match_o      (match[p]),
      .match_tail_o (match_tail[p]),
      .other_o      (other[noc_pkg::vc_index(p, 0) +: VCS]),
      .hol_phase_o  (hol_phase[PHASE_W*noc_pkg::vc_index(p, 0) +: VCS*PHASE_W]),
      .request_o    (request[noc_pkg::vc_index(p, 0) +: VCS]),
      .no_route_o   (no_route[noc_pkg::vc_index(p, 0) +: VCS]),
      .hol_out_o    (hol_out[OUT_W*noc_pkg::vc_index(p, 0) +: VCS*OUT_W]),
      .hol_tail_o   (hol_tail[noc_pkg::vc_index(p, 0) +: VCS]),
      .pop_i        (pop_vc),
      .read_header_o(read_header),
      .flit_valid_o (enter_valid_o[p]),
      .flit_o       (flit),
      .empty_o      (in_empty[p]),
      .overflow_o   (overflow[p]),
      .bist_i,
      .bist_fail_o  (bist_fail_o[p])
    );
    assign read_tag[noc_pkg::TAG_W*p +: noc_pkg::TAG_W] = read_header[noc_pkg::TAG_LSB +: noc_pkg::TAG_W];
    assign read_tail[p] = read_header[noc_pkg::TAIL_BIT];
    logic unused_header;  // header bits after the tail bit are not passed on
    assign unused_header = &{1'b0, flit[noc_pkg::HEADER_W-1:noc_pkg::TAIL_BIT+1], read_header};
    assign enter_flit_o[p*FLIT_W +: FLIT_W] = {flit[FLIT_W-1:noc_pkg::HEADER_W], {NO_HEADER_W{1'b0}},
                                               flit[noc_pkg::TAIL_BIT:0]};
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
      .reserve_i     (reserve[p] || online_reserve[p]),
      .reserve_vc_i  (reserve_vc),
      .room_o        (room[noc_pkg::vc_index(p, 0) +: VCS]),
      .in_valid_i    (leave_valid_i[p]),
      .in_flit_i     (leave_flit_i[p*FLIT_W +: FLIT_W]),
      .ready_i       (out_ready_i[p]),
      .credit_i      (out_credit_i[noc_pkg::vc_index(p, 0) +: VCS]),
      .out_valid_o   (out_valid_o[p]),
      .out_flit_o    (out_flit_o[p*FLIT_W +: FLIT_W]),
      .credit_write_i(credit_hit && reg_write_i && credit_port == PORT_W'(p)),
      .credit_vc_i   (credit_vc),
      .credit_wdata_i(reg_wdata_i[CREDIT_W-1:0]),
      .credits_o     (credits[CREDIT_W*noc_pkg::vc_index(p, 0) +: VCS*CREDIT_W]),
      .stall_link_o  (stall_link[p]),
      .empty_o       (empty[p]),
      .whole_i       (!cut_q),
      .bist_i,
      .bist_fail_o   (bist_fail_o[P+p])
    );
    assign in_credit_o[noc_pkg::vc_index(p, 0) +: VCS] = credit_back;
  end

  assign idle_o = control_idle && &in_empty && &empty && !error_join && matcher_idle && enter_idle_i;
endmodule
