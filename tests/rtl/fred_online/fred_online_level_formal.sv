// SPDX-License-Identifier: Apache-2.0
// Proof of fred_online_level, for all flits and phases at once: broken_o is never 1.
//
// Assumed, as the module's contract has it: flits are on wires of their own; ports of the phase
// that are on one wire have one path at this level.
module fred_online_level_formal #(
  /// number of ports
  parameter int unsigned P = 4,
  /// levels around this one
  parameter int unsigned LEVEL = 0
) (
  input  logic [P*P-1:0] move_i,
  input  logic [P-1:0]   phase_in_i,
  input  logic [P-1:0]   phase_out_i,
  input  logic [8*P-1:0] in_path_i,
  input  logic [8*P-1:0] out_path_i,
  input  logic [8*P-1:0] path_i,
  output logic           broken_o
);
  localparam bit [7:0] BEFORE = 8'((1 << (2 * LEVEL)) - 1);
  localparam bit [7:0] WITH = 8'((1 << (2 * LEVEL + 2)) - 1);

  logic [8*P-1:0] path, out_path, all_in, all_out;
  logic [P-1:0]   in_used, out_used;
  logic           legal, crossed;

  fred_online_level #(.P(P), .LEVEL(LEVEL)) i_level (
    .move_i,
    .phase_in_i,
    .phase_out_i,
    .in_path_i,
    .out_path_i,
    .path_i,
    .path_o(path)
  );

  // The paths of all flits by port, with this level.
  always_comb begin
    out_path = '0;
    in_used = '0;
    out_used = '0;
    for (int unsigned p = 0; p < P; p++) begin
      in_used[p] = move_i[P*p +: P] != '0;
      out_used = out_used | move_i[P*p +: P];
      for (int unsigned o = 0; o < P; o++) begin
        if (move_i[P*p + o]) out_path[8*o +: 8] = out_path[8*o +: 8] | path[8*p +: 8];
      end
    end
    for (int unsigned p = 0; p < P; p++) begin
      all_in[8*p +: 8] = phase_in_i[p] ? in_path_i[8*p +: 8] & WITH : path[8*p +: 8];
      all_out[8*p +: 8] = phase_out_i[p] ? out_path_i[8*p +: 8] & WITH : out_path[8*p +: 8];
    end
  end

  // A pair of ports with the same path before the level: on one wire of it they are two ports of
  // one flow; side by side, with one sub-network, too, unless one is of an online flit.
  always_comb begin
    legal = (in_used & phase_in_i) == '0 && (out_used & phase_out_i) == '0;
    crossed = 1'b0;
    for (int unsigned p = 0; p < P; p++) begin
      if ((move_i[P*p +: P] & (move_i[P*p +: P] - P'(1))) != '0) legal = 1'b0;
      if ((path_i[8*p +: 8] & ~BEFORE) != '0) legal = 1'b0;
      if (in_used[p] && path[8*p + 2*LEVEL +: 2] == 2'd3) crossed = 1'b1;
      if (in_used[p] && ((path[8*p +: 8] ^ path_i[8*p +: 8]) & BEFORE) != '0) crossed = 1'b1;
      for (int unsigned q = 0; q < p; q++) begin
        if ((move_i[P*p +: P] & move_i[P*q +: P]) != '0) legal = 1'b0;
        if ((in_used[p] || phase_in_i[p]) && (in_used[q] || phase_in_i[q]) &&
            ((all_in[8*p +: 8] ^ all_in[8*q +: 8]) & BEFORE) == '0) begin
          if (p >> LEVEL == q >> LEVEL && (in_used[p] || in_used[q] ||
                                           all_in[8*p +: 8] != all_in[8*q +: 8])) legal = 1'b0;
          if (p >> (LEVEL + 1) == q >> (LEVEL + 1) && (in_used[p] || in_used[q]) &&
              all_in[8*p +: 8] == all_in[8*q +: 8]) crossed = 1'b1;
        end
        if ((out_used[p] || phase_out_i[p]) && (out_used[q] || phase_out_i[q]) &&
            ((all_out[8*p +: 8] ^ all_out[8*q +: 8]) & BEFORE) == '0) begin
          if (p >> LEVEL == q >> LEVEL && (out_used[p] || out_used[q] ||
                                           all_out[8*p +: 8] != all_out[8*q +: 8])) legal = 1'b0;
          if (p >> (LEVEL + 1) == q >> (LEVEL + 1) && (out_used[p] || out_used[q]) &&
              all_out[8*p +: 8] == all_out[8*q +: 8]) crossed = 1'b1;
        end
      end
    end
  end

  assign broken_o = legal && crossed;
endmodule
