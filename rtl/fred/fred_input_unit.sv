// Input buffer of one port of a fred_switch: four virtual channels with credits (§5.4, §6.2.3).
//
// What it does: a flit on in_flit_i at a clock edge is stored in the FIFO of its VC; the unit shows the
//   phase and the destination at the front of every FIFO to the control unit and, when pop_i is high, gives
//   the front of VC `pop_vc_i` on flit_o. pop_i removes that front at the edge and returns one credit for
//   its VC (credit_o, registered, one cycle).
// Handshake: in_valid_i has no ready: the sender holds credits. A flit that finds its FIFO full is dropped
//   and overflow_o is high for a cycle. pop_i may be high only where there is a front.
// Timing: a flit stored at edge e is visible as a front after e. The phase and the destination at each
//   front are kept in registers, so that no memory is read in a cycle without a pop.
// Not here: any decision; see fred_control and fred_online.
module fred_input_unit #(
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// depth of each data VC in flits
  parameter int unsigned VC_DEPTH = 48,
  /// depth of the control VC in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// bits of a flit, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // link side
  input  logic              in_valid_i,
  input  logic [FLIT_W-1:0] in_flit_i,
  output logic [3:0]        credit_o,
  // control unit: the active phase, whether it is at the front of its VC, and the fronts of other phases
  input  logic              active_i,
  input  logic [1:0]        vc_i,
  input  logic [7:0]        phase_i,
  output logic              match_o,
  output logic [3:0]        other_o,
  output logic [31:0]       front_phase_o,
  // fronts to be routed online, destinations of all fronts
  output logic [3:0]        online_o,
  output logic [63:0]       front_dst_o,
  // datapath
  input  logic              pop_i,
  input  logic [1:0]        pop_vc_i,
  output logic [FLIT_W-1:0] flit_o,
  // status
  output logic              empty_o,
  output logic              overflow_o
);
  localparam int unsigned TOTAL = 3 * VC_DEPTH + CTRL_DEPTH;
  localparam int unsigned W = $clog2(TOTAL + 1);

  // Per VC, W bits each: flits held, index of the front, index of the next free slot. VC v owns the slots
  // from v*VC_DEPTH on.
  logic [FLIT_W-1:0] mem_q [TOTAL];
  logic [4*W-1:0]    count_q, head_q, free_q;
  logic [3:0]        valid_q;
  logic [31:0]       phase_q;
  logic [63:0]       dst_q;

  localparam logic [4*W-1:0] BASES = {W'(3 * VC_DEPTH), W'(2 * VC_DEPTH), W'(VC_DEPTH), W'(0)};
  localparam logic [4*W-1:0] LASTS = {W'(TOTAL - 1), W'(3 * VC_DEPTH - 1), W'(2 * VC_DEPTH - 1),
                                      W'(VC_DEPTH - 1)};
  localparam logic [4*W-1:0] DEPTHS = {W'(CTRL_DEPTH), {3{W'(VC_DEPTH)}}};

  logic [1:0] in_vc;
  assign in_vc = in_flit_i[noc_pkg::VC_LSB +: 2];

  always_ff @(posedge clk_i) begin : update
    logic [W-1:0] in_count, pop_count, in_slot, next_head;
    logic         full;
    if (!rst_ni) begin
      count_q <= '0;
      head_q <= BASES;
      free_q <= BASES;
      valid_q <= '0;
      phase_q <= '0;
      dst_q <= '0;
      credit_o <= '0;
      overflow_o <= 1'b0;
    end else begin
      credit_o <= '0;
      overflow_o <= 1'b0;
      full = in_valid_i && count_q[32'(in_vc)*W +: W] == DEPTHS[32'(in_vc)*W +: W];
      if (pop_i) begin
        pop_count = count_q[32'(pop_vc_i)*W +: W];
        next_head = head_q[32'(pop_vc_i)*W +: W];
        next_head = (next_head == LASTS[32'(pop_vc_i)*W +: W]) ? BASES[32'(pop_vc_i)*W +: W]
                                                                : next_head + W'(1);
        credit_o[pop_vc_i] <= 1'b1;
        head_q[32'(pop_vc_i)*W +: W] <= next_head;
        if (!in_valid_i || full || in_vc != pop_vc_i) begin
          count_q[32'(pop_vc_i)*W +: W] <= pop_count - W'(1);
        end
        if (pop_count == W'(1)) begin
          valid_q[pop_vc_i] <= 1'b0;
        end else begin
          phase_q[32'(pop_vc_i)*8 +: 8] <= mem_q[next_head][noc_pkg::PHASE_LSB +: 8];
          dst_q[32'(pop_vc_i)*16 +: 16] <= mem_q[next_head][noc_pkg::DST_LSB +: 16];
        end
      end
      if (in_valid_i) begin
        in_count = count_q[32'(in_vc)*W +: W];
        in_slot = free_q[32'(in_vc)*W +: W];
        if (full) begin
          overflow_o <= 1'b1;
        end else begin
          mem_q[in_slot] <= in_flit_i;
          free_q[32'(in_vc)*W +: W] <= (in_slot == LASTS[32'(in_vc)*W +: W])
                                           ? BASES[32'(in_vc)*W +: W] : in_slot + W'(1);
          if (!pop_i || in_vc != pop_vc_i) count_q[32'(in_vc)*W +: W] <= in_count + W'(1);
          // The flit is the new front where nothing stands before it.
          if (in_count == '0 || (in_count == W'(1) && pop_i && in_vc == pop_vc_i)) begin
            valid_q[in_vc] <= 1'b1;
            phase_q[32'(in_vc)*8 +: 8] <= in_flit_i[noc_pkg::PHASE_LSB +: 8];
            dst_q[32'(in_vc)*16 +: 16] <= in_flit_i[noc_pkg::DST_LSB +: 16];
          end
        end
      end
    end
  end

  assign match_o = active_i && valid_q[vc_i] && phase_q[32'(vc_i)*8 +: 8] == phase_i;
  assign front_phase_o = phase_q;
  assign front_dst_o = dst_q;
  assign empty_o = valid_q == '0 && credit_o == '0;

  for (genvar v = 0; v < 4; v++) begin : gen_vc
    assign online_o[v] = valid_q[v] && phase_q[8*v +: 8] == noc_pkg::PHASE_ONLINE;
  end

  always_comb begin
    other_o = valid_q & ~online_o;
    if (match_o) other_o[vc_i] = 1'b0;
  end

  always_comb begin
    flit_o = '0;
    if (pop_i) flit_o = mem_q[head_q[32'(pop_vc_i)*W +: W]];
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [3:0] deeper, stale;
    if (rst_ni && (pop_i || in_valid_i)) begin
      for (int unsigned v = 0; v < 4; v++) begin
        deeper[v] = count_q[v*W +: W] > DEPTHS[v*W +: W];
        stale[v] = valid_q[v] != (count_q[v*W +: W] != '0);
      end
      pop_takes_a_front: assert (!pop_i || valid_q[pop_vc_i]);
      count_within_depth: assert (deeper == '0);
      front_where_flits_are: assert (stale == '0);
    end
  end
endmodule
