// SPDX-License-Identifier: Apache-2.0
// FRED switch with its chip-level surroundings: reset synchronisers, clock crossings at the links,
// and a register bus.
//
// Clocks: clk_i is the clock of the switch. Each link has two of its own: rx_clk_i[p] comes with
//   arriving flits, tx_clk_i[p] is the clock of leaving flits. Phases and frequencies are
//   arbitrary; see link_rx and link_tx for the resulting limits on the rate.
// Reset: rst_ni resets everything, at any time and for any duration; each clock has a reset_sync.
//   Traffic begins after all clocks have had three edges out of reset. test_mode_i, test_rst_ni:
//   see reset_sync.
// Links: the pins of a fred_switch, each with its clock: rx_* arrive, tx_* leave. A slot freed in
//   an input buffer leaves on tx_credit_o; a slot freed in the receiver's buffer arrives on
//   rx_credit_i (bit vc_index(p, v): VC v of port p). rx_overflow_o[p]: flits of link p came too
//   fast and one was lost; sticky until reset. tx_ready_i low: no flit leaves.
// Latency, with equal clocks: 2 to 3 cycles more than a fred_switch at the inputs, 3 to 4 at the
//   outputs, depending on the phase. The credit loop of a link grows by 7 or 8 cycles at the
//   sending end and by 6 or 7 at the receiving end: 13 to 15 in total, which the input buffers need
//   as additional flits.
// Bus: see apb_slave; pclk is clk_i. PSLVERR answers an address that fred_register_map does not
//   know, a write to a read-only register, and every access during the memory test.
// Memory test, with clk_i: see bist_controller for bist_start_i, bist_busy_o, bist_done_o;
//   bist_fail_o has the bits of a fred_switch. The test takes 20 cycles per word of the deepest
//   memory, and 4 more. It holds the switch in reset: all state is lost, including routes, and all
//   memories are zero afterwards. The links must be idle, and the credits at the other ends must
//   have their reset values.
// idle_o, error_o: from the switch, with clk_i. idle_o ignores flits inside the clock crossings.
module fred_switch_top #(
  /// see fred_switch
  parameter int unsigned P = 12,
  /// see fred_switch
  parameter int unsigned M = 3,
  /// see fred_switch
  parameter int unsigned VC_DEPTH = 48,
  /// see fred_switch
  parameter int unsigned OUT_DEPTH = 24,
  /// see fred_switch
  parameter int unsigned FORMAT = 0,
  /// see fred_switch
  parameter int unsigned YIELD = 4,
  /// see fred_switch
  parameter int unsigned QUANTUM = 64,
  /// see fred_switch
  parameter int unsigned ADDER_STAGES = 1,
  /// see fred_switch
  parameter int unsigned ROUTE_ADDR_W = noc_pkg::DEFAULT_ROUTE_ADDR_W,
  /// depth of the receive FIFO in flits (link clock to switch clock), a power of two
  parameter int unsigned RX_DEPTH = 8,
  /// depth of the transmit FIFO in flits (switch clock to link clock), a power of two
  parameter int unsigned TX_DEPTH = 16,
  /// slots of the deepest buffer of a VC at the other end of a link
  parameter int unsigned LINK_CREDITS = VC_DEPTH,
  /// width of a byte address on the bus, derived
  localparam int unsigned ADDR_W = noc_pkg::REG_ADDR_W + 2,
  `include "../common/switch_parameters.svh"
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                test_mode_i,
  input  logic                test_rst_ni,
  // links, receive
  input  logic [P-1:0]        rx_clk_i,
  input  logic [P-1:0]        rx_valid_i,
  input  logic [P*FLIT_W-1:0] rx_flit_i,
  input  logic [VCS*P-1:0]    rx_credit_i,
  output logic [P-1:0]        rx_overflow_o,
  // links, transmit
  input  logic [P-1:0]        tx_clk_i,
  input  logic [P-1:0]        tx_ready_i,
  output logic [P-1:0]        tx_valid_o,
  output logic [P*FLIT_W-1:0] tx_flit_o,
  output logic [VCS*P-1:0]    tx_credit_o,
  // register bus
  input  logic                psel_i,
  input  logic                penable_i,
  input  logic                pwrite_i,
  input  logic [ADDR_W-1:0]   paddr_i,
  input  logic [31:0]         pwdata_i,
  output logic                pready_o,
  output logic [31:0]         prdata_o,
  output logic                pslverr_o,
  // status
  output logic                idle_o,
  output logic [31:0]         error_o,
  // memory test
  input  logic                bist_start_i,
  output logic                bist_busy_o,
  output logic                bist_done_o,
  output logic [2*P+1:0]      bist_fail_o
);
  localparam int unsigned BUFFER = (VC_DEPTH > CTRL_DEPTH) ? VC_DEPTH : CTRL_DEPTH;
  localparam int unsigned PLACES = 2 * P + 2;

  logic rst_n, switch_rst_n;

  reset_sync i_reset (.clk_i, .rst_ni, .test_mode_i, .test_rst_ni, .rst_no(rst_n));

  // ------------------------------------------------------------------ register bus
  logic                  reg_valid, reg_write, known;
  logic [REG_ADDR_W-1:0] reg_addr;
  logic [31:0]           reg_wdata, reg_rdata;

  fred_register_map #(.P(P), .M(M), .ROUTE_ADDR_W(ROUTE_ADDR_W)) i_map (
    .write_i(pwrite_i),
    .addr_i (paddr_i[ADDR_W-1:2]),
    .known_o(known)
  );

  apb_slave #(.ADDR_W(ADDR_W)) i_bus (
    .clk_i,
    .rst_ni     (rst_n),
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pready_o,
    .prdata_o,
    .pslverr_o,
    .refuse_i   (!known || bist_busy_o),
    .reg_valid_o(reg_valid),
    .reg_write_o(reg_write),
    .reg_addr_o (reg_addr),
    .reg_wdata_o(reg_wdata),
    .reg_rdata_i(reg_rdata)
  );

  // ------------------------------------------------------------------ memory test
  localparam int unsigned FLITS = (VCS - 1) * VC_DEPTH + CTRL_DEPTH;
  localparam int unsigned STAGING = VCS * OUT_DEPTH;
  localparam int unsigned ROWS = fred_pkg::num_phases(P, M);
  localparam int unsigned ROUTES = 1 << ROUTE_ADDR_W;
  localparam int unsigned DEEPER_BUFFER = (FLITS > STAGING) ? FLITS : STAGING;
  localparam int unsigned DEEPER_TABLE = (ROWS > ROUTES) ? ROWS : ROUTES;

  logic [bist_pkg::BUS_W-1:0] bist;
  logic [PLACES-1:0]          bist_fail;

  bist_controller #(.DEPTH((DEEPER_BUFFER > DEEPER_TABLE) ? DEEPER_BUFFER : DEEPER_TABLE), .PLACES(PLACES)) i_bist (
    .clk_i,
    .rst_ni (rst_n),
    .start_i(bist_start_i),
    .busy_o (bist_busy_o),
    .done_o (bist_done_o),
    .fail_o (bist_fail_o),
    .bist_o (bist),
    .fail_i (bist_fail)
  );
  assign switch_rst_n = rst_n && !bist_busy_o;

  // ------------------------------------------------------------------ links
  logic [P-1:0]        in_valid, out_valid, out_ready;
  logic [P*FLIT_W-1:0] in_flit, out_flit;
  logic [VCS*P-1:0]    in_credit, out_credit;

  for (genvar p = 0; p < P; p++) begin : gen_link
    logic rx_rst_n, tx_rst_n;

    reset_sync i_rx_reset (.clk_i(rx_clk_i[p]), .rst_ni, .test_mode_i, .test_rst_ni, .rst_no(rx_rst_n));
    reset_sync i_tx_reset (.clk_i(tx_clk_i[p]), .rst_ni, .test_mode_i, .test_rst_ni, .rst_no(tx_rst_n));

    link_rx #(.FLIT_W(FLIT_W), .DEPTH(RX_DEPTH), .CREDITS(LINK_CREDITS)) i_rx (
      .rx_clk_i     (rx_clk_i[p]),
      .rx_rst_ni    (rx_rst_n),
      .rx_valid_i   (rx_valid_i[p]),
      .rx_flit_i    (rx_flit_i[p*FLIT_W +: FLIT_W]),
      .rx_credit_i  (rx_credit_i[noc_pkg::vc_index(p, 0) +: VCS]),
      .rx_overflow_o(rx_overflow_o[p]),
      .clk_i,
      .rst_ni       (rst_n),
      .valid_o      (in_valid[p]),
      .flit_o       (in_flit[p*FLIT_W +: FLIT_W]),
      .credit_o     (out_credit[noc_pkg::vc_index(p, 0) +: VCS])
    );
    link_tx #(.FLIT_W(FLIT_W), .DEPTH(TX_DEPTH), .LAUNCH_EDGES(1), .CREDITS(BUFFER)) i_tx (
      .clk_i,
      .rst_ni     (rst_n),
      .ready_o    (out_ready[p]),
      .valid_i    (out_valid[p]),
      .flit_i     (out_flit[p*FLIT_W +: FLIT_W]),
      .credit_i   (in_credit[noc_pkg::vc_index(p, 0) +: VCS]),
      .tx_clk_i   (tx_clk_i[p]),
      .tx_rst_ni  (tx_rst_n),
      .tx_ready_i (tx_ready_i[p]),
      .tx_valid_o (tx_valid_o[p]),
      .tx_flit_o  (tx_flit_o[p*FLIT_W +: FLIT_W]),
      .tx_credit_o(tx_credit_o[noc_pkg::vc_index(p, 0) +: VCS])
    );
  end

  fred_switch #(
    .P           (P),
    .M           (M),
    .LANES       (LANES),
    .VC_DEPTH    (VC_DEPTH),
    .CTRL_DEPTH  (CTRL_DEPTH),
    .OUT_DEPTH   (OUT_DEPTH),
    .FORMAT      (FORMAT),
    .PACKET_FLITS(PACKET_FLITS),
    .YIELD       (YIELD),
    .QUANTUM     (QUANTUM),
    .ADDER_STAGES(ADDER_STAGES),
    .VC_ORDER    (VC_ORDER),
    .ROUTE_ADDR_W(ROUTE_ADDR_W),
    .BIST        (1)
  ) i_switch (
    .clk_i,
    .rst_ni      (switch_rst_n),
    .in_valid_i  (in_valid),
    .in_flit_i   (in_flit),
    .in_credit_o (in_credit),
    .out_valid_o (out_valid),
    .out_flit_o  (out_flit),
    .out_ready_i (out_ready),
    .out_credit_i(out_credit),
    .reg_valid_i (reg_valid),
    .reg_write_i (reg_write),
    .reg_addr_i  (reg_addr),
    .reg_wdata_i (reg_wdata),
    .reg_rdata_o (reg_rdata),
    .idle_o,
    .error_o,
    .bist_i      (bist),
    .bist_fail_o (bist_fail)
  );
endmodule
