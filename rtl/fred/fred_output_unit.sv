// Output side of one port of a fred_switch: staging FIFO per virtual channel, credits, link arbiter.
//
// Why staging: the interconnect cannot stall, so a flit may enter it only when a place behind it is
//   sure. The control unit takes that place here (reserve_i, for VC reserve_vc_i) when it fires a flit; the
//   staging FIFO then waits for the receiver's credits. Virtual cut-through: room_o says whether a whole packet fits, and
//   only head flits ask, so a packet that has begun to move never stops inside the switch. With credits
//   spent here, at the end of the pipeline, the credit loop of a link is two link latencies plus one
//   cycle, and 24 KB of input buffer cover it at 600 GB/s x 2 x 20 ns.
// Handshake: reserve_i at an edge takes one place of VC reserve_vc_i; the flit arrives from the
//   interconnect later (in_valid_i). ready_i low at an edge: no flit is launched then (link pacing).
//   credit_i[v] at an edge: the receiver freed one slot of VC v; it may be spent at that edge.
// Arbiter: control, then MP, PP, DP; flits of different VCs may interleave on the link.
// Timing: a flit stored at edge e is launched (out_valid_o after the edge) at e+1 at the earliest.
module fred_output_unit #(
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
  /// bits of a flit, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // control unit
  input  logic              reserve_i,
  input  logic [1:0]        reserve_vc_i,
  output logic [3:0]        room_o,
  // interconnect
  input  logic              in_valid_i,
  input  logic [FLIT_W-1:0] in_flit_i,
  // link
  input  logic              ready_i,
  input  logic [3:0]        credit_i,
  output logic              out_valid_o,
  output logic [FLIT_W-1:0] out_flit_o,
  // registers: credits of the receiver
  input  logic              credit_write_i,
  input  logic [1:0]        credit_vc_i,
  input  logic [15:0]       credit_wdata_i,
  output logic [63:0]       credits_o,
  // status
  output logic              stall_link_o,
  output logic              empty_o
);
  localparam int unsigned TOTAL = 4 * OUT_DEPTH;
  localparam int unsigned W = $clog2(TOTAL + 1);

  // Per VC, W bits each: flits held, index of the oldest, index of the next free slot, places not
  // reserved. VC v owns the slots from v*OUT_DEPTH on.
  logic [FLIT_W-1:0] mem_q [TOTAL];
  logic [4*W-1:0]    count_q, head_q, free_q, places_q;
  logic [63:0]       credits_q;
  logic [3:0]        some_q, credit_q, room_q;
  logic              all_free_q;

  localparam logic [4*W-1:0] BASES = {W'(3 * OUT_DEPTH), W'(2 * OUT_DEPTH), W'(OUT_DEPTH), W'(0)};
  localparam logic [4*W-1:0] LASTS = {W'(TOTAL - 1), W'(3 * OUT_DEPTH - 1), W'(2 * OUT_DEPTH - 1),
                                      W'(OUT_DEPTH - 1)};
  localparam logic [4*W-1:0] PACKETS = {W'(1), {3{W'(PACKET_FLITS)}}};

  logic [1:0] in_vc;
  assign in_vc = in_flit_i[noc_pkg::VC_LSB +: 2];
  assign room_o = room_q;
  assign credits_o = credits_q;

  always_ff @(posedge clk_i) begin : update
    logic [3:0]     able;
    logic           launch;
    logic [1:0]     pick;
    logic [W-1:0]   slot;
    logic [4*W-1:0] count, places;
    logic [63:0]    credits;
    if (!rst_ni) begin
      head_q <= BASES;
      free_q <= BASES;
      count_q <= '0;
      places_q <= {4{W'(OUT_DEPTH)}};
      credits_q <= {16'(CTRL_DEPTH), {3{16'(VC_DEPTH)}}};
      some_q <= '0;
      credit_q <= '1;
      room_q <= '1;
      all_free_q <= 1'b1;
      out_valid_o <= 1'b0;
      stall_link_o <= 1'b0;
    end else begin
      able = some_q & (credit_q | credit_i);
      launch = ready_i && able != '0;
      pick = noc_pkg::first_vc(able);
      out_valid_o <= launch;
      stall_link_o <= !ready_i && able != '0;
      if (credit_i != '0 || launch || credit_write_i) begin
        credits = credits_q;
        for (int unsigned v = 0; v < 4; v++) begin
          if (credit_i[v]) credits[16*v +: 16] = credits[16*v +: 16] + 16'd1;
        end
        if (launch) begin
          launch_has_a_credit: assert (credits[32'(pick)*16 +: 16] != '0);
          credits[32'(pick)*16 +: 16] = credits[32'(pick)*16 +: 16] - 16'd1;
        end
        if (credit_write_i) credits[32'(credit_vc_i)*16 +: 16] = credit_wdata_i;
        for (int unsigned v = 0; v < 4; v++) credit_q[v] <= credits[16*v +: 16] != '0;
        credits_q <= credits;
      end
      if (launch || reserve_i || in_valid_i) begin
        count = count_q;
        places = places_q;
        if (launch) begin
          slot = head_q[32'(pick)*W +: W];
          out_flit_o <= mem_q[slot];
          head_q[32'(pick)*W +: W] <= (slot == LASTS[32'(pick)*W +: W]) ? BASES[32'(pick)*W +: W]
                                                                         : slot + W'(1);
          count[32'(pick)*W +: W] = count[32'(pick)*W +: W] - W'(1);
          places[32'(pick)*W +: W] = places[32'(pick)*W +: W] + W'(1);
        end
        if (in_valid_i) begin
          slot = free_q[32'(in_vc)*W +: W];
          mem_q[slot] <= in_flit_i;
          free_q[32'(in_vc)*W +: W] <= (slot == LASTS[32'(in_vc)*W +: W]) ? BASES[32'(in_vc)*W +: W]
                                                                           : slot + W'(1);
          count[32'(in_vc)*W +: W] = count[32'(in_vc)*W +: W] + W'(1);
        end
        if (reserve_i) begin
          places[32'(reserve_vc_i)*W +: W] = places[32'(reserve_vc_i)*W +: W] - W'(1);
        end
        for (int unsigned v = 0; v < 4; v++) begin
          some_q[v] <= count[W*v +: W] != '0;
          room_q[v] <= places[W*v +: W] >= PACKETS[W*v +: W];
        end
        count_q <= count;
        places_q <= places;
        all_free_q <= places == {4{W'(OUT_DEPTH)}};
      end
    end
  end

  // Reserved places cover flits still in the interconnect, so "empty" means nothing on the way either.
  assign empty_o = !out_valid_o && all_free_q;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      reservation_has_a_place: assert (!reserve_i || places_q[32'(reserve_vc_i)*W +: W] != '0);
      // Flits held and flits on the way together are the places reserved.
      arrival_was_reserved: assert (!in_valid_i || 32'(count_q[32'(in_vc)*W +: W]) +
                                                       32'(places_q[32'(in_vc)*W +: W]) < OUT_DEPTH);
    end
  end
endmodule
