// SPDX-License-Identifier: Apache-2.0
// Output side of one port of a fred_switch: staging FIFO per virtual channel, credits, link
// arbiter.
//
// Staging: the interconnect cannot stall, so a flit may enter it only if a place behind it is
//   reserved. The control unit reserves that place here (reserve_i, for VC reserve_vc_i) when it
//   fires a flit; in the staging FIFO the flit then waits for credits of the receiver. Virtual
//   cut-through: room_o is high if a whole packet fits, and only head flits need it, so a packet
//   that has begun to move never stops inside the switch. Credits are spent here, at the end of the
//   pipeline, so the credit loop of a link is two link latencies plus four cycles.
// Handshake: reserve_i at an edge takes one place of VC reserve_vc_i; the flit arrives from the
//   interconnect later (in_valid_i). ready_i low at an edge: no launch is decided then (link
//   pacing). credit_i[v] at an edge: the receiver freed one slot of VC v; it can be spent at that
//   edge.
// Room: a reservation is counted one edge after it was made. Until then room_o requires one place
//   more.
// Arbiter: by priority of the VCs, VC_ORDER; flits of different VCs may interleave on the link. A
//   packet of a phase whose head was launched has precedence until its tail was launched; only if
//   it lacks a flit or a credit another VC takes the cycle. (A switch changes its phase at the ends
//   of packets: a phase of higher priority that overtook inside a packet would wait for the
//   remaining flits of that packet. Unicasts routed online block no phase change.)
// Timing: a flit on in_flit_i before edge e is written to the memory at e, and its launch is
//   decided at e at the earliest; a flit whose launch was decided at e is on out_flit_o, the output
//   of the memory, with out_valid_o after e + 1.
module phased_output_unit #(
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// depth of the staging FIFO of each VC in flits, at least PACKET_FLITS
  parameter int unsigned OUT_DEPTH = 24,
  /// credits per data VC after reset: depth of the buffer at the other end of the link
  parameter int unsigned VC_DEPTH = 48,
  /// credits of the control VC after reset
  parameter int unsigned CTRL_DEPTH = 4,
  /// flits of the longest data packet; control packets are one flit
  parameter int unsigned PACKET_FLITS = 8,
  /// VC priority order (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// 1: adds BIST to the memory
  parameter int unsigned BIST = 0,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W,
  /// width of a credit count, derived
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // control unit
  input  logic                       reserve_i,
  input  logic [VC_W-1:0]            reserve_vc_i,
  output logic [VCS-1:0]             room_o,
  // interconnect
  input  logic                       in_valid_i,
  input  logic [FLIT_W-1:0]          in_flit_i,
  // link
  input  logic                       ready_i,
  input  logic [VCS-1:0]             credit_i,
  output logic                       out_valid_o,
  output logic [FLIT_W-1:0]          out_flit_o,
  // registers: credits of the receiver
  input  logic                       credit_write_i,
  input  logic [VC_W-1:0]            credit_vc_i,
  input  logic [CREDIT_W-1:0]        credit_wdata_i,
  output logic [VCS*CREDIT_W-1:0]    credits_o,
  // status
  output logic                       stall_link_o,
  output logic                       empty_o,
  // simulation only: no error has cut packets, so they are asserted to leave whole
  input  logic                       whole_i,
  // memory test: see bist_ram
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic                       bist_fail_o
);
  localparam int unsigned TOTAL = VCS * OUT_DEPTH;
  localparam int unsigned W = $clog2(TOTAL + 1);
  localparam int unsigned SLOT_W = $clog2(TOTAL);

  // Per VC, W bits each: flits held, places not reserved; slots of the oldest flit and of the next
  // flit to arrive. VC v owns the slots from v*OUT_DEPTH on.
  logic [VCS*W-1:0]      count_q, places_q;
  logic [VCS*SLOT_W-1:0] head_q, free_q;
  logic [VCS-1:0]        has_flit_q, room_packet_q, room_packet_and_flit_q;
  logic                  reserve_q, launch_q, all_free_q;
  logic [VC_W-1:0]       reserve_vc_q;
  logic [SLOT_W-1:0]     slot_q;  // slot of the flit to be launched

  // Slot at the given offset from the first slot of its VC, for every VC.
  function automatic logic [VCS*SLOT_W-1:0] slots(input int unsigned offset);
    for (int unsigned v = 0; v < VCS; v++) slots[SLOT_W*v +: SLOT_W] = SLOT_W'(v * OUT_DEPTH + offset);
  endfunction
  localparam logic [VCS*SLOT_W-1:0] FIRST_SLOTS = slots(0);
  localparam logic [VCS*SLOT_W-1:0] LAST_SLOTS = slots(OUT_DEPTH - 1);

  // Next slot of a VC.
  function automatic logic [SLOT_W-1:0] next_slot(input logic [VC_W-1:0] vc, input logic [SLOT_W-1:0] slot);
    next_slot = (slot == LAST_SLOTS[SLOT_W*32'(vc) +: SLOT_W]) ? FIRST_SLOTS[SLOT_W*32'(vc) +: SLOT_W]
                                                               : slot + SLOT_W'(1);
  endfunction

  // Max packet length of a VC, in flits.
  function automatic logic [W-1:0] packet_flits(input int unsigned vc);
    packet_flits = (vc == 32'(noc_pkg::VC_CONTROL)) ? W'(1) : W'(PACKET_FLITS);
  endfunction

  // ------------------------------------------------------------------ launch
  noc_pkg::header_t in_header;
  logic [VC_W-1:0]  in_vc, pick;
  logic [VCS-1:0]   arriving, able, credit;
  logic [VCS-1:0]   open_q, last;  // inside a packet of a phase; after the launch of the
                                   // head-of-line flit no longer so
  logic [TOTAL-1:0] lasts_q;       // last, by slot
  logic             in_last;
  logic             launch;

  assign in_header = in_flit_i[noc_pkg::HEADER_W-1:0];
  assign in_vc = in_header.vc;
  assign in_last = in_header.tail || in_header.phase == noc_pkg::PHASE_ONLINE;
  assign launch = ready_i && able != '0;

  always_comb begin : hol_flits
    arriving = '0;
    able = '0;
    pick = '0;
    last = '0;
    if (in_valid_i) arriving = VCS'(1) << in_vc;
    if (in_valid_i || has_flit_q != '0) begin
      able = (has_flit_q | arriving) & (credit | credit_i);
      pick = noc_pkg::first_vc(VC_ORDER, ((able & open_q) != '0) ? able & open_q : able);
      for (int unsigned v = 0; v < VCS; v++) last[v] = has_flit_q[v] ? lasts_q[head_q[SLOT_W*v +: SLOT_W]] : in_last;
    end
  end

  for (genvar v = 0; v < VCS; v++) begin : gen_credits
    credit_counter #(.DEPTH((v == noc_pkg::VC_CONTROL) ? CTRL_DEPTH : VC_DEPTH)) i_credits (
      .clk_i,
      .rst_ni,
      .give_i      (credit_i[v]),
      .spend_i     (launch && pick == VC_W'(v)),
      .write_i     (credit_write_i && credit_vc_i == VC_W'(v)),
      .wdata_i     (credit_wdata_i),
      .has_credit_o(credit[v]),
      .credits_o   (credits_o[CREDIT_W*v +: CREDIT_W])
    );
  end

  bist_ram #(.WIDTH(FLIT_W), .DEPTH(TOTAL), .BIST(BIST)) i_staging (
    .clk_i,
    .write_i(in_valid_i),
    .waddr_i(free_q[SLOT_W*32'(in_vc) +: SLOT_W]),
    .wdata_i(in_flit_i),
    .read_i (launch_q),
    .raddr_i(slot_q),
    .rdata_o(out_flit_o),
    .bist_i,
    .fail_o (bist_fail_o)
  );

  always_ff @(posedge clk_i) begin : staging
    logic [SLOT_W-1:0] slot;
    logic [W-1:0]      count;
    if (!rst_ni) begin
      head_q <= FIRST_SLOTS;
      free_q <= FIRST_SLOTS;
      count_q <= '0;
      has_flit_q <= '0;
      open_q <= '0;
      launch_q <= 1'b0;
      out_valid_o <= 1'b0;
      stall_link_o <= 1'b0;
    end else begin
      launch_q <= launch;
      out_valid_o <= launch_q;
      stall_link_o <= !ready_i && able != '0;
      if (launch || in_valid_i) begin
        if (launch) begin
          slot = head_q[SLOT_W*32'(pick) +: SLOT_W];
          slot_q <= slot;
          open_q[pick] <= !last[pick];
          head_q[SLOT_W*32'(pick) +: SLOT_W] <= next_slot(pick, slot);
        end
        if (in_valid_i) begin
          slot = free_q[SLOT_W*32'(in_vc) +: SLOT_W];
          lasts_q[slot] <= in_last;
          free_q[SLOT_W*32'(in_vc) +: SLOT_W] <= next_slot(in_vc, slot);
        end
        for (int unsigned v = 0; v < VCS; v++) begin
          count = count_q[W*v +: W] + W'(arriving[v]) - W'(launch && pick == VC_W'(v));
          count_q[W*v +: W] <= count;
          has_flit_q[v] <= count != '0;
        end
      end
    end
  end

  // ------------------------------------------------------------------ places
  always_ff @(posedge clk_i) begin : places
    logic [VCS*W-1:0] left;
    if (!rst_ni) begin
      places_q <= {VCS{W'(OUT_DEPTH)}};
      room_packet_q <= '1;
      for (int unsigned v = 0; v < VCS; v++) room_packet_and_flit_q[v] <= W'(OUT_DEPTH) > packet_flits(v);
      all_free_q <= 1'b1;
      reserve_q <= 1'b0;
      reserve_vc_q <= '0;
    end else begin
      reserve_q <= reserve_i;
      if (reserve_i) reserve_vc_q <= reserve_vc_i;
      if (launch || reserve_q) begin
        for (int unsigned v = 0; v < VCS; v++) begin
          left[W*v +: W] = places_q[W*v +: W] + W'(launch && pick == VC_W'(v)) -
                           W'(reserve_q && reserve_vc_q == VC_W'(v));
          room_packet_q[v] <= left[W*v +: W] >= packet_flits(v);
          room_packet_and_flit_q[v] <= left[W*v +: W] > packet_flits(v);
        end
        places_q <= left;
        all_free_q <= left == {VCS{W'(OUT_DEPTH)}};
      end
    end
  end

  for (genvar v = 0; v < VCS; v++) begin : gen_room
    assign room_o[v] = (reserve_q && reserve_vc_q == VC_W'(v)) ? room_packet_and_flit_q[v] : room_packet_q[v];
  end
  // Reserved places include flits still in the interconnect, so "empty" means no flit in flight
  // either.
  assign empty_o = !out_valid_o && !launch_q && !reserve_q && all_free_q;

  logic unused_header;
  assign unused_header = &{1'b0, in_header};

  // ------------------------------------------------------------------ assertions
  packet_order i_packet_order (
    .clk_i,
    .rst_ni,
    .valid_i (out_valid_o && whole_i),
    .header_i(out_flit_o[noc_pkg::HEADER_W-1:0])
  );

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      if (reserve_q) reservation_has_a_place: assert (places_q[W*32'(reserve_vc_q) +: W] != '0);
      // Flits held plus flits in flight equal the places reserved.
      if (in_valid_i) begin
        arrival_was_reserved: assert (32'(count_q[W*32'(in_vc) +: W]) + 32'(places_q[W*32'(in_vc) +: W]) < OUT_DEPTH);
      end
      if (launch) packet_goes_on_first: assert (open_q[pick] || (able & open_q) == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      launch_as_it_arrives: cover (launch && !has_flit_q[pick]);
      waits_for_the_link: cover (!ready_i && able != '0);
      waits_for_a_credit: cover (ready_i && has_flit_q != '0 && able == '0);
      others_wait_for_the_end_of_a_packet: cover (launch && open_q[pick] && (able & ~(VCS'(1) << pick)) != '0);
      packet_is_cut: cover (launch && (open_q & ~(VCS'(1) << pick)) != '0);
      staging_without_room_for_a_packet: cover (room_o != '1);
    end
  end
endmodule
