// SPDX-License-Identifier: Apache-2.0
// Proof of flit_ram: a read returns the last value written to its word, and rdata_o holds until the
// next read.
//
// Environment: addresses within the memory, no read of the word that is being written. There is no
//   reset.
module flit_ram_proof #(
  /// word width in bits
  parameter int unsigned WIDTH = 2,
  /// words, at most 4
  parameter int unsigned DEPTH = 3,
  /// bits of an address, derived
  localparam int unsigned ADDR_W = $clog2(DEPTH)
) (
  input logic              clk_i,
  input logic              write_i,
  input logic [ADDR_W-1:0] waddr_i,
  input logic [WIDTH-1:0]  wdata_i,
  input logic              read_i,
  input logic [ADDR_W-1:0] raddr_i
);
  (* anyconst *) logic [ADDR_W-1:0] which;  // word
  logic             written_q = 1'b0;  // it was
  logic             shown_q = 1'b0;    // it is on rdata_o
  logic [WIDTH-1:0] word_q, shown_word_q, rdata;

  flit_ram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) i_dut (
    .clk_i,
    .write_i,
    .waddr_i,
    .wdata_i,
    .read_i,
    .raddr_i,
    .rdata_o(rdata)
  );

  always_comb begin : environment
    assume (32'(which) < DEPTH);
    assume (!write_i || 32'(waddr_i) < DEPTH);
    assume (!read_i || 32'(raddr_i) < DEPTH);
    assume (!write_i || !read_i || waddr_i != raddr_i);
  end

  always_ff @(posedge clk_i) begin
    if (write_i && waddr_i == which) begin
      written_q <= 1'b1;
      word_q <= wdata_i;
    end
    if (read_i) begin
      shown_q <= raddr_i == which && written_q;
      shown_word_q <= word_q;
    end
  end

  (* hierconn *) logic [WIDTH-1:0] \i_dut.mem_q[0] , \i_dut.mem_q[1] , \i_dut.mem_q[2] ;
  logic [4*WIDTH-1:0] memory;
  assign memory = {{WIDTH{1'b0}}, \i_dut.mem_q[2] , \i_dut.mem_q[1] , \i_dut.mem_q[0] };

  always_comb begin : assertions
    invariant_word: assert (!written_q || memory[WIDTH*32'(which) +: WIDTH] == word_q);
    gives_what_was_written: assert (!shown_q || rdata == shown_word_q);
  end
endmodule
