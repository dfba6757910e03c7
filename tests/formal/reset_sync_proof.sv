// SPDX-License-Identifier: Apache-2.0
// reset_sync: the reset is low at once where it is asked for, with or without a clock; it is low at
// the edge after, and ends at the second edge after it is asked for no more, not before and not
// later. In a test it is the test's.
//
// Environment: clock and reset at will, every moment; test mode does not change.
module reset_sync_proof (
  input logic clk_i,
  input logic rst_ni,
  input logic test_rst_ni
);
  (* gclk *) logic moment;
  (* anyconst *) logic test_mode;
  logic       rst_n, clk_q, rst_q;
  logic       begun_q = 1'b0;
  logic [1:0] edges_q;  // edges of the clock since the reset was asked for

  reset_sync i_dut (.clk_i, .rst_ni, .test_mode_i(test_mode), .test_rst_ni, .rst_no(rst_n));

  always_comb begin : environment
    if (!begun_q) assume (!rst_ni && !clk_i);
  end

  // The reset counts at an edge as it was in the moment before.
  always_ff @(posedge moment) begin
    begun_q <= 1'b1;
    clk_q <= clk_i;
    rst_q <= rst_ni;
  end

  logic [1:0] edges;
  always_comb begin
    edges = edges_q;
    if (begun_q && clk_i && !clk_q && rst_q && edges_q != 2'd2) edges = edges_q + 2'd1;
    if (!rst_ni) edges = 2'd0;
  end
  always_ff @(posedge moment) edges_q <= edges;

  (* hierconn *) logic \i_dut.first_q , \i_dut.second_q ;

  always_comb begin : assertions
    if (begun_q && !test_mode) begin
      invariant_flip_flops: assert (edges <= 2'd2 && i_dut.first_q == (edges != 2'd0) &&
                                    i_dut.second_q == (edges == 2'd2));
      begins_at_once: assert (rst_ni || !rst_n);
      ends_at_the_second_edge: assert (rst_n == (edges == 2'd2));
    end
    if (test_mode) the_test_has_it: assert (rst_n == test_rst_ni);
  end
endmodule
