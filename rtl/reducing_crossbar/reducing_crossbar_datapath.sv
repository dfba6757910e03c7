// SPDX-License-Identifier: Apache-2.0
// Datapath of a phased_switch with a reducing crossbar, from its inputs to its outputs: the
// interconnect, configured by the flows of the active phase, and the unicasts in flight to it.
//
// Pins: all except idle_o are pins of phased_switch with the same names; its contract
//   ("Interconnect") has their timing. A row of the phase store consists of its flows alone: an
//   output adds the inputs of its flow.
// idle_o: no flit inside, and no unicast in flight; drives enter_idle_i.
module reducing_crossbar_datapath #(
  /// Number of ports, 2 to 32.
  parameter int unsigned P = 12,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: noc_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Row width of the phase store, derived.
  localparam int unsigned ROW_W = phased_pkg::row_config_lsb(P)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                change_i,
  input  logic [ROW_W-1:0]    change_row_i,
  input  logic                load_i,
  input  logic [P*P-1:0]      move_i,
  input  logic [P-1:0]        enter_valid_i,
  input  logic [P*FLIT_W-1:0] enter_flit_i,
  output logic [P-1:0]        leave_valid_o,
  output logic [P*FLIT_W-1:0] leave_flit_o,
  output logic                idle_o
);
  localparam int unsigned FLOW_W = phased_pkg::flow_w(P);

  logic [P-1:0]      config_d [P];       // by output: inputs of its flow, in the phase after the
                                         // change
  logic [FLOW_W-1:0] out_flow;
  logic [P*P-1:0]    config_q;           // configuration of the active phase: bit P*output + input
  logic [P*P-1:0]    move_q, unicast_q;  // move_i delayed by one and by two edges
  logic              busy;

  always_comb begin : flows
    for (int unsigned o = 0; o < P; o++) config_d[o] = '0;
    out_flow = '0;
    if (change_i) begin
      for (int unsigned o = 0; o < P; o++) begin
        out_flow = change_row_i[phased_pkg::row_out_flow_lsb(P, o) +: FLOW_W];
        for (int unsigned p = 0; p < P; p++) begin
          config_d[o][p] = out_flow != '0 && out_flow == change_row_i[phased_pkg::row_in_flow_lsb(P, p) +: FLOW_W];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      move_q <= '0;
      unicast_q <= '0;
    end else begin
      move_q <= move_i;
      unicast_q <= move_q;
    end
    if (change_i) begin
      for (int unsigned o = 0; o < P; o++) config_q[P*o +: P] <= config_d[o];
    end
  end

  assign idle_o = !busy && move_q == '0 && unicast_q == '0;

  reducing_crossbar_interconnect #(.P(P), .LANES(LANES), .FORMAT(FORMAT)) i_interconnect (
    .clk_i,
    .rst_ni,
    .load_i,
    .config_i   (config_q),
    .in_valid_i (enter_valid_i),
    .in_flit_i  (enter_flit_i),
    .unicast_i  (unicast_q),
    .out_valid_o(leave_valid_o),
    .out_flit_o (leave_flit_o),
    .busy_o     (busy)
  );

  // Row bits that the trees do not use.
  logic unused;
  assign unused = &{1'b0, change_row_i[phased_pkg::ROW_FLOWS_LSB-1:0]};
endmodule
