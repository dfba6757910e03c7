// SPDX-License-Identifier: Apache-2.0
// Receiving end of a link: brings flits and credits from the clock of the link to the clock of the
// switch.
//
// Link side (rx_clk_i): a flit with rx_valid_i, without ready: the sender has credits. Bit v of
//   rx_credit_i is one slot of VC v freed at the other end.
// Switch side (clk_i): valid_o, flit_o and credit_o match the input pins of a switch. A flit leaves
//   at the first edge at which it is valid, without back-pressure.
// Timing: a flit sampled at an edge of rx_clk_i is on flit_o after the second edge of clk_i that
//   samples its pointer, a credit on credit_o after the third.
// Rate: on average at most one flit per cycle of clk_i, with bursts of up to DEPTH - 6 flits (a
//   DEPTH of 8 is enough for equal clocks in any phase). A link with a faster clock than the switch
//   leaves gaps. A flit that finds the FIFO full is dropped, and rx_overflow_o stays high from then
//   on. Credits may come at every edge; waiting credits are counted.
module link_rx #(
  /// flit width in bits
  parameter int unsigned FLIT_W = 128,
  /// FIFO depth in flits, a power of two
  parameter int unsigned DEPTH = 8,
  /// slots of the deepest buffer at the other end
  parameter int unsigned CREDITS = 48
) (
  // link
  input  logic                        rx_clk_i,
  input  logic                        rx_rst_ni,
  input  logic                        rx_valid_i,
  input  logic [FLIT_W-1:0]           rx_flit_i,
  input  logic [noc_pkg::NUM_VCS-1:0] rx_credit_i,
  output logic                        rx_overflow_o,
  // switch
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        valid_o,
  output logic [FLIT_W-1:0]           flit_o,
  output logic [noc_pkg::NUM_VCS-1:0] credit_o
);
  logic [$clog2(DEPTH):0] free;

  async_fifo #(.WIDTH(FLIT_W), .DEPTH(DEPTH)) i_flits (
    .wclk_i (rx_clk_i),
    .wrst_ni(rx_rst_ni),
    .write_i(rx_valid_i && free != '0),
    .wdata_i(rx_flit_i),
    .free_o (free),
    .rclk_i (clk_i),
    .rrst_ni(rst_ni),
    .read_i (valid_o),
    .valid_o(valid_o),
    .rdata_o(flit_o)
  );

  always_ff @(posedge rx_clk_i) begin
    if (!rx_rst_ni) rx_overflow_o <= 1'b0;
    else if (rx_valid_i && free == '0) rx_overflow_o <= 1'b1;
  end

  for (genvar v = 0; v < noc_pkg::NUM_VCS; v++) begin : gen_vc
    credit_crossing #(.MOST(CREDITS)) i_credits (
      .sclk_i  (rx_clk_i),
      .srst_ni (rx_rst_ni),
      .give_i  (rx_credit_i[v]),
      .dclk_i  (clk_i),
      .drst_ni (rst_ni),
      .credit_o(credit_o[v])
    );
  end
endmodule
