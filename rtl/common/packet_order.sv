// SPDX-License-Identifier: Apache-2.0
// Assertions on the flits that pass a port: the packets of a virtual channel are whole and not
// interleaved.
//
// Rule: a flit is a head exactly if the flit before it on its VC was a tail, or if it is the first
//   flit since reset. The flit counts while valid_i is high; header_i is its header. Simulation
//   only: not synthesised.
module packet_order (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input noc_pkg::header_t header_i
);
  logic [noc_pkg::NUM_VCS-1:0] inside_q;  // a head has passed, its tail has not
  logic                        unused;    // unused header fields

  assign unused = &{1'b0, header_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q <= '0;
    end else if (valid_i) begin
      inside_q[header_i.vc] <= !header_i.tail;
      head_after_tail: assert (header_i.head == !inside_q[header_i.vc]);
    end
  end
endmodule
