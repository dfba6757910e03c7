// SPDX-License-Identifier: Apache-2.0
// Shared by both ends of a link with retransmission: fields of what goes over it, and the check's polynomial.
//
// On the wire, from bit 0: the flit, its sequence number, the round, the check. Back, on wires of their own like
// credits, at every cycle: the next sequence number that is expected, how often flits were asked for again, the credits
// given so far of every virtual channel, the check, which is the same as a flit's.
package link_pkg;

  localparam int unsigned SEQ_W = 14;    // sequence numbers of flits on a link, modulo 2^SEQ_W
  localparam int unsigned ROUND_W = 2;   // how often the receiver has asked, modulo 2^ROUND_W
  localparam int unsigned CHECK_W = 32;  // CRC-32C, of flit, sequence number and round, and of a word back
  localparam bit [CHECK_W-1:0] CHECK_POLYNOMIAL = 32'h1EDC6F41;
  localparam int unsigned OVERHEAD_W = SEQ_W + ROUND_W + CHECK_W;  // bits of a flit on the wire beyond its own

  localparam int unsigned CREDITS_W = 32;  // credits of all virtual channels, each modulo 2^(CREDITS_W / NUM_VCS)
  localparam int unsigned BACK_DATA_W = SEQ_W + ROUND_W + CREDITS_W;
  localparam int unsigned BACK_W = BACK_DATA_W + CHECK_W;

  // Edges that an end takes, over a link without: a flit in the sender and in the receiver, a credit in both together.
  localparam int unsigned TX_EDGES = 2;
  localparam int unsigned RX_EDGES = 2;
  localparam int unsigned CREDIT_EDGES = 2;
  // From the edge at which a flit is sampled at the receiver to the one after which it is acknowledged on the wires
  // back.
  localparam int unsigned ACK_EDGES = 2;

endpackage
