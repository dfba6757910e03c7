// SPDX-License-Identifier: Apache-2.0
// Paths of online unicasts through Fred_M(P), of the flits that phased_matcher let go, beside those of the phase.
//
// M >= 3: level by level, by the rule of fred_online_level, which finds a path for every flit of every matching. M =
//   2: the sub-network of a level is the low bit of the input there; phased_matcher lets only flits go that this keeps
//   apart.
// Timing: move_i, phase_in_i and phase_out_i are registers that follow the edge e of the decision; in_path_i and
//   out_path_i (fred_paths) are those of that phase in the cycle after e. route_o, what is put into the flit's header,
//   is there in the cycle before edge e + 3, at which stage 0 of the interconnect samples the flit. One level per
//   cycle, the third one combinational; with four levels, P > 16, the first two share a cycle. One decision per
//   cycle.
// idle_o: nothing under way; an edge with move_i zero then changes nothing.
module fred_online_paths #(
  /// ports of the switch, 2 to 32
  parameter int unsigned P = 12,
  /// middle sub-networks, 2 to 4
  parameter int unsigned M = 3,
  /// bits of what is put into a header, derived: flag, output port, path
  localparam int unsigned ROUTE_W = 1 + phased_pkg::OUT_W + fred_pkg::PATH_W
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // bit P*input + output of every flit that left; the ports that the phase used at that edge, and its paths
  input  logic [P*P-1:0]                move_i,
  input  logic [P-1:0]                  phase_in_i,
  input  logic [P-1:0]                  phase_out_i,
  input  logic [fred_pkg::PATH_W*P-1:0] in_path_i,
  input  logic [fred_pkg::PATH_W*P-1:0] out_path_i,
  // per input: {path, output, 1}, or 0
  output logic [P*ROUTE_W-1:0] route_o,
  output logic                 idle_o
);
  localparam int unsigned LEVELS = fred_pkg::levels(P);
  localparam int unsigned CYCLES = 3;
  localparam int unsigned PATH_W = fred_pkg::PATH_W;
  localparam int unsigned FLOWS_W = 2 * P + 2 * PATH_W * P;

  // Flits of every cycle: they and their paths at its beginning and its end; the phase's use: {in, out, paths
  // of both}.
  logic [CYCLES*P*P-1:0]      move;
  logic [CYCLES*PATH_W*P-1:0] path, path_d;
  logic [CYCLES*FLOWS_W-1:0]  flows;

  assign move[P*P-1:0] = move_i;
  assign path[PATH_W*P-1:0] = '0;
  assign flows[FLOWS_W-1:0] = {phase_in_i, phase_out_i, in_path_i, out_path_i};

  for (genvar c = 0; c < CYCLES; c++) begin : gen_cycle
    // The level of this cycle; the first cycle has two if there are four levels.
    localparam int unsigned FIRST = (LEVELS > CYCLES && c > 0) ? c + 1 : c;
    localparam int unsigned END = (LEVELS > CYCLES) ? c + 2 : c + 1;
    logic [PATH_W*P-1:0] from, to;
    assign from = path[PATH_W*P*c +: PATH_W*P];

    if (M == 2 && LEVELS > 0) begin : gen_by_input
      always_comb begin
        to = from;
        if (c == 0 && move_i != '0) begin
          for (int unsigned p = 0; p < P; p++) begin
            for (int unsigned level = 0; level < LEVELS; level++) begin
              to[PATH_W*p + 2*level] = 1'(p >> level) && move_i[P*p +: P] != '0;
            end
          end
        end
      end
    end else begin : gen_by_rule
      logic [PATH_W*P-1:0] between;
      if (FIRST < LEVELS) begin : gen_level
        fred_online_level #(.P(P), .LEVEL(FIRST)) i_level (
          .move_i     (move[P*P*c +: P*P]),
          .phase_in_i (flows[FLOWS_W*c + 2*PATH_W*P + P +: P]),
          .phase_out_i(flows[FLOWS_W*c + 2*PATH_W*P +: P]),
          .in_path_i  (flows[FLOWS_W*c + PATH_W*P +: PATH_W*P]),
          .out_path_i (flows[FLOWS_W*c +: PATH_W*P]),
          .path_i     (from),
          .path_o     (between)
        );
      end else begin : gen_no_level
        assign between = from;
      end
      if (FIRST + 1 < END) begin : gen_second_level
        fred_online_level #(.P(P), .LEVEL(FIRST + 1)) i_level (
          .move_i     (move[P*P*c +: P*P]),
          .phase_in_i (flows[FLOWS_W*c + 2*PATH_W*P + P +: P]),
          .phase_out_i(flows[FLOWS_W*c + 2*PATH_W*P +: P]),
          .in_path_i  (flows[FLOWS_W*c + PATH_W*P +: PATH_W*P]),
          .out_path_i (flows[FLOWS_W*c +: PATH_W*P]),
          .path_i     (between),
          .path_o     (to)
        );
      end else begin : gen_no_second_level
        assign to = between;
      end
    end
    assign path_d[PATH_W*P*c +: PATH_W*P] = to;

    if (c + 1 < CYCLES) begin : gen_register
      logic [P*P-1:0]      move_q;
      logic [PATH_W*P-1:0] path_q;
      logic [FLOWS_W-1:0]  flows_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          move_q <= '0;
        end else begin
          move_q <= move[P*P*c +: P*P];
          if (move[P*P*c +: P*P] != '0) begin
            path_q <= path_d[PATH_W*P*c +: PATH_W*P];
            flows_q <= flows[FLOWS_W*c +: FLOWS_W];
          end
        end
      end
      assign move[P*P*(c+1) +: P*P] = move_q;
      assign path[PATH_W*P*(c+1) +: PATH_W*P] = path_q;
      assign flows[FLOWS_W*(c+1) +: FLOWS_W] = flows_q;
    end
  end

  always_comb begin : routes
    route_o = '0;
    if (move[P*P*(CYCLES-1) +: P*P] != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned o = 0; o < P; o++) begin
          if (move[P*P*(CYCLES-1) + P*p + o]) begin
            route_o[ROUTE_W*p +: ROUTE_W] = {path_d[PATH_W*(P*(CYCLES-1) + p) +: PATH_W], phased_pkg::OUT_W'(o), 1'b1};
          end
        end
      end
    end
  end

  assign idle_o = move[P*P +: 2*P*P] == '0;

  // Without levels, and with M = 2, the phase is not looked at; not all levels need all of it.
  logic unused;
  assign unused = ^flows;
endmodule
