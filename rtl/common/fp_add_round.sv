// SPDX-License-Identifier: Apache-2.0
// Second half of fp_add: normalises, rounds and packs the sum of fp_add_align.
//
// Function: sum_o is the sum of fp_add, part_i the output of fp_add_align, in the same cycle or
//   with registers in between.
// en_i: low forces sum_o to 0 and keeps the logic quiet in simulation, as in fp_add.
module fp_add_round #(
  /// Lane format: noc_pkg::FORMAT_FP16 (5-bit exponent) or noc_pkg::FORMAT_BF16 (8-bit exponent).
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16
) (
  input  logic                          en_i,
  input  logic [fp_add_pkg::PART_W-1:0] part_i,
  output logic [noc_pkg::LANE_W-1:0]    sum_o
);
  localparam int unsigned LANE_W = noc_pkg::LANE_W;
  localparam int unsigned EXP_W = fp_add_pkg::exp_w(FORMAT);
  localparam int unsigned MAN_W = LANE_W - 1 - EXP_W;
  localparam int unsigned FIX_W = MAN_W + 4;  // hidden bit, mantissa, guard, round, sticky
  localparam logic [EXP_W-1:0] EXP_MAX = '1;
  localparam logic [EXP_W-1:0] EXP_MIN = EXP_W'(1);  // min exponent, also of subnormals
  localparam logic [LANE_W-1:0] QUIET_NAN = {1'b0, EXP_MAX, 1'b1, {(MAN_W - 1){1'b0}}};

  logic              subtract, sign;
  logic [EXP_W-1:0]  exp_common;
  logic [FIX_W:0]    total;
  // normalise
  logic [FIX_W:0]    normal;  // total after normalisation: the top bit is 0
  logic [EXP_W-1:0]  exp_normal;
  logic [EXP_W-1:0]  room;    // max decrease of the exponent
  // round
  logic              round_up;
  logic [LANE_W-2:0] rounded;  // exponent, mantissa

  // A single process for all steps: the simulator keeps its nets in registers.
  always_comb begin : steps
    sum_o = '0;
    {subtract, sign, exp_common, total} = '0;
    {normal, exp_normal, room} = '0;
    {round_up, rounded} = '0;

    if (en_i) begin
      {subtract, sign, exp_common, total} = part_i;
      // Infinity, with mantissa 0, or NaN.
      if (exp_common == EXP_MAX) begin : special_values
        if (total[0]) sum_o = QUIET_NAN;
        else sum_o = {sign, EXP_MAX, {MAN_W{1'b0}}};
      end else begin : finite_values
        // Normalisation makes the leading one the hidden bit: one place to the right after a carry;
        // otherwise to the left, at most down to EXP_MIN, where a sum without hidden bit is a
        // subnormal with exponent 0. Sticky stays below guard: bits are lost only if the exponents
        // differ by 4 or more, and then one place to the left is enough.
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

        // Round to nearest; a tie (guard bit alone) to even. A carry out of the mantissa increments
        // the exponent, which gives the smallest normal, the next power of two, or infinity.
        begin : round
          round_up = normal[2] && (normal[3] || normal[1:0] != 2'b00);
          rounded = {exp_normal, normal[3 +: MAN_W]} + (LANE_W - 1)'(round_up);
        end

        // Overflow gives infinity, with mantissa 0. The zero of x - x is positive; a sum of two
        // zeros has their sign.
        begin : pack
          if (exp_normal == EXP_MAX) sum_o = {sign, EXP_MAX, {MAN_W{1'b0}}};
          else if (normal == '0) sum_o = {sign && !subtract, {(LANE_W - 1){1'b0}}};
          else sum_o = {sign, rounded};
        end
      end
    end
  end
endmodule
