// SPDX-License-Identifier: Apache-2.0
// Assertions on the flits that pass a port: the packets of a virtual channel come whole, one after the other.
//
// A flit is a head exactly if the flit before it of its VC was a tail, or there was none since reset. The flit counts
//   where valid_i is high. Simulation only: nothing of it is synthesised.
module packet_order (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      valid_i,
  input logic [noc_pkg::VC_W-1:0]  vc_i,
  input logic                      head_i,
  input logic                      tail_i
);
  logic [noc_pkg::NUM_VCS-1:0] inside_q;  // a head has passed, its tail has not

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q <= '0;
    end else if (valid_i) begin
      inside_q[vc_i] <= !tail_i;
      head_after_tail: assert (head_i == !inside_q[vc_i]);
    end
  end
endmodule
