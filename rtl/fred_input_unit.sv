// Input buffer of one port of a fred_switch: four virtual channels with credits (§5.4, §6.2.3).
//
// What it does: a flit on in_flit_i at a clock edge is stored in the FIFO of its VC; the unit shows the
//   front of every FIFO to the control unit and gives the front of VC `vc_i` on flit_o. pop_i removes
//   that front at the edge and returns one credit for its VC (credit_o, registered, one cycle).
// Handshake: in_valid_i has no ready: the sender holds credits. A flit that finds its FIFO full raises
//   overflow_o and is dropped. pop_i may be high only when the front of vc_i is valid.
// Timing: a flit stored at edge e is visible as a front after e.
// Front information is kept in registers, so that no memory is read in a cycle without a pop.
// Not here: any decision; see fred_control.
module fred_input_unit #(
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// depth of each data VC in flits
  parameter int unsigned VC_DEPTH = 48,
  /// depth of the control VC in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// bits of a flit, derived
  localparam int unsigned FLIT_W = fred_pkg::flit_w(LANES)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // link side
  input  logic              in_valid_i,
  input  logic [FLIT_W-1:0] in_flit_i,
  output logic [3:0]        credit_o,
  // control unit: the active phase and what stands at the fronts
  input  logic              active_i,
  input  logic [1:0]        vc_i,
  input  logic [7:0]        phase_i,
  output logic              match_o,
  output logic              match_tail_o,
  output logic [31:0]       match_tag_o,
  output logic [3:0]        front_valid_o,
  output logic [31:0]       front_phase_o,
  // datapath
  input  logic              pop_i,
  output logic [FLIT_W-1:0] flit_o,
  output logic              overflow_o
);
  localparam int unsigned TOTAL = 3 * VC_DEPTH + CTRL_DEPTH;
  localparam int unsigned ADDR_W = $clog2(TOTAL + 1);

  logic [FLIT_W-1:0] mem_q [TOTAL];
  logic [ADDR_W-1:0] count_q [4];
  logic [ADDR_W-1:0] head_q [4];
  logic [ADDR_W-1:0] free_q [4];
  logic [7:0]        phase_q [4];
  logic [31:0]       tag_q [4];
  logic [3:0]        tail_q;

  logic [1:0] in_vc;
  assign in_vc = in_flit_i[fred_pkg::VC_LSB +: 2];

  for (genvar v = 0; v < 4; v++) begin : gen_vc
    localparam int unsigned BASE = v * VC_DEPTH;
    localparam int unsigned DEPTH = (v == 3) ? CTRL_DEPTH : VC_DEPTH;
    localparam logic [ADDR_W-1:0] LAST = ADDR_W'(BASE + DEPTH - 1);
    logic push, pop, full;
    logic [ADDR_W-1:0] next_head;

    assign full = count_q[v] == ADDR_W'(DEPTH);
    assign push = in_valid_i && in_vc == 2'(v) && !full;
    assign pop = pop_i && vc_i == 2'(v);
    assign next_head = (head_q[v] == LAST) ? ADDR_W'(BASE) : head_q[v] + ADDR_W'(1);
    assign front_valid_o[v] = count_q[v] != '0;
    assign front_phase_o[8*v +: 8] = phase_q[v];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        count_q[v] <= '0;
        head_q[v]  <= ADDR_W'(BASE);
        free_q[v]  <= ADDR_W'(BASE);
        credit_o[v] <= 1'b0;
        phase_q[v] <= '0;
        tag_q[v]   <= '0;
        tail_q[v]  <= 1'b0;
      end else begin
        credit_o[v] <= pop;
        if (push != pop) count_q[v] <= push ? count_q[v] + ADDR_W'(1) : count_q[v] - ADDR_W'(1);
        if (push) free_q[v] <= (free_q[v] == LAST) ? ADDR_W'(BASE) : free_q[v] + ADDR_W'(1);
        if (pop) head_q[v] <= next_head;
        if (push && (count_q[v] == '0 || (pop && count_q[v] == ADDR_W'(1)))) begin
          phase_q[v] <= in_flit_i[fred_pkg::PHASE_LSB +: 8];
          tag_q[v]   <= in_flit_i[fred_pkg::TAG_LSB +: 32];
          tail_q[v]  <= in_flit_i[fred_pkg::TAIL_BIT];
        end else if (pop && count_q[v] > ADDR_W'(1)) begin
          phase_q[v] <= mem_q[next_head][fred_pkg::PHASE_LSB +: 8];
          tag_q[v]   <= mem_q[next_head][fred_pkg::TAG_LSB +: 32];
          tail_q[v]  <= mem_q[next_head][fred_pkg::TAIL_BIT];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i && !overflow_o) mem_q[free_q[in_vc]] <= in_flit_i;
  end

  assign overflow_o = in_valid_i &&
                      count_q[in_vc] == ((in_vc == 2'd3) ? ADDR_W'(CTRL_DEPTH) : ADDR_W'(VC_DEPTH));
  assign match_o = active_i && front_valid_o[vc_i] && phase_q[vc_i] == phase_i;
  assign match_tail_o = tail_q[vc_i];
  assign match_tag_o = tag_q[vc_i];

  always_comb begin
    flit_o = '0;
    if (pop_i) flit_o = mem_q[head_q[vc_i]];
  end
endmodule
