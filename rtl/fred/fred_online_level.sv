// SPDX-License-Identifier: Apache-2.0
// Middle sub-networks of online unicasts at one level of Fred_M(P), M >= 3, in constant depth.
//
// Problem: flits that share an R- or D-µSwitch of a level must take different middle sub-networks.
//   An online flit shares each of its two µSwitches with at most one other flit: the one on the
//   neighbouring wire.
// Rule: three sub-networks are enough, in three steps.
//   1. First choice: the low bit of the input at this level, 0 or 1; the other value if a flit of
//      the phase at the same R-µSwitch has it. Two online flits of an R-µSwitch choose differently.
//   2. A flit changes its choice if a flit of the phase at its D-µSwitch has the same one. Of two
//      online flits at a D-µSwitch with the same choice, the one for the odd output changes. The
//      new choice is 2 or, if a flit of the phase at its R-µSwitch has 2, the other value of 0 and
//      1.
//   3. If both online flits of an R-µSwitch changed to 2, the odd one takes 0. Proof: the first
//      choice of the even one was 0 and that of the odd one was 1, so the other flit at the
//      D-µSwitch of the odd one has 1.
//   At a D-µSwitch at most one of two online flits changes, so the choice that caused the change
//   stays, and is 0 or 1. At an R-µSwitch, if one of two online flits changes to 2, the other one
//   keeps 0 or 1, or changes, too: step 3.
// Shapes: the path of a port is 2 bits per level, outermost first. Paths of the phase are valid
//   where phase_in_i and phase_out_i are set; path_i, the path of the online flit of an input, has
//   the levels before this one, and zeros for the rest. The index of a port at a level is the port
//   without its low bits, one for each level before. Ports of equal index and equal path so far
//   share a wire of the level.
// Contract: no two flits are on one wire; the flits of one flow of the phase have the same path.
//   Then flits that meet at this level leave for different sub-networks, and behind it no two share
//   a wire. Combinational.
module fred_online_level #(
  /// number of switch ports, 3 to 32
  parameter int unsigned P = 12,
  /// levels around this one
  parameter int unsigned LEVEL = 0
) (
  // bit P*input + output of every online flit; ports and paths of the flits of the phase
  input  logic [P*P-1:0]                move_i,
  input  logic [P-1:0]                  phase_in_i,
  input  logic [P-1:0]                  phase_out_i,
  input  logic [fred_pkg::PATH_W*P-1:0] in_path_i,
  input  logic [fred_pkg::PATH_W*P-1:0] out_path_i,
  // paths of online flits by input, before this level and including it
  input  logic [fred_pkg::PATH_W*P-1:0] path_i,
  output logic [fred_pkg::PATH_W*P-1:0] path_o
);
  localparam int unsigned PATH_W = fred_pkg::PATH_W;
  localparam int unsigned AT = 2 * LEVEL;  // first bit of this level in a path
  localparam bit [PATH_W-1:0] BEFORE = PATH_W'((1 << AT) - 1);
  localparam int unsigned WIDTH = 1 << LEVEL;  // ports of an index
  // Ports whose index is odd.
  localparam bit [31:0] ODD = (LEVEL == 0) ? 32'hAAAA_AAAA : (LEVEL == 1) ? 32'hCCCC_CCCC
                                           : (LEVEL == 2) ? 32'hF0F0_F0F0 : 32'hFF00_FF00;

  // Per input: first choice, the phase has 2 at the R-µSwitch, changes. Per output: likewise, and
  // the path before this level.
  logic [P-1:0]        first, no_two, change;
  logic [P-1:0]        out_used, out_first, out_change;
  logic [PATH_W*P-1:0] out_path;

  always_comb begin : first_choice
    first = '0;
    no_two = '0;
    if (move_i != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        first[p] = ODD[p];
        // Ports q of the neighbouring wire.
        for (int unsigned q = ((p >> LEVEL) ^ 1) << LEVEL;
             q < (((p >> LEVEL) ^ 1) << LEVEL) + WIDTH && q < P; q++) begin
          if (phase_in_i[q] && ((in_path_i[PATH_W*q +: PATH_W] ^ path_i[PATH_W*p +: PATH_W]) & BEFORE) == '0) begin
            if (in_path_i[PATH_W*q + AT +: 2] == 2'(ODD[p])) first[p] = !ODD[p];
            if (in_path_i[PATH_W*q + AT +: 2] == 2'd2) no_two[p] = 1'b1;
          end
        end
      end
    end
  end

  always_comb begin : by_output
    out_used = '0;
    out_first = '0;
    out_path = '0;
    if (move_i != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        out_used = out_used | move_i[P*p +: P];
        if (first[p]) out_first = out_first | move_i[P*p +: P];
        for (int unsigned o = 0; o < P; o++) begin
          if (move_i[P*p + o]) begin
            out_path[PATH_W*o +: PATH_W] = out_path[PATH_W*o +: PATH_W] | (path_i[PATH_W*p +: PATH_W] & BEFORE);
          end
        end
      end
    end
  end

  always_comb begin : who_changes
    out_change = '0;
    if (move_i != '0) begin
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned q = ((o >> LEVEL) ^ 1) << LEVEL;
             q < (((o >> LEVEL) ^ 1) << LEVEL) + WIDTH && q < P; q++) begin
          if (phase_out_i[q] && out_path_i[PATH_W*q + AT +: 2] == 2'(out_first[o]) &&
              ((out_path_i[PATH_W*q +: PATH_W] ^ out_path[PATH_W*o +: PATH_W]) & BEFORE) == '0) begin
            out_change[o] = 1'b1;
          end
          if (ODD[o] && out_used[q] && out_first[q] == out_first[o] &&
              out_path[PATH_W*q +: PATH_W] == out_path[PATH_W*o +: PATH_W]) begin
            out_change[o] = 1'b1;
          end
        end
      end
    end
  end

  always_comb begin : second_choice
    change = '0;
    path_o = '0;
    if (move_i != '0) begin
      path_o = path_i;  // valid at inputs with flits
      for (int unsigned p = 0; p < P; p++) change[p] = (move_i[P*p +: P] & out_change) != '0;
      for (int unsigned p = 0; p < P; p++) begin
        path_o[PATH_W*p + AT +: 2] = !change[p] ? 2'(first[p]) : no_two[p] ? 2'(!first[p]) : 2'd2;
        for (int unsigned q = ((p >> LEVEL) ^ 1) << LEVEL;
             q < (((p >> LEVEL) ^ 1) << LEVEL) + WIDTH && q < P; q++) begin
          if (ODD[p] && change[p] && change[q] &&
              ((path_i[PATH_W*q +: PATH_W] ^ path_i[PATH_W*p +: PATH_W]) & BEFORE) == '0) begin
            path_o[PATH_W*p + AT +: 2] = 2'd0;
          end
        end
      end
    end
  end
endmodule
