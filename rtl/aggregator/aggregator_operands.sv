// SPDX-License-Identifier: Apache-2.0
// Operand FIFO of one input of an aggregator: flits that no adder has taken yet.
//
// Timing: a flit written at an edge can be read at later edges. rdata_o follows the edge that
//   samples read_i and holds until the next read. The parent keeps count: a write to a full FIFO
//   and a read from an empty one are assertion failures.
// BIST (bist_i, bist_fail_o): see bist_ram.
// Reset (synchronous): empties the FIFO.
module aggregator_operands #(
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// flits, 2 or more
  parameter int unsigned DEPTH = 8,
  /// 1: adds BIST to the memory
  parameter int unsigned BIST = 0,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       write_i,
  input  logic [FLIT_W-1:0]          wdata_i,
  input  logic                       read_i,
  output logic [FLIT_W-1:0]          rdata_o,
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic                       bist_fail_o
);
  localparam int unsigned ADDR_W = $clog2(DEPTH);
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1);

  logic [ADDR_W-1:0] head_q, free_q;

  bist_ram #(.WIDTH(FLIT_W), .DEPTH(DEPTH), .BIST(BIST)) i_ram (
    .clk_i,
    .write_i,
    .waddr_i(free_q),
    .wdata_i,
    .read_i,
    .raddr_i(head_q),
    .rdata_o,
    .bist_i,
    .fail_o (bist_fail_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      free_q <= '0;
    end else begin
      if (write_i) free_q <= (free_q == ADDR_W'(DEPTH - 1)) ? '0 : free_q + ADDR_W'(1);
      if (read_i) head_q <= (head_q == ADDR_W'(DEPTH - 1)) ? '0 : head_q + ADDR_W'(1);
    end
  end

  // ------------------------------------------------------------------ assertions
  logic [COUNT_W-1:0] count_q;  // for assertions and cover points only

  always_ff @(posedge clk_i) begin : assertions
    if (!rst_ni) count_q <= '0;
    else begin
      if (write_i != read_i) count_q <= write_i ? count_q + COUNT_W'(1) : count_q - COUNT_W'(1);
      if (write_i) no_overflow: assert (count_q != COUNT_W'(DEPTH));
      if (read_i) no_underflow: assert (count_q != '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) every_place_is_used: cover (count_q == COUNT_W'(DEPTH));
  end
endmodule
