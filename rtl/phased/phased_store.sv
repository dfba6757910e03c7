// SPDX-License-Identifier: Apache-2.0
// Phase store of a switch: configurations, one row per phase; 1.5 KB for each phase in use (§4,
// §6.2.3).
//
// Row layout, least significant bit first (sc_models/routing/fred_routing.h mirrors it): valid (1),
//   vc (2), flow of every input port, flow of every output port (clog2(P+1) bits each: 0 = none,
//   f+1 = flow f), then the configuration of the interconnect. Rows are padded to whole 32-bit
//   words.
// Memory: a bank per word of a row; a bank has 16 words if 9 to 15 rows fit. Each bank has
//   effectively one port: an access from the registers has precedence over the control unit, which
//   reads whole rows. free_o is high without such an access; read_i is executed only then. write_o:
//   a register write to a row, whose phase is write_phase_o.
// Timing: row_o follows the edge that samples read_i, until the next read or access; rdata_o
//   follows the edge that samples an access without write_i, and holds. A write at edge e is
//   visible to reads after e.
// BIST (bist_i, bist_fail_o): see bist_ram; a failure of any bank.
// Reset: every row reads as zero, i.e. as an invalid phase. Reset does not clear the rows but one
//   "written" bit per row: a row without this bit reads as zero, and its first write sets its other
//   words to zero. A phase beyond the rows reads as zero.
module phased_store #(
  /// row width in bits
  parameter int unsigned ROW_W = phased_pkg::row_config_lsb(12),
  /// phases in use at a time (phased_control)
  parameter int unsigned PHASES_IN_USE = 1,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // registers
  input  logic                           access_i,
  input  logic                           write_i,
  input  logic [noc_pkg::REG_ADDR_W-1:0] addr_i,
  input  logic [31:0]                    wdata_i,
  output logic [31:0]                    rdata_o,
  // control unit
  output logic                           free_o,
  output logic                           write_o,
  output logic [noc_pkg::PHASE_W-1:0]    write_phase_o,
  input  logic                           read_i,
  input  logic [noc_pkg::PHASE_W-1:0]    phase_i,
  output logic [ROW_W-1:0]               row_o,
  // memory test
  input  logic [bist_pkg::BUS_W-1:0]     bist_i,
  output logic                           bist_fail_o
);
  localparam int unsigned PHASES = phased_pkg::phases_of(ROW_W, PHASES_IN_USE);
  localparam int unsigned WORDS = phased_pkg::words_of(ROW_W);
  // Words of a bank. With fewer than 16 words (under 512 bits) banks would become registers.
  localparam int unsigned DEPTH = (PHASES > 8 && PHASES < 16) ? 16 : PHASES;
  localparam int unsigned INDEX_W = (PHASES > 1) ? $clog2(PHASES) : 1;
  localparam int unsigned WORD_W = (WORDS > 1) ? $clog2(WORDS) : 1;

  logic [PHASES-1:0]   written_q;
  logic [PHASES:0]     addr_from;   // addr_i is at or behind the first word of a row
  logic [WORD_W-1:0]   addr_first;  // low bits of the first address of the addressed row
  logic [INDEX_W-1:0]  addr_phase, phase;
  logic [WORD_W-1:0]   addr_word, word_q;
  logic                addr_hit, phase_hit, written, read;
  logic                row_written_q, answer_q;
  logic [32*WORDS-1:0] row;
  logic [WORDS-1:0]    bist_fail;
  logic [31:0]         rdata_q;

  // If the words of a row are not a power of two, the row is found by comparisons with the first
  // address of every row: a division would be the critical path of a switch.
  always_comb begin : place
    addr_from = '0;
    addr_first = '0;
    addr_phase = '0;
    addr_word = '0;
    if (access_i) begin
      if ((WORDS & (WORDS - 1)) == 0) begin
        addr_from[PHASES] = 32'(addr_i) >= PHASES * WORDS;
        addr_phase = INDEX_W'(32'(addr_i) / WORDS);
        addr_word = WORD_W'(32'(addr_i) % WORDS);
      end else begin
        for (int unsigned r = 0; r <= PHASES; r++) addr_from[r] = 32'(addr_i) >= r * WORDS;
        for (int unsigned r = 0; r < PHASES; r++) begin
          if (addr_from[r] && !addr_from[r+1]) begin
            addr_first = addr_first | WORD_W'(r * WORDS);
            addr_phase = addr_phase | INDEX_W'(r);
          end
        end
        addr_word = WORD_W'(addr_i) - addr_first;
      end
    end
  end
  assign addr_hit = access_i && !addr_from[PHASES];
  assign free_o = !access_i;
  assign write_o = access_i && write_i && addr_hit;
  assign write_phase_o = noc_pkg::PHASE_W'(addr_phase);
  assign phase = access_i ? addr_phase : INDEX_W'(phase_i);
  assign phase_hit = access_i ? addr_hit : 32'(phase_i) < PHASES;
  assign written = phase_hit && written_q[phase];
  assign read = access_i ? !write_i : read_i;

  for (genvar w = 0; w < WORDS; w++) begin : gen_word
    logic        here, write, look;
    logic [31:0] wdata;
    assign here = addr_word == WORD_W'(w);
    assign write = access_i && write_i && addr_hit && (here || !written);
    assign wdata = here ? wdata_i : 32'd0;
    assign look = read && phase_hit;
    bist_ram #(.WIDTH(32), .DEPTH(DEPTH), .BIST(BIST)) i_bank (
      .clk_i,
      .write_i(write),
      .waddr_i(addr_phase),
      .wdata_i(wdata),
      .read_i (look),
      .raddr_i(phase),
      .rdata_o(row[32*w +: 32]),
      .bist_i,
      .fail_o (bist_fail[w])
    );
  end
  assign bist_fail_o = |bist_fail;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q <= '0;
      row_written_q <= 1'b0;
      answer_q <= 1'b0;
      word_q <= '0;
      rdata_q <= '0;
    end else begin
      if (write_o) written_q[addr_phase] <= 1'b1;
      if (read) row_written_q <= written;
      answer_q <= access_i && !write_i;
      if (access_i && !write_i) word_q <= addr_word;
      if (answer_q) rdata_q <= rdata_o;
    end
  end

  assign row_o = row_written_q ? row[ROW_W-1:0] : '0;
  assign rdata_o = !answer_q ? rdata_q : row_written_q ? row[32*32'(word_q) +: 32] : '0;
endmodule
