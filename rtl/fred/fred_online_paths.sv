// SPDX-License-Identifier: Apache-2.0
// Paths of online unicasts through Fred_M(P): of the flits that phased_matcher let go, alongside
// the flits of the phase.
//
// M >= 3: level by level, by the rule of fred_online_level, which finds a path for every flit of
//   every matching. M = 2: the sub-network of a level is the low bit of the input there;
//   phased_matcher lets go only flits that this rule keeps apart.
// Timing: move_i, phase_in_i and phase_out_i are registers that follow the edge e of the decision;
//   in_path_i and out_path_i (fred_paths) are the paths of that phase in the cycle after e.
//   route_o, the route field of the flit's header, is valid in the cycle before edge e + 3, at
//   which stage 0 of the interconnect samples the flit. One level per cycle, the third one
//   combinational; with four levels, P > 16, the first two share a cycle. One decision per cycle.
// idle_o: no path is being computed; an edge with move_i zero then changes nothing.
module fred_online_paths #(
  /// number of switch ports, 2 to 32
  parameter int unsigned P = 12,
  /// number of middle sub-networks, 2 to 4
  parameter int unsigned M = 3,
  /// width of the route field in a header, derived: flag, output port, path
  localparam int unsigned ROUTE_W = 1 + phased_pkg::OUT_W + fred_pkg::PATH_W
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // bit P*input + output of every flit that left; ports that the phase used at that edge, and its
  // paths
  input  logic [P*P-1:0]                move_i,
  input  logic [P-1:0]                  phase_in_i,
  input  logic [P-1:0]                  phase_out_i,
  input  logic [fred_pkg::PATH_W*P-1:0] in_path_i,
  input  logic [fred_pkg::PATH_W*P-1:0] out_path_i,
  // per input: {path, output, 1}, or 0
  output logic [P*ROUTE_W-1:0]          route_o,
  output logic                          idle_o
);
  localparam int unsigned LEVELS = fred_pkg::levels(P);
  localparam int unsigned CYCLES = 3;
  localparam int unsigned PATH_W = fred_pkg::PATH_W;
  localparam int unsigned FLOWS_W = 2 * P + 2 * PATH_W * P;

  logic [CYCLES-1:0]   busy;       // by cycle: the cycle has flits
  logic [P*P-1:0]      last_move;  // flits of the last cycle, and their paths
  logic [PATH_W*P-1:0] last_path;

  for (genvar c = 0; c < CYCLES; c++) begin : gen_cycle
    // Level of this cycle; the first cycle has two if there are four levels.
    localparam int unsigned FIRST = (LEVELS > CYCLES && c > 0) ? c + 1 : c;
    localparam int unsigned END = (LEVELS > CYCLES) ? c + 2 : c + 1;
    // Flits of this cycle, and their paths at its beginning and at its end; ports that the phase
    // uses, and their paths.
    logic [P*P-1:0]      move;
    logic [PATH_W*P-1:0] from, to;
    logic [P-1:0]        phase_in, phase_out;
    logic [PATH_W*P-1:0] in_path, out_path;

    if (c == 0) begin : gen_first
      assign move = move_i;
      assign from = '0;
      assign phase_in = phase_in_i;
      assign phase_out = phase_out_i;
      assign in_path = in_path_i;
      assign out_path = out_path_i;
    end else begin : gen_next
      logic [P*P-1:0]      move_q;
      logic [PATH_W*P-1:0] path_q;
      logic [FLOWS_W-1:0]  flows_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          move_q <= '0;
        end else begin
          move_q <= gen_cycle[c-1].move;
          if (busy[c-1]) begin
            path_q <= gen_cycle[c-1].to;
            flows_q <= {gen_cycle[c-1].phase_in, gen_cycle[c-1].phase_out, gen_cycle[c-1].in_path,
                        gen_cycle[c-1].out_path};
          end
        end
      end
      assign move = move_q;
      assign from = path_q;
      assign {phase_in, phase_out, in_path, out_path} = flows_q;
    end
    assign busy[c] = move != '0;

    if (M == 2 && LEVELS > 0) begin : gen_by_input
      always_comb begin
        to = from;
        if (c == 0 && busy[c]) begin
          for (int unsigned p = 0; p < P; p++) begin
            for (int unsigned level = 0; level < LEVELS; level++) begin
              to[PATH_W*p + 2*level] = 1'(p >> level) && move[P*p +: P] != '0;
            end
          end
        end
      end
    end else begin : gen_by_rule
      logic [PATH_W*P-1:0] between;
      if (FIRST < LEVELS) begin : gen_level
        fred_online_level #(.P(P), .LEVEL(FIRST)) i_level (
          .move_i     (move),
          .phase_in_i (phase_in),
          .phase_out_i(phase_out),
          .in_path_i  (in_path),
          .out_path_i (out_path),
          .path_i     (from),
          .path_o     (between)
        );
      end else begin : gen_no_level
        assign between = from;
      end
      if (FIRST + 1 < END) begin : gen_second_level
        fred_online_level #(.P(P), .LEVEL(FIRST + 1)) i_level (
          .move_i     (move),
          .phase_in_i (phase_in),
          .phase_out_i(phase_out),
          .in_path_i  (in_path),
          .out_path_i (out_path),
          .path_i     (between),
          .path_o     (to)
        );
      end else begin : gen_no_second_level
        assign to = between;
      end
    end
    if (c == CYCLES - 1) begin : gen_last
      assign last_move = move;
      assign last_path = to;
    end

    // The phase is unused without levels and with M = 2; some levels use a part of it.
    logic unused;
    assign unused = &{1'b0, phase_in, phase_out, in_path, out_path};
  end

  always_comb begin : routes
    route_o = '0;
    if (busy[CYCLES-1]) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned o = 0; o < P; o++) begin
          if (last_move[P*p + o]) begin
            route_o[ROUTE_W*p +: ROUTE_W] = {last_path[PATH_W*p +: PATH_W], phased_pkg::OUT_W'(o), 1'b1};
          end
        end
      end
    end
  end

  assign idle_o = busy[CYCLES-1:1] == '0;
endmodule
