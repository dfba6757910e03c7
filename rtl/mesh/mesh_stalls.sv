// SPDX-License-Identifier: Apache-2.0
// Stall events of a mesh_router for its counters (mesh_router).
//
// Inputs, of a cycle: per head-of-line flit (noc_pkg::vc_index) no_credit_i and contends_i (it has
//   credits and the link is ready, popped or not); per input port pop_i; per output port link_i.
// Outputs, registers, of the cycle before the last one: stall_credit_o counts no_credit_i;
//   stall_arbiter_o counts contends_i minus pop_i; stall_link_o has a bit per output port at which
//   a head-of-line flit waits only for the link.
module mesh_stalls #(
  /// number of ports
  parameter int unsigned P = 10,
  /// number of head-of-line flits, derived
  localparam int unsigned FRONTS = noc_pkg::NUM_VCS * P
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [FRONTS-1:0] no_credit_i,
  input  logic [FRONTS-1:0] contends_i,
  input  logic [P-1:0]      pop_i,
  input  logic [P-1:0]      link_i,
  output logic [7:0]        stall_credit_o,
  output logic [7:0]        stall_arbiter_o,
  output logic [P-1:0]      stall_link_o
);
  logic [FRONTS-1:0] no_credit_q, contends_q;
  logic [P-1:0]      pop_q, link_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      no_credit_q <= '0;
      contends_q <= '0;
      pop_q <= '0;
      link_q <= '0;
      stall_credit_o <= '0;
      stall_arbiter_o <= '0;
      stall_link_o <= '0;
    end else begin
      no_credit_q <= no_credit_i;
      contends_q <= contends_i;
      pop_q <= pop_i;
      link_q <= link_i;
      stall_credit_o <= 8'($countones(no_credit_q));
      stall_arbiter_o <= 8'($countones(contends_q)) - 8'($countones(pop_q));
      stall_link_o <= link_q;
      if (pop_q != '0) pops_contended: assert ($countones(contends_q) >= $countones(pop_q));
    end
  end
endmodule
