// SPDX-License-Identifier: Apache-2.0
// Registered demultiplexer (1 x M): path of the odd last input port of Fred_m(P) to one
// sub-network.
//
// Function: the flit leaves by the output named by the configuration: 0 = none, j + 1 = output j;
//   codes above M name none. One flit register serves all outputs; only the valid bits differ. An
//   online unicast leaves by the output that its path names at this level, whatever the
//   configuration.
// Timing, clock enable, loading, reset: as fred_r_uswitch.sv.
module fred_port_demux #(
  /// Number of outputs.
  parameter int unsigned M = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Levels of middle sub-networks around this one.
  parameter int unsigned LEVEL = 0,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Configuration width in bits, derived.
  localparam int unsigned SEL_W = fred_pkg::sel_w(M)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              step_i,
  input  logic              load_i,
  input  logic [SEL_W-1:0]  config_i,
  input  logic              in_valid_i,
  input  logic [FLIT_W-1:0] in_flit_i,
  output logic [M-1:0]      out_valid_o,
  output logic [FLIT_W-1:0] out_flit_o
);
  logic [SEL_W-1:0]  config_q;
  logic [M-1:0]      valid_q;
  logic [FLIT_W-1:0] flit_q;

  always_ff @(posedge clk_i) begin
    if (load_i) config_q <= rst_ni ? config_i : '0;
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      valid_q <= '0;
      if (in_valid_i) begin
        for (int unsigned j = 0; j < M; j = j + 1) begin
          valid_q[j] <= rst_ni && (in_flit_i[fred_pkg::ONLINE_BIT]
                                   ? in_flit_i[fred_pkg::PATH_LSB+2*LEVEL +: 2] == 2'(j)
                                   : config_q == SEL_W'(j + 1));
        end
      end
    end
  end

  gated_registers #(.WIDTH(FLIT_W)) i_flit (
    .clk_i,
    .en_i     (step_i && in_valid_i),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (in_flit_i),
    .q_o      (flit_q)
  );

  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
endmodule
