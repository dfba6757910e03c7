// SPDX-License-Identifier: Apache-2.0
// First half of fp_add: orders the operands, aligns the smaller one, and adds or subtracts.
//
// Function: part_o is the exact sum before normalisation, for fp_add_round, in the same cycle. Its
//   fields, from bit 0: total, in fixed point with the carry; the exponent of that fixed point; the
//   sign of the larger magnitude; subtract. An exponent of EXP_MAX means infinity or NaN; total is
//   not 0 for a NaN.
// en_i: low forces part_o to 0 and keeps the logic quiet in simulation, as in fp_add.
module fp_add_align #(
  /// Lane format: noc_pkg::FORMAT_FP16 (5-bit exponent) or noc_pkg::FORMAT_BF16 (8-bit exponent).
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16
) (
  input  logic                          en_i,
  input  logic [noc_pkg::LANE_W-1:0]    a_i,
  input  logic [noc_pkg::LANE_W-1:0]    b_i,
  output logic [fp_add_pkg::PART_W-1:0] part_o
);
  localparam int unsigned LANE_W = noc_pkg::LANE_W;
  localparam int unsigned EXP_W = fp_add_pkg::exp_w(FORMAT);
  localparam int unsigned MAN_W = LANE_W - 1 - EXP_W;
  localparam int unsigned FIX_W = MAN_W + 4;  // hidden bit, mantissa, guard, round, sticky
  localparam logic [EXP_W-1:0] EXP_MAX = '1;
  localparam logic [EXP_W-1:0] EXP_MIN = EXP_W'(1);  // min exponent, also of subnormals

  // order
  logic [LANE_W-1:0] larger;   // operand of larger magnitude
  logic [LANE_W-2:0] smaller;  // other operand, without its sign
  logic              subtract;
  logic [EXP_W-1:0]  exp_larger, exp_smaller;
  // align
  logic [FIX_W-1:0]  fix_larger, fix_smaller, shifted, lost;
  logic [EXP_W-1:0]  exp_common, exp_diff;
  // add, with the carry
  logic [FIX_W:0]    total;

  // A single process for all steps: the simulator keeps its nets in registers.
  always_comb begin : steps
    part_o = '0;
    {larger, smaller, subtract, exp_larger, exp_smaller} = '0;
    {fix_larger, fix_smaller, shifted, lost, exp_common, exp_diff} = '0;
    total = '0;

    if (en_i) begin
      // Magnitudes compare as exponent and mantissa in one number. The sum has the sign of the
      // larger magnitude, and a difference of magnitudes is never negative.
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

      // A NaN has the largest magnitude, infinity the next. The larger operand is thus a NaN if
      // either is one; an infinity is the sum, unless the other operand is the opposite infinity.
      if (exp_larger == EXP_MAX) begin : special_values
        exp_common = EXP_MAX;
        total = (FIX_W + 1)'(larger[MAN_W-1:0] != '0 || (subtract && exp_smaller == EXP_MAX));
      end else begin : finite_values
        // Fixed point, both operands at the exponent of the larger one. A subnormal has EXP_MIN and
        // no hidden bit. The sticky bit is the OR of all bits shifted out: rounding needs no more.
        begin : align
          fix_larger = {exp_larger != '0, larger[MAN_W-1:0], 3'b000};
          fix_smaller = {exp_smaller != '0, smaller[MAN_W-1:0], 3'b000};
          exp_common = (exp_larger == '0) ? EXP_MIN : exp_larger;
          exp_diff = exp_common - ((exp_smaller == '0) ? EXP_MIN : exp_smaller);
          shifted = fix_smaller >> exp_diff;
          lost = fix_smaller & ~({FIX_W{1'b1}} << exp_diff);
          if (lost != '0) shifted[0] = 1'b1;
        end

        // Magnitudes: the larger operand comes first.
        begin : add
          if (subtract) total = {1'b0, fix_larger} - {1'b0, shifted};
          else total = {1'b0, fix_larger} + {1'b0, shifted};
        end
      end
      part_o = {subtract, larger[LANE_W-1], exp_common, total};
    end
  end
endmodule
