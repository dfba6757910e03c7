// SPDX-License-Identifier: Apache-2.0
// Crossbar of one output of a VOQ crossbar: registers the flit of the selected input.
//
// Contract: select_i has at most one bit, of an input with a valid flit (asserted).
// Timing: one register stage, no back-pressure. out_flit_o holds without a selection.
module voq_crossbar_mux #(
  /// number of ports
  parameter int unsigned P = 12,
  /// flit width in bits
  parameter int unsigned FLIT_W = 128
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [P-1:0]        select_i,
  input  logic [P-1:0]        in_valid_i,
  input  logic [P*FLIT_W-1:0] in_flit_i,
  output logic                out_valid_o,
  output logic [FLIT_W-1:0]   out_flit_o
);
  logic [FLIT_W-1:0] chosen;

  always_comb begin : choose
    chosen = '0;
    if (select_i != '0) begin
      for (int unsigned i = 0; i < P; i++) begin
        if (select_i[i]) chosen = chosen | in_flit_i[FLIT_W*i +: FLIT_W];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    out_valid_o <= rst_ni && select_i != '0;
  end

  gated_registers #(.WIDTH(FLIT_W)) i_flit (
    .clk_i,
    .en_i     (select_i != '0),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (chosen),
    .q_o      (out_flit_o)
  );

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && select_i != '0) begin
      one_input: assert ((select_i & (select_i - P'(1))) == '0);
      its_flit_is_there: assert ((select_i & ~in_valid_i) == '0);
    end
  end
endmodule
