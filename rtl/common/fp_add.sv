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
  input  logic                        en_i,
  input  logic [noc_pkg::LANE_W-1:0] a_i,
  input  logic [noc_pkg::LANE_W-1:0] b_i,
  output logic [noc_pkg::LANE_W-1:0] sum_o
);

  localparam int unsigned EXP_W = (FORMAT == noc_pkg::FORMAT_BF16) ? 8 : 5;
  localparam int unsigned MAN_W = noc_pkg::LANE_W - 1 - EXP_W;
  localparam int unsigned FIX_W = MAN_W + 4;  // hidden bit, mantissa, guard, round, sticky
  localparam logic [EXP_W-1:0] EXP_MAX = '1;

  logic [noc_pkg::LANE_W-1:0] larger;   // larger of the two magnitudes
  logic [noc_pkg::LANE_W-2:0] smaller;  // without its sign
  logic                        subtract;
  logic [EXP_W-1:0]            exp_larger, exp_smaller, exp_diff;
  logic [FIX_W-1:0]            fix_larger, fix_smaller, shifted, lost;
  logic [FIX_W:0]              total;    // one bit more for the carry
  logic [EXP_W-1:0]            exp_sum, room;
  logic                        round_up;

  always_comb begin
    sum_o = '0;
    larger = '0;
    smaller = '0;
    subtract = '0;
    exp_larger = '0;
    exp_smaller = '0;
    exp_diff = '0;
    fix_larger = '0;
    fix_smaller = '0;
    shifted = '0;
    lost = '0;
    total = '0;
    exp_sum = '0;
    room = '0;
    round_up = '0;
    if (en_i) begin
      if (a_i[noc_pkg::LANE_W-2:0] >= b_i[noc_pkg::LANE_W-2:0]) begin
        larger = a_i;
        smaller = b_i[noc_pkg::LANE_W-2:0];
      end else begin
        larger = b_i;
        smaller = a_i[noc_pkg::LANE_W-2:0];
      end
      subtract = a_i[noc_pkg::LANE_W-1] ^ b_i[noc_pkg::LANE_W-1];
      exp_larger = larger[MAN_W+:EXP_W];
      exp_smaller = smaller[MAN_W+:EXP_W];

      if (exp_larger == EXP_MAX) begin
        // The larger magnitude is a NaN if either is; two infinities are equal in magnitude.
        if (larger[MAN_W-1:0] != '0 || (subtract && exp_smaller == EXP_MAX)) begin
          sum_o = {1'b0, EXP_MAX, 1'b1, {(MAN_W - 1) {1'b0}}};
        end else begin
          sum_o = larger;
        end
      end else begin
        // Align: a subnormal has the exponent of the smallest normal and no hidden bit.
        fix_larger = {exp_larger != '0, larger[MAN_W-1:0], 3'b000};
        fix_smaller = {exp_smaller != '0, smaller[MAN_W-1:0], 3'b000};
        exp_sum = (exp_larger == '0) ? EXP_W'(1) : exp_larger;
        exp_diff = exp_sum - ((exp_smaller == '0) ? EXP_W'(1) : exp_smaller);
        shifted = fix_smaller >> exp_diff;
        lost = fix_smaller & ~({FIX_W{1'b1}} << exp_diff);
        shifted[0] = shifted[0] | (lost != '0);

        if (subtract) total = {1'b0, fix_larger} - {1'b0, shifted};
        else total = {1'b0, fix_larger} + {1'b0, shifted};

        // Normalise: one to the right on carry, else to the left as far as the exponent has room.
        if (total[FIX_W]) begin
          total = {1'b0, total[FIX_W:2], total[1] | total[0]};
          exp_sum = exp_sum + EXP_W'(1);
        end else begin
          room = exp_sum - EXP_W'(1);
          if (total[FIX_W-1-:8] == '0 && room >= EXP_W'(8)) begin
            total = total << 8;
            room = room - EXP_W'(8);
          end
          if (total[FIX_W-1-:4] == '0 && room >= EXP_W'(4)) begin
            total = total << 4;
            room = room - EXP_W'(4);
          end
          if (total[FIX_W-1-:2] == '0 && room >= EXP_W'(2)) begin
            total = total << 2;
            room = room - EXP_W'(2);
          end
          if (!total[FIX_W-1] && room >= EXP_W'(1)) begin
            total = total << 1;
            room = room - EXP_W'(1);
          end
          exp_sum = room + {{(EXP_W - 1) {1'b0}}, total[FIX_W-1]};
        end

        // Round to nearest even; a carry out of the mantissa moves into the exponent, up to infinity.
        round_up = total[2] && (total[3] || total[1:0] != 2'b00);
        if (exp_sum == EXP_MAX) begin
          sum_o = {larger[noc_pkg::LANE_W-1], EXP_MAX, {MAN_W{1'b0}}};
        end else if (total == '0) begin
          sum_o = {larger[noc_pkg::LANE_W-1] && !subtract, {(noc_pkg::LANE_W - 1) {1'b0}}};
        end else begin
          sum_o = {larger[noc_pkg::LANE_W-1],
                   {exp_sum, total[3+:MAN_W]} + {{(noc_pkg::LANE_W - 2) {1'b0}}, round_up}};
        end
      end
    end
  end
endmodule
