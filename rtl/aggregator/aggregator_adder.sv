// SPDX-License-Identifier: Apache-2.0
// Adder of an aggregator, for all lanes, with its accumulator: adds the operands of a flit one
// after the other.
//
// Function: computes the sum of the head-of-line flits in the operand FIFOs of a flow's inputs, in
//   ascending input order, from left to right. The header is that of the lowest input; lanes are
//   added element-wise; bits above the last lane are zero.
// Timing: start_i at edge s assigns a flit of a flow with n inputs to the adder, n >= 2: the lowest
//   input (first_i), the remaining inputs (rest_i) and the outputs (to_i). In the cycle before s +
//   i + 1, i = 0 … n - 2, the adder selects the operand of input i + 1, and for i = 0 that of input
//   0 too; the operand is read at s + i + 2 (read_o). The adder can be started again at s + n - 1.
//   The sum is on sum_flit_o after s + n + 2, in the cycle in which sum_to_o is not zero.
// active_o, last_o, to_o: status of the flit whose operands are being selected; last_o marks its
//   last operand.
// busy_o: high while a flit is in any stage. Reset (synchronous) empties all stages. Flit registers
//   are not reset.
module aggregator_adder #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// lane format: noc_pkg::FORMAT_*
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // start with a flit of a flow; pair_i: the flow has two inputs
  output logic                free_o,
  input  logic                start_i,
  input  logic [P-1:0]        first_i,
  input  logic [P-1:0]        rest_i,
  input  logic                pair_i,
  input  logic [P-1:0]        to_i,
  // progress of the flit
  output logic                active_o,
  output logic                last_o,
  output logic [P-1:0]        to_o,
  // operands
  output logic [P-1:0]        read_o,
  input  logic [P*FLIT_W-1:0] operand_i,
  // sum and its outputs
  output logic [P-1:0]        sum_to_o,
  output logic [FLIT_W-1:0]   sum_flit_o,
  output logic                busy_o
);
  localparam int unsigned PAYLOAD_W = FLIT_W - noc_pkg::HEADER_W;
  localparam int unsigned HEADER_W = noc_pkg::HEADER_W;
  localparam int unsigned LANES_W = LANES * noc_pkg::LANE_W;
  localparam int unsigned USED_W = HEADER_W + LANES_W;  // header and lanes, without the bits above
                                                        // the last lane

  // ------------------------------------------------------------------ operand selection
  // Stage 0: inputs still to be added, and the lowest input of a flit that has just been assigned.
  // The next stages hold operands to be read from the memories, at the memory outputs, and in
  // registers.
  logic [P-1:0] first_q, rest_q, next, after;
  logic [P-1:0] left1_q, right1_q, left2_q, right2_q;
  logic [P-1:0] to1_q, to2_q, to3_q;  // outputs of the flit
  logic         add3_q, last3_q, last1_q, last2_q;

  assign next = rest_q & (~rest_q + P'(1));
  assign after = rest_q & ~next;
  assign free_o = !active_o || last_o;
  assign read_o = left1_q | right1_q;
  assign busy_o = active_o || right1_q != '0 || right2_q != '0 || add3_q || sum_to_o != '0;

  always_ff @(posedge clk_i) begin : operands
    if (!rst_ni) begin
      active_o <= 1'b0;
      last_o <= 1'b0;
      first_q <= '0;
      rest_q <= '0;
      left1_q <= '0;
      right1_q <= '0;
      left2_q <= '0;
      right2_q <= '0;
      {last1_q, last2_q, last3_q} <= '0;
      add3_q <= 1'b0;
      sum_to_o <= '0;
    end else if (start_i || busy_o) begin
      active_o <= start_i || (active_o && !last_o);
      first_q <= start_i ? first_i : '0;
      rest_q <= start_i ? rest_i : after;
      last_o <= start_i ? pair_i : after != '0 && (after & (after - P'(1))) == '0;
      if (start_i) to_o <= to_i;
      left1_q <= first_q;
      right1_q <= next;
      last1_q <= last_o;
      to1_q <= to_o;
      left2_q <= left1_q;
      right2_q <= right1_q;
      last2_q <= last1_q;
      to2_q <= to1_q;
      add3_q <= right2_q != '0;
      last3_q <= last2_q;
      to3_q <= to2_q;
      sum_to_o <= last3_q ? to3_q : '0;
    end
  end

  // ------------------------------------------------------------------ operands
  logic [USED_W-1:0]    left;
  logic [LANES_W-1:0]   right, right_q, total_q;
  logic [PAYLOAD_W-1:0] sum;
  logic [HEADER_W-1:0]  header_q;

  always_comb begin : choose
    left = '0;
    right = '0;
    if (right2_q != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        if (left2_q[p]) left = left | operand_i[FLIT_W*p +: USED_W];
        if (right2_q[p]) right = right | operand_i[FLIT_W*p + HEADER_W +: LANES_W];
      end
    end
  end

  // ------------------------------------------------------------------ addition
  for (genvar lane = 0; lane < LANES; lane++) begin : gen_lane
    localparam int unsigned LSB = lane * noc_pkg::LANE_W;
    fp_add #(.FORMAT(FORMAT)) i_fp_add (
      .en_i (add3_q),
      .a_i  (total_q[LSB +: noc_pkg::LANE_W]),
      .b_i  (right_q[LSB +: noc_pkg::LANE_W]),
      .sum_o(sum[LSB +: noc_pkg::LANE_W])
    );
  end
  if (LANES % 2 == 1) begin : gen_pad
    assign sum[PAYLOAD_W-1 -: noc_pkg::LANE_W] = '0;
  end

  gated_registers #(.WIDTH(LANES_W)) i_right (
    .clk_i,
    .en_i     (right2_q != '0),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (right),
    .q_o      (right_q)
  );
  gated_registers #(.WIDTH(HEADER_W)) i_header (
    .clk_i,
    .en_i     (left2_q != '0),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (left[HEADER_W-1:0]),
    .q_o      (header_q)
  );
  gated_choice #(.WIDTH(LANES_W)) i_total (
    .clk_i,
    .load_i({2'b00, left2_q != '0, add3_q}),
    .d0_i  (sum[LANES_W-1:0]),
    .d1_i  (left[USED_W-1:HEADER_W]),
    .d2_i  ('0),
    .d3_i  ('0),
    .q_o   (total_q)
  );
  gated_registers #(.WIDTH(FLIT_W)) i_sum (
    .clk_i,
    .en_i     (add3_q && last3_q),
    .test_en_i(1'b0),  // no scan chain
    .d_i      ({sum, header_q}),
    .q_o      (sum_flit_o)
  );

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      if (start_i) begin
        starts_when_free: assert (free_o);
        two_operands_or_more: assert (first_i != '0 && rest_i != '0 && pair_i == ((rest_i & (rest_i - P'(1))) == '0));
      end
      last_operand_is_the_last: assert (!active_o || last_o == (after == '0));
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      next_flit_at_once: cover (start_i && active_o);
      three_operands_or_more: cover (active_o && first_q == '0);
    end
  end
endmodule
