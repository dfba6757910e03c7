// SPDX-License-Identifier: Apache-2.0
// Proof of credit_counter: credits here plus flits at the receiver plus credits in flight back
// equal its slots: none is created or lost, and the count never under- or overflows.
//
// Environment: a credit comes back only for a flit that was sent; one is spent only if one is
//   available or arrives; the count is written only with no flits or credits in flight. A reset
//   comes at any time.
module credit_counter_proof #(
  /// credits after reset
  parameter int unsigned DEPTH = 3
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic                         give_i,
  input logic                         spend_i,
  input logic                         write_i,
  input logic [noc_pkg::CREDIT_W-1:0] wdata_i
);
  localparam int unsigned W = noc_pkg::CREDIT_W;

  logic         started_q = 1'b0;
  logic         has_credit;
  logic [W-1:0] credits, slots_q, away_q;  // slots; flits and credits away

  credit_counter #(.DEPTH(DEPTH)) i_dut (
    .clk_i,
    .rst_ni,
    .give_i,
    .spend_i,
    .write_i,
    .wdata_i,
    .has_credit_o(has_credit),
    .credits_o   (credits)
  );

  always_comb begin : environment
    if (!started_q) assume (!rst_ni);
    else begin
      assume (!give_i || away_q != '0);
      assume (!spend_i || has_credit || give_i);
      assume (!write_i || (away_q == '0 && !give_i && !spend_i));
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      slots_q <= W'(DEPTH);
      away_q <= '0;
    end else begin
      if (write_i) slots_q <= wdata_i;
      away_q <= away_q + W'(spend_i) - W'(give_i);
    end
  end

  always_comb begin : assertions
    if (started_q) begin
      none_created_or_lost: assert ((W + 1)'(credits) + (W + 1)'(away_q) == (W + 1)'(slots_q));
      within_depth: assert (credits <= slots_q);
      says_whether_there_are: assert (has_credit == (credits != '0));
    end
  end
endmodule
