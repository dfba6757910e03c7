// SPDX-License-Identifier: Apache-2.0
// Constants of both ends of a link with retransmission: fields on the wire, and the polynomial of
// the check.
//
// Forward channel, from bit 0: flit, sequence number, round, check. Return channel, on its own
//   wires like credits, in every cycle: next expected sequence number, round (count of
//   retransmission requests), credits given so far per virtual channel, check (same polynomial).
package link_pkg;

  localparam int unsigned SEQ_W = 14;    // sequence numbers of flits on a link, modulo 2^SEQ_W
  localparam int unsigned ROUND_W = 2;   // retransmission requests of the receiver, modulo
                                         // 2^ROUND_W
  localparam int unsigned CHECK_W = 32;  // CRC-32C, over flit, sequence number and round, and over
                                         // a word of the return channel
  localparam bit [CHECK_W-1:0] CHECK_POLYNOMIAL = 32'h1EDC6F41;
  localparam int unsigned OVERHEAD_W = SEQ_W + ROUND_W + CHECK_W;  // bits on the wire in addition
                                                                   // to the flit

  localparam int unsigned CREDITS_W = 32;  // credits of all virtual channels, each modulo
                                           // 2^(CREDITS_W / NUM_VCS)
  localparam int unsigned BACK_DATA_W = SEQ_W + ROUND_W + CREDITS_W;
  localparam int unsigned BACK_W = BACK_DATA_W + CHECK_W;

  // Edges added to a link without retransmission: a flit in the sender and in the receiver, a
  // credit in both together.
  localparam int unsigned TX_EDGES = 2;
  localparam int unsigned RX_EDGES = 2;
  localparam int unsigned CREDIT_EDGES = 2;
  // Edges from the sampling of a flit at the receiver to its acknowledgement on the return channel.
  localparam int unsigned ACK_EDGES = 2;

endpackage
