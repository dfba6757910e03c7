// SPDX-License-Identifier: Apache-2.0
// Interconnect of a reducing crossbar: P x P, with an adder tree at every output (the alternative
// of §9).
//
// Flits: in_valid_i / in_flit_i at an edge, out_valid_o / out_flit_o after the edge STAGES - 1
//   edges later, i.e. STAGES register stages on every path; one flit per port and cycle, no
//   back-pressure. Port p of a flit vector is bits [FLIT_W*p +: FLIT_W]; out_flit_o is meaningful
//   only with out_valid_o.
// Sums: output o gives the sum of the flits that enter at an edge by the inputs of its
//   configuration, in the order of reducing_crossbar_tree. The parent launches the flits of one
//   flow together; a sum with a missing input is an assertion failure.
// Online unicasts: a flit whose input has a bit set in unicast_i (bit P*input + output) goes to
//   that output, whatever the configuration. The parent sends nothing else to that output at that
//   edge.
// Configuration: with load_i high at edge e, config_i is copied at e: bit P*output + input for the
//   inputs that are added at the output. A flit sampled at e or before uses the old configuration,
//   a flit sampled at e + 1 or later the new one. Later stages have no configuration: they add the
//   flits selected by the first stage.
// Stages: the first takes the flits and selects the outputs of each; then one stage per level of
//   the trees. Every tree has its own registers in the first stage, one per input, which load flits
//   for its output and hold otherwise: a flit does not toggle the adders of trees for other
//   outputs.
// busy_o: low if no flit was sampled in the last STAGES edges. With busy_o low, in_valid_i zero and
//   load_i low an edge changes nothing.
// Reset (synchronous, one edge without flits is enough): empties all stages and clears the
//   configuration.
module reducing_crossbar_interconnect #(
  /// Number of ports, 2 to 32.
  parameter int unsigned P = 12,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: noc_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Number of register stages, derived.
  localparam int unsigned STAGES = reducing_crossbar_pkg::stages(P)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // configuration
  input  logic                load_i,
  input  logic [P*P-1:0]      config_i,
  // flits
  input  logic [P-1:0]        in_valid_i,
  input  logic [P*FLIT_W-1:0] in_flit_i,
  input  logic [P*P-1:0]      unicast_i,
  output logic [P-1:0]        out_valid_o,
  output logic [P*FLIT_W-1:0] out_flit_o,
  output logic                busy_o
);
  logic [P*P-1:0]    config_q;
  logic [P-1:0]      select [P];  // by output: inputs whose flits go there
  logic [P*P-1:0]    select_q;    // bit P*output + input: inputs whose flits go to the output
  logic [P-1:0]      online;
  logic [STAGES-1:0] active_q;    // bit s: a flit was sampled s + 1 edges ago

  // ------------------------------------------------------------------ choice
  always_comb begin : choose
    online = '0;
    for (int unsigned o = 0; o < P; o++) select[o] = '0;
    if (in_valid_i != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        online[p] = unicast_i[P*p +: P] != '0;
        for (int unsigned o = 0; o < P; o++) begin
          select[o][p] = in_valid_i[p] && (online[p] ? unicast_i[P*p + o] : config_q[P*o + p]);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      config_q <= '0;
      select_q <= '0;
      active_q <= '0;
    end else begin
      if (load_i) config_q <= config_i;
      for (int unsigned o = 0; o < P; o++) select_q[P*o +: P] <= select[o];
      active_q <= (active_q << 1) | STAGES'(|in_valid_i);
    end
  end

  assign busy_o = active_q != '0;

  // ------------------------------------------------------------------ trees
  for (genvar o = 0; o < P; o++) begin : gen_output
    logic [P*FLIT_W-1:0] flit_q;  // last flit of every input for this output

    for (genvar p = 0; p < P; p++) begin : gen_input
      gated_registers #(.WIDTH(FLIT_W)) i_flit (
        .clk_i,
        .en_i     (select[o][p]),
        .test_en_i(1'b0),  // no scan chain
        .d_i      (in_flit_i[FLIT_W*p +: FLIT_W]),
        .q_o      (flit_q[FLIT_W*p +: FLIT_W])
      );
    end

    reducing_crossbar_tree #(.P(P), .LANES(LANES), .FORMAT(FORMAT)) i_tree (
      .clk_i,
      .rst_ni,
      .in_valid_i (select_q[P*o +: P]),
      .in_flit_i  (flit_q),
      .out_valid_o(out_valid_o[o]),
      .out_flit_o (out_flit_o[FLIT_W*o +: FLIT_W])
    );
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] partly, many, at, ruled;
    if (rst_ni && in_valid_i != '0) begin
      ruled = in_valid_i & ~online;
      for (int unsigned o = 0; o < P; o++) begin
        at = select[o];
        partly[o] = (at & ruled) != '0 && (config_q[P*o +: P] & ~ruled) != '0;
        many[o] = (at & online) != '0 && (at & (at - P'(1))) != '0;
      end
      sum_has_all_inputs: assert (partly == '0);
      unicasts_apart: assert (many == '0);
    end
  end
endmodule
