// SPDX-License-Identifier: Apache-2.0
// APB slave in front of the register port of a switch: the register bus of a chip.
//
// Bus: APB4 without PSTRB and PPROT, with whole words of 32 bits and byte addresses. The register
//   port has word addresses, paddr_i / 4. PCLK is clk_i.
// Timing: a transfer takes three cycles, including one wait state: setup; access, at whose edge the
//   register port samples the request; access with pready_o, and prdata_o for a read.
// Errors: pslverr_o with pready_o for an address that is not a multiple of 4, and if refuse_i is
//   high at the edge that ends setup. The register port then gets no request, and prdata_o is zero.
//   refuse_i is the parent's combinational check of paddr_i and pwrite_i on the pins.
// Bus contract (asserted): a transfer begins with one cycle of psel_i without penable_i; penable_i
//   follows, and all signals hold until pready_o.
module apb_slave #(
  /// width of a byte address
  parameter int unsigned ADDR_W = noc_pkg::REG_ADDR_W + 2
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // bus
  input  logic              psel_i,
  input  logic              penable_i,
  input  logic              pwrite_i,
  input  logic [ADDR_W-1:0] paddr_i,
  input  logic [31:0]       pwdata_i,
  output logic              pready_o,
  output logic [31:0]       prdata_o,
  output logic              pslverr_o,
  input  logic              refuse_i,
  // register port
  output logic              reg_valid_o,
  output logic              reg_write_o,
  output logic [ADDR_W-3:0] reg_addr_o,
  output logic [31:0]       reg_wdata_o,
  input  logic [31:0]       reg_rdata_i
);
  logic begin_transfer, request_q, error_q;

  assign begin_transfer = psel_i && !penable_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      request_q <= 1'b0;
      error_q <= 1'b0;
      pready_o <= 1'b0;
    end else begin
      request_q <= begin_transfer;
      if (begin_transfer) error_q <= refuse_i || paddr_i[1:0] != '0;
      pready_o <= request_q;
    end
    if (begin_transfer) begin
      reg_write_o <= pwrite_i;
      reg_addr_o <= paddr_i[ADDR_W-1:2];
      reg_wdata_o <= pwdata_i;
    end
  end

  assign reg_valid_o = request_q && !error_q;
  assign pslverr_o = pready_o && error_q;
  assign prdata_o = (pready_o && !error_q && !reg_write_o) ? reg_rdata_i : '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      set_up_comes_first: assert (!psel_i || !penable_i || request_q || pready_o);
      access_follows_set_up: assert (!(request_q || pready_o) || (psel_i && penable_i));
      transfer_stays_as_it_is: assert (!(request_q || pready_o) || (pwrite_i == reg_write_o &&
                                                                    paddr_i[ADDR_W-1:2] == reg_addr_o &&
                                                                    (!pwrite_i || pwdata_i == reg_wdata_o)));
    end
  end
endmodule
