// SPDX-License-Identifier: Apache-2.0
// Sending end of a link: brings flits and credits from the clock of the switch to the clock of the
// link.
//
// Switch side (clk_i): ready_o drives out_ready_i of the switch; valid_i, flit_i and credit_i come
//   from its output pins. Bit v of credit_i is one slot of VC v freed in its input buffer.
// Link side (tx_clk_i): a flit leaves at an edge with tx_ready_i high (pacing) and is on tx_flit_o
//   with tx_valid_o after it. tx_credit_o carries credits as credit_i does.
// Room: a flit is on the pins LAUNCH_EDGES edges after the decision to launch it and in this module
//   one edge later, and ready_o is a register. ready_o is therefore high after an edge at which
//   there was room for the LAUNCH_EDGES + 2 flits that may be in flight, and one more.
// Timing: a flit on the pins before an edge of clk_i is on tx_flit_o after the third edge of
//   tx_clk_i that samples it, and a credit likewise. With equal clocks in any phase a DEPTH of 16
//   or more sustains one flit per cycle.
// Reset: one per side, synchronous; both are asserted together.
module link_tx #(
  /// flit width in bits
  parameter int unsigned FLIT_W = 128,
  /// FIFO depth in flits, a power of two, more than LAUNCH_EDGES + 2
  parameter int unsigned DEPTH = 16,
  /// edges from the decision of a launch to the edge after which the flit is on the pins:
  /// fred_switch 1, mesh_router 2
  parameter int unsigned LAUNCH_EDGES = 1,
  /// slots of the deepest input buffer of the switch
  parameter int unsigned CREDITS = 48
) (
  // switch
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        ready_o,
  input  logic                        valid_i,
  input  logic [FLIT_W-1:0]           flit_i,
  input  logic [noc_pkg::NUM_VCS-1:0] credit_i,
  // link
  input  logic                        tx_clk_i,
  input  logic                        tx_rst_ni,
  input  logic                        tx_ready_i,
  output logic                        tx_valid_o,
  output logic [FLIT_W-1:0]           tx_flit_o,
  output logic [noc_pkg::NUM_VCS-1:0] tx_credit_o
);
  localparam int unsigned ROOM = LAUNCH_EDGES + 3;
  if (DEPTH < ROOM) begin : gen_range
    $fatal(1, "link_tx: found DEPTH=%0d; allowed: more than LAUNCH_EDGES + 2", DEPTH);
  end

  logic [$clog2(DEPTH):0] free;
  logic                   here;
  logic [FLIT_W-1:0]      flit;

  async_fifo #(.WIDTH(FLIT_W), .DEPTH(DEPTH)) i_flits (
    .wclk_i (clk_i),
    .wrst_ni(rst_ni),
    .write_i(valid_i),
    .wdata_i(flit_i),
    .free_o (free),
    .rclk_i (tx_clk_i),
    .rrst_ni(tx_rst_ni),
    .read_i (here && tx_ready_i),
    .valid_o(here),
    .rdata_o(flit)
  );

  always_ff @(posedge clk_i) begin
    ready_o <= rst_ni && 32'(free) >= ROOM;
  end

  always_ff @(posedge tx_clk_i) begin
    tx_valid_o <= tx_rst_ni && here && tx_ready_i;
    if (here && tx_ready_i) tx_flit_o <= flit;
  end

  for (genvar v = 0; v < noc_pkg::NUM_VCS; v++) begin : gen_vc
    credit_crossing #(.MOST(CREDITS)) i_credits (
      .sclk_i  (clk_i),
      .srst_ni (rst_ni),
      .give_i  (credit_i[v]),
      .dclk_i  (tx_clk_i),
      .drst_ni (tx_rst_ni),
      .credit_o(tx_credit_o[v])
    );
  end
endmodule
