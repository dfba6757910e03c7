// SPDX-License-Identifier: Apache-2.0
// One lane of the reduction: a combinational floating-point adder, FP16 or BF16.
//
// Contract: sum_o = a_i + b_i in the same cycle, IEEE 754 round to nearest even, subnormals kept
//   on both sides. NaN in, or Inf - Inf: the canonical quiet NaN (FP16 0x7E00, BF16 0x7FC0).
//   +0 + -0 = +0, x - x = +0, -0 + -0 = -0. Commutative bit for bit.
// en_i low forces sum_o to 0 and keeps the body quiet in simulation. Not in hardware: synthesis moves the gates to the
//   output (docs/studies/synthesis.md).
// Not done: no exception flags, no other rounding mode.
module fp_add #(
  /// Lane format: noc_pkg::FORMAT_FP16 (5-bit exponent) or noc_pkg::FORMAT_BF16 (8-bit exponent).
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16
) (
  input  logic                       en_i,
  input  logic [noc_pkg::LANE_W-1:0] a_i,
  input  logic [noc_pkg::LANE_W-1:0] b_i,
  output logic [noc_pkg::LANE_W-1:0] sum_o
);
  localparam int unsigned LANE_W = noc_pkg::LANE_W;
  localparam int unsigned EXP_W = (FORMAT == noc_pkg::FORMAT_BF16) ? 8 : 5;
  localparam int unsigned MAN_W = LANE_W - 1 - EXP_W;
  localparam int unsigned FIX_W = MAN_W + 4;  // hidden bit, mantissa, guard, round, sticky
  localparam logic [EXP_W-1:0] EXP_MAX = '1;
  localparam logic [EXP_W-1:0] EXP_MIN = EXP_W'(1);  // exponent of the smallest normal, and of subnormals
  localparam logic [LANE_W-1:0] QUIET_NAN = {1'b0, EXP_MAX, 1'b1, {(MAN_W - 1){1'b0}}};

  // order
  logic [LANE_W-1:0] larger;   // operand of the larger magnitude
  logic [LANE_W-2:0] smaller;  // the other, without its sign
  logic              subtract;
  logic [EXP_W-1:0]  exp_larger, exp_smaller;
  // align
  logic [FIX_W-1:0]  fix_larger, fix_smaller, shifted, lost;
  logic [EXP_W-1:0]  exp_common, exp_diff;
  // add, with the carry
  logic [FIX_W:0]    total;
  // normalise
  logic [FIX_W:0]    normal;  // total in its place: the top bit is 0
  logic [EXP_W-1:0]  exp_normal;
  logic [EXP_W-1:0]  room;    // by how much the exponent can still be lowered
  // round
  logic              round_up;
  logic [LANE_W-2:0] rounded;  // exponent, mantissa

  // One process for all steps: the simulator keeps its nets in registers; split up it takes 1.4 times the instructions.
  always_comb begin : steps
    sum_o = '0;
    {larger, smaller, subtract, exp_larger, exp_smaller} = '0;
    {fix_larger, fix_smaller, shifted, lost, exp_common, exp_diff} = '0;
    total = '0;
    {normal, exp_normal, room} = '0;
    {round_up, rounded} = '0;

    if (en_i) begin
      // By magnitude: exponent and mantissa compare as one number. The sum has the sign of the larger magnitude, and a
      // difference of magnitudes is never negative.
      begin : order
        if (a_i[LANE_W-2:0] >= b_i[LANE_W-2:0]) begin
          larger = a_i;
          smaller = b_i[LANE_W-2:0];
        end else begin
          larger = b_i;
          smaller = a_i[LANE_W-2:0];
        end
        subtract = a_i[LANE_W-1] ^ b_i[LANE_W-1];
        exp_larger = larger[MAN_W +: EXP_W];
        exp_smaller = smaller[MAN_W +: EXP_W];
      end

      // A NaN has the largest magnitude, infinity the next. So the larger operand is a NaN if either is; an infinity is
      // the sum, unless the other operand is the opposite one.
      if (exp_larger == EXP_MAX) begin : special_values
        if (larger[MAN_W-1:0] != '0 || (subtract && exp_smaller == EXP_MAX)) sum_o = QUIET_NAN;
        else sum_o = larger;
      end else begin : finite_values
        // Fixed point, both at the exponent of the larger one. A subnormal has EXP_MIN and no hidden bit. The sticky
        // bit stands for all bits that are shifted out: rounding only asks whether any is set.
        begin : align
          fix_larger = {exp_larger != '0, larger[MAN_W-1:0], 3'b000};
          fix_smaller = {exp_smaller != '0, smaller[MAN_W-1:0], 3'b000};
          exp_common = (exp_larger == '0) ? EXP_MIN : exp_larger;
          exp_diff = exp_common - ((exp_smaller == '0) ? EXP_MIN : exp_smaller);
          shifted = fix_smaller >> exp_diff;
          lost = fix_smaller & ~({FIX_W{1'b1}} << exp_diff);
          if (lost != '0) shifted[0] = 1'b1;
        end

        // Magnitudes: the larger one comes first.
        begin : add
          if (subtract) total = {1'b0, fix_larger} - {1'b0, shifted};
          else total = {1'b0, fix_larger} + {1'b0, shifted};
        end

        // The leading one becomes the hidden bit: by one place to the right after a carry; else to the left, no further
        // than down to EXP_MIN, where a sum without hidden bit is a subnormal, with exponent 0. Sticky stays below
        // guard: bits are only lost at a difference of exponents of 4 or more, and then one place to the left will do.
        begin : normalise
          if (total[FIX_W]) begin
            normal = {1'b0, total[FIX_W:2], total[1] | total[0]};
            exp_normal = exp_common + EXP_W'(1);
          end else begin
            normal = total;
            room = exp_common - EXP_MIN;
            for (int unsigned places = 8; places != 0; places = places / 2) begin
              if (normal[FIX_W-1:0] >> (FIX_W - places) == '0 && room >= EXP_W'(places)) begin
                normal = normal << places;
                room = room - EXP_W'(places);
              end
            end
            exp_normal = room + EXP_W'(normal[FIX_W-1]);
          end
        end

        // To nearest; a tie, the guard bit alone, to even. A carry out of the mantissa counts the exponent up, which is
        // right: to the smallest normal, to the next power of two, or to infinity.
        begin : round
          round_up = normal[2] && (normal[3] || normal[1:0] != 2'b00);
          rounded = {exp_normal, normal[3 +: MAN_W]} + (LANE_W - 1)'(round_up);
        end

        // Overflow is infinity, with mantissa 0. The zero of x - x is positive, of two zeros it has their sign.
        begin : pack
          if (exp_normal == EXP_MAX) sum_o = {larger[LANE_W-1], EXP_MAX, {MAN_W{1'b0}}};
          else if (normal == '0) sum_o = {larger[LANE_W-1] && !subtract, {(LANE_W - 1){1'b0}}};
          else sum_o = {larger[LANE_W-1], rounded};
        end
      end
    end
  end
endmodule
