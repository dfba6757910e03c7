// SPDX-License-Identifier: Apache-2.0
// Proof of apb_slave: every transfer takes three cycles and requests the register port once, in the
// second, with the word address and the data on the bus, or not at all if it is refused; the
// response is the register port's, and errors have none.
//
// Environment: a standard APB4 bus: setup, then access, in which all signals hold until pready_o;
//   the register port answers in the cycle after its request. A reset comes at any time, after
//   which the bus restarts.
module apb_slave_proof #(
  /// bits of a byte address
  parameter int unsigned ADDR_W = 4
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              psel_i,
  input logic              penable_i,
  input logic              pwrite_i,
  input logic [ADDR_W-1:0] paddr_i,
  input logic [31:0]       pwdata_i,
  input logic              refuse_i,
  input logic [31:0]       reg_rdata_i
);
  logic              started_q = 1'b0;
  logic              pready, pslverr, reg_valid, reg_write;
  logic [31:0]       prdata, reg_wdata;
  logic [ADDR_W-3:0] reg_addr;

  apb_slave #(.ADDR_W(ADDR_W)) i_dut (
    .clk_i,
    .rst_ni,
    .psel_i,
    .penable_i,
    .pwrite_i,
    .paddr_i,
    .pwdata_i,
    .pready_o   (pready),
    .prdata_o   (prdata),
    .pslverr_o  (pslverr),
    .refuse_i,
    .reg_valid_o(reg_valid),
    .reg_write_o(reg_write),
    .reg_addr_o (reg_addr),
    .reg_wdata_o(reg_wdata),
    .reg_rdata_i
  );

  // Cycles since setup, 0: no transfer; bus signals at setup; whether the transfer is refused.
  logic [1:0]        cycle_q;
  logic              pwrite_q, wrong_q;
  logic [ADDR_W-1:0] paddr_q;
  logic [31:0]       pwdata_q;

  always_comb begin : environment
    if (!started_q) assume (!rst_ni);
    else if (cycle_q == '0) assume (!psel_i || !penable_i);
    else if (rst_ni) begin
      assume (psel_i && penable_i && pwrite_i == pwrite_q && paddr_i == paddr_q && pwdata_i == pwdata_q);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni || cycle_q == 2'd2) cycle_q <= '0;
    else if (cycle_q != '0) cycle_q <= cycle_q + 2'd1;
    else if (psel_i) cycle_q <= 2'd1;
    if (cycle_q == '0) begin
      pwrite_q <= pwrite_i;
      paddr_q <= paddr_i;
      pwdata_q <= pwdata_i;
      wrong_q <= refuse_i || paddr_i % 4 != '0;
    end
  end

  (* hierconn *) logic \i_dut.request_q , \i_dut.error_q ;

  always_comb begin : assertions
    if (started_q) begin
      invariant_transfer: assert (i_dut.request_q == (cycle_q == 2'd1) && cycle_q != 2'd3 &&
                                  (cycle_q == '0 || (i_dut.error_q == wrong_q && reg_write == pwrite_q &&
                                                     reg_addr == paddr_q[ADDR_W-1:2] && reg_wdata == pwdata_q)));
      three_cycles: assert (pready == (cycle_q == 2'd2));
      asks_once: assert (reg_valid == (cycle_q == 2'd1 && !wrong_q));
      asks_for_the_word: assert (!reg_valid || (reg_write == pwrite_q && 32'(reg_addr) == 32'(paddr_q) / 4));
      gives_the_data: assert (!reg_valid || reg_wdata == pwdata_q);
      answers: assert (!pready || prdata == ((pwrite_q || wrong_q) ? '0 : reg_rdata_i));
      reports_errors: assert (pslverr == (pready && wrong_q));
    end
  end
endmodule
