// SPDX-License-Identifier: Apache-2.0
// Memory with a self-test (BIST) collar: a flit_ram whose ports the test bus can take over.
//
// Ports: the ports of flit_ram, and bist_i, the test bus (bist_pkg). While the bus is enabled the
//   user's pins have no effect. Accesses to words beyond this memory's depth are skipped, so
//   memories of all depths share one bus.
// Timing: as flit_ram for its user. fail_o is high for one cycle after the second edge that follows
//   the edge which sampled a read on the bus, if the word differs from the expected one on the bus.
//   BIST adds one multiplexer to the user's path to the memory.
// Without BIST (parameter) the module is the memory alone: bist_i has no effect and fail_o is low.
module bist_ram #(
  /// word width in bits
  parameter int unsigned WIDTH = 32,
  /// words, 1 or more, at most 2 to the power of bist_pkg::ADDR_W
  parameter int unsigned DEPTH = 16,
  /// 1: adds the BIST collar
  parameter int unsigned BIST = 0,
  /// address width in bits, derived
  localparam int unsigned ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  logic                       clk_i,
  input  logic                       write_i,
  input  logic [ADDR_W-1:0]          waddr_i,
  input  logic [WIDTH-1:0]           wdata_i,
  input  logic                       read_i,
  input  logic [ADDR_W-1:0]          raddr_i,
  output logic [WIDTH-1:0]           rdata_o,
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic                       fail_o
);
  logic              write, read;
  logic [ADDR_W-1:0] waddr, raddr;
  logic [WIDTH-1:0]  wdata;

  flit_ram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) i_ram (
    .clk_i,
    .write_i(write),
    .waddr_i(waddr),
    .wdata_i(wdata),
    .read_i (read),
    .raddr_i(raddr),
    .rdata_o(rdata_o)
  );

  if (BIST != 0) begin : gen_collar
    if (DEPTH > 1 << bist_pkg::ADDR_W) begin : gen_range
      $fatal(1, "bist_ram: found DEPTH=%0d; allowed: at most %0d", DEPTH, 1 << bist_pkg::ADDR_W);
    end

    // The alternating word 0101…: odd bits are clear.
    localparam logic [WIDTH-1:0] EVEN_BITS = WIDTH'({(WIDTH + 1) / 2{2'b01}});

    logic                        test, hit, compare_q, wrong_q;
    logic [bist_pkg::ADDR_W-1:0] addr;
    logic [WIDTH-1:0]            word, expected;
    logic                        value_q, alternate_q;

    assign test = bist_i[bist_pkg::ENABLE_BIT];
    assign addr = bist_i[bist_pkg::ADDR_LSB +: bist_pkg::ADDR_W];
    assign hit = 32'(addr) < DEPTH;
    assign word = {WIDTH{bist_i[bist_pkg::VALUE_BIT]}} ^ (bist_i[bist_pkg::ALTERNATE_BIT] ? ~EVEN_BITS : '0);
    assign expected = {WIDTH{value_q}} ^ (alternate_q ? ~EVEN_BITS : '0);

    assign write = test ? bist_i[bist_pkg::WRITE_BIT] && hit : write_i;
    assign waddr = test ? addr[ADDR_W-1:0] : waddr_i;
    assign wdata = test ? word : wdata_i;
    assign read = test ? bist_i[bist_pkg::READ_BIT] && hit : read_i;
    assign raddr = test ? addr[ADDR_W-1:0] : raddr_i;

    // No reset: two edges after the enable goes low all state here is clear.
    always_ff @(posedge clk_i) begin
      compare_q <= test && read;
      value_q <= bist_i[bist_pkg::VALUE_BIT];
      alternate_q <= bist_i[bist_pkg::ALTERNATE_BIT];
      wrong_q <= compare_q && rdata_o != expected;
    end
    assign fail_o = wrong_q;
  end else begin : gen_plain
    assign write = write_i;
    assign waddr = waddr_i;
    assign wdata = wdata_i;
    assign read = read_i;
    assign raddr = raddr_i;
    assign fail_o = 1'b0;
    logic unused_bist;
    assign unused_bist = &{1'b0, bist_i};
  end
endmodule
