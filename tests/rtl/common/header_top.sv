// SPDX-License-Identifier: Apache-2.0
// Test module for noc_pkg::header_t and the constants of its fields: a bit of same_o for every
// field, high if the field of the type is the slice that the constants name. Bits in the order of
// the fields, from bit 0 of the header on; the last one is the reserved field.
module header_top (
  input  logic [noc_pkg::HEADER_W-1:0] bits_i,
  output logic [31:0]                  width_o,
  output logic [8:0]                   same_o
);
  noc_pkg::header_t header;

  assign header = bits_i;
  assign width_o = $bits(noc_pkg::header_t);
  assign same_o = {
    header.reserved == bits_i[noc_pkg::HEADER_W-1:noc_pkg::TAIL_BIT+1],
    header.tail == bits_i[noc_pkg::TAIL_BIT],
    header.head == bits_i[noc_pkg::HEAD_BIT],
    header.seq == bits_i[noc_pkg::SEQ_LSB +: noc_pkg::SEQ_W],
    header.vc == bits_i[noc_pkg::VC_LSB +: noc_pkg::VC_W],
    header.phase == bits_i[noc_pkg::PHASE_LSB +: noc_pkg::PHASE_W],
    header.src == bits_i[noc_pkg::SRC_LSB +: noc_pkg::SRC_W],
    header.dst == bits_i[noc_pkg::DST_LSB +: noc_pkg::DST_W],
    header.tag == bits_i[noc_pkg::TAG_LSB +: noc_pkg::TAG_W]
  };
endmodule
