// Output side of one port of a fred_switch: staging FIFO per virtual channel, credits, link arbiter.
//
// Why staging: the interconnect cannot stall, so a flit may enter it only when a place behind it is
//   sure. The control unit takes that place here (reserve_i) when it fires a flit; the staging FIFO then
//   waits for the receiver's credits. Virtual cut-through: room_o says whether a whole packet fits, and
//   only head flits ask, so a packet that has begun to move never stops inside the switch. With credits
//   spent here, at the end of the pipeline, the credit loop of a link is two link latencies plus one
//   cycle, and 24 KB of input buffer cover it at 600 GB/s x 2 x 20 ns (FRED.md §3).
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
  localparam int unsigned FLIT_W = fred_pkg::flit_w(LANES)
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
  localparam int unsigned ADDR_W = $clog2(TOTAL + 1);

  logic [FLIT_W-1:0] mem_q [TOTAL];
  logic [ADDR_W-1:0] head_q [4];
  logic [ADDR_W-1:0] free_q [4];
  logic [ADDR_W-1:0] count_q [4];
  logic [ADDR_W-1:0] places_q [4];
  logic [15:0]       credits_q [4];

  logic [1:0] in_vc, pick_vc;
  logic [3:0] able;
  logic       launch;

  assign in_vc = in_flit_i[fred_pkg::VC_LSB +: 2];
  assign launch = ready_i && able != '0;
  assign pick_vc = able[3] ? 2'd3 : able[0] ? 2'd0 : able[1] ? 2'd1 : 2'd2;
  assign stall_link_o = !ready_i && able != '0;

  for (genvar v = 0; v < 4; v++) begin : gen_vc
    localparam int unsigned BASE = v * OUT_DEPTH;
    localparam int unsigned PACKET = (v == 3) ? 1 : PACKET_FLITS;
    localparam int unsigned CREDITS = (v == 3) ? CTRL_DEPTH : VC_DEPTH;
    localparam logic [ADDR_W-1:0] LAST = ADDR_W'(BASE + OUT_DEPTH - 1);
    logic push, pop, reserve;

    assign able[v] = count_q[v] != '0 && (credits_q[v] != '0 || credit_i[v]);
    assign push = in_valid_i && in_vc == 2'(v);
    assign pop = launch && pick_vc == 2'(v);
    assign reserve = reserve_i && reserve_vc_i == 2'(v);
    assign room_o[v] = places_q[v] >= ADDR_W'(PACKET);
    assign credits_o[16*v +: 16] = credits_q[v];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        head_q[v]    <= ADDR_W'(BASE);
        free_q[v]    <= ADDR_W'(BASE);
        count_q[v]   <= '0;
        places_q[v]  <= ADDR_W'(OUT_DEPTH);
        credits_q[v] <= 16'(CREDITS);
      end else begin
        if (push) free_q[v] <= (free_q[v] == LAST) ? ADDR_W'(BASE) : free_q[v] + ADDR_W'(1);
        if (pop) head_q[v] <= (head_q[v] == LAST) ? ADDR_W'(BASE) : head_q[v] + ADDR_W'(1);
        if (push != pop) count_q[v] <= push ? count_q[v] + ADDR_W'(1) : count_q[v] - ADDR_W'(1);
        if (reserve != pop) begin
          places_q[v] <= pop ? places_q[v] + ADDR_W'(1) : places_q[v] - ADDR_W'(1);
        end
        if (credit_write_i && credit_vc_i == 2'(v)) credits_q[v] <= credit_wdata_i;
        else if (credit_i[v] != pop) begin
          credits_q[v] <= pop ? credits_q[v] - 16'd1 : credits_q[v] + 16'd1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i) mem_q[free_q[in_vc]] <= in_flit_i;
    if (launch) out_flit_o <= mem_q[head_q[pick_vc]];
    out_valid_o <= rst_ni && launch;
  end

  // Reserved places cover flits still in the interconnect, so "empty" means nothing on the way either.
  assign empty_o = !out_valid_o && places_q[0] == ADDR_W'(OUT_DEPTH) &&
                   places_q[1] == ADDR_W'(OUT_DEPTH) && places_q[2] == ADDR_W'(OUT_DEPTH) &&
                   places_q[3] == ADDR_W'(OUT_DEPTH);
endmodule
