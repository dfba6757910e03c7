// SPDX-License-Identifier: Apache-2.0
// Proof of packet_order: its assertion holds for every stream of flits whose packets are whole and
// not interleaved on their virtual channel. A planted fault shows that it fails for other streams:
// a flit is a head where none is allowed.
//
// Environment: packets of 1 to 4 flits on every virtual channel, arbitrarily interleaved between
//   channels; a reset comes at any time.
module packet_order_proof (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     valid_i,
  input logic [noc_pkg::VC_W-1:0] vc_i,
  input logic [1:0]               flits_i  // flits of a packet that begins, less 1
);
  logic                          started_q = 1'b0;
  logic [2*noc_pkg::NUM_VCS-1:0] left_q;  // flits to come of the packet of each VC, less 1
  logic [noc_pkg::NUM_VCS-1:0]   open_q;
  logic                          head, tail;
  noc_pkg::header_t              header;
  logic [1:0]                    left;

  packet_order i_dut (.clk_i, .rst_ni, .valid_i, .header_i(header));

  always_comb begin : environment
    if (!started_q) assume (!rst_ni);
  end

  always_comb begin
    head = !open_q[vc_i];
    left = head ? flits_i : left_q[2*32'(vc_i) +: 2];
    tail = left == '0;
    header = '0;
    header.vc = vc_i;
    header.head = head;
    header.tail = tail;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) open_q <= '0;
    else if (valid_i) begin
      open_q[vc_i] <= !tail;
      left_q[2*32'(vc_i) +: 2] <= left - 2'd1;
    end
  end

  (* hierconn *) logic [noc_pkg::NUM_VCS-1:0] \i_dut.inside_q ;

  always_comb begin : assertions
    if (started_q) knows_what_is_open: assert (i_dut.inside_q == open_q);
  end
endmodule
