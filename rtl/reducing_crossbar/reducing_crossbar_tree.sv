// SPDX-License-Identifier: Apache-2.0
// Adder tree of one output of a reducing crossbar: the sum of the flits that are valid at an edge.
//
// Order of addition: a balanced tree over the inputs, by index: at every level node n adds nodes 2n
//   and 2n + 1 of the level before; the last one of an odd number has no partner and passes to the
//   next level. Inputs without a valid flit are left out. (Fred_m(P) adds in the same order.) The
//   sum has the header of the lowest valid input.
// Timing: LEVELS register stages, one flit per cycle, no back-pressure. out_flit_o is meaningful
//   only with out_valid_o.
// Reset (synchronous): as many edges as there are levels, or one edge with no valid input.
module reducing_crossbar_tree #(
  /// Number of inputs, 2 to 32.
  parameter int unsigned P = 12,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: noc_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [P-1:0]        in_valid_i,
  input  logic [P*FLIT_W-1:0] in_flit_i,
  output logic                out_valid_o,
  output logic [FLIT_W-1:0]   out_flit_o
);
  localparam int unsigned LEVELS = $clog2(P);

  for (genvar l = 0; l < LEVELS; l++) begin : gen_level
    localparam int unsigned INPUTS = (P + (1 << l) - 1) >> l;
    localparam int unsigned NODES = (INPUTS + 1) / 2;
    logic [INPUTS-1:0]        from_valid;
    logic [INPUTS*FLIT_W-1:0] from_flit;
    logic [NODES-1:0]         to_valid;
    logic [NODES*FLIT_W-1:0]  to_flit;

    if (l == 0) begin : gen_first
      assign from_valid = in_valid_i;
      assign from_flit = in_flit_i;
    end else begin : gen_next
      assign from_valid = gen_level[l-1].to_valid;
      assign from_flit = gen_level[l-1].to_flit;
    end

    for (genvar n = 0; n < INPUTS / 2; n++) begin : gen_node
      reducing_crossbar_node #(.LANES(LANES), .FORMAT(FORMAT)) i_node (
        .clk_i,
        .rst_ni,
        .left_valid_i (from_valid[2*n]),
        .left_flit_i  (from_flit[2*n*FLIT_W +: FLIT_W]),
        .right_valid_i(from_valid[2*n+1]),
        .right_flit_i (from_flit[(2*n+1)*FLIT_W +: FLIT_W]),
        .out_valid_o  (to_valid[n]),
        .out_flit_o   (to_flit[n*FLIT_W +: FLIT_W])
      );
    end

    if (INPUTS % 2 == 1) begin : gen_alone
      logic              valid_q;
      logic [FLIT_W-1:0] flit_q;
      always_ff @(posedge clk_i) begin
        valid_q <= rst_ni && from_valid[INPUTS-1];
      end
      gated_registers #(.WIDTH(FLIT_W)) i_flit (
        .clk_i,
        .en_i     (from_valid[INPUTS-1]),
        .test_en_i(1'b0),  // no scan chain
        .d_i      (from_flit[(INPUTS-1)*FLIT_W +: FLIT_W]),
        .q_o      (flit_q)
      );
      assign to_valid[NODES-1] = valid_q;
      assign to_flit[(NODES-1)*FLIT_W +: FLIT_W] = flit_q;
    end
  end

  assign out_valid_o = gen_level[LEVELS-1].to_valid;
  assign out_flit_o = gen_level[LEVELS-1].to_flit;
endmodule
