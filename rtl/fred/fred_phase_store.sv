// Phase store of a fred_switch: 1.5 KB of configurations, one row per phase (§4, §6.2.3).
//
// Row layout, least significant bit first (sc_models/routing/fred_routing.h mirrors it): valid (1),
//   vc (2), flow of every input port, flow of every output port (clog2(P+1) bits each: 0 = none,
//   f+1 = flow f), then the µSwitch bits of fred_interconnect. Rows are padded to whole 32-bit words.
// Ports: one 32-bit write port (word address), four combinational reads of the flow table for the
//   candidate of each VC (table_o, 0 when not enabled or not programmed), one registered read of a
//   whole row (row_o follows one cycle after row_read_i and then holds), one 32-bit registered read-back.
// Timing: a write at edge e is seen by reads after e. After reset every row is zero, thus no valid phase:
//   reset clears one "written" bit per row instead of the rows; a row without it reads as zero, and its
//   first write makes its other words zero.
module fred_phase_store #(
  /// ports of the switch
  parameter int unsigned P = 12,
  /// middle sub-networks
  parameter int unsigned M = 3,
  /// bits of the flow table at the bottom of a row, derived
  localparam int unsigned TABLE_W = fred_pkg::row_bits(P, M) - fred_pkg::config_bits(P, M),
  /// bits of a row, derived
  localparam int unsigned ROW_BITS = fred_pkg::row_bits(P, M)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // registers
  input  logic                 access_i,
  input  logic                 write_i,
  input  logic [15:0]          addr_i,
  input  logic [31:0]          wdata_i,
  output logic [31:0]          rdata_o,
  // candidates
  input  logic [3:0]           table_read_i,
  input  logic [31:0]          table_phase_i,
  output logic [4*TABLE_W-1:0] table_o,
  // active phase
  input  logic                 row_read_i,
  input  logic [7:0]           row_phase_i,
  output logic [ROW_BITS-1:0]  row_o
);
  localparam int unsigned PHASES = fred_pkg::num_phases(P, M);
  localparam int unsigned WORDS = fred_pkg::row_words(P, M);
  localparam int unsigned PHASE_W = (PHASES > 1) ? $clog2(PHASES) : 1;
  localparam int unsigned BIT_W = $clog2(32 * WORDS);

  logic [32*WORDS-1:0] store_q [PHASES];
  logic [PHASES-1:0]   written_q;
  logic [PHASE_W-1:0]  addr_phase;
  logic [BIT_W-1:0]    addr_bit;  // first bit of the word in its row
  logic                addr_hit;

  assign addr_hit = 32'(addr_i) < PHASES * WORDS;
  assign addr_phase = PHASE_W'(32'(addr_i) / WORDS);
  assign addr_bit = BIT_W'(32 * (32'(addr_i) % WORDS));

  // A row with the 32 bits from `first` on replaced.
  function automatic logic [32*WORDS-1:0] with_word(
    input logic [32*WORDS-1:0] row, input logic [BIT_W-1:0] first, input logic [31:0] word
  );
    with_word = row;
    with_word[first +: 32] = word;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q <= '0;
      rdata_o <= '0;
      row_o <= '0;
    end else begin
      if (access_i && write_i && addr_hit) begin
        written_q[addr_phase] <= 1'b1;
        store_q[addr_phase] <= with_word(written_q[addr_phase] ? store_q[addr_phase] : '0,
                                         addr_bit, wdata_i);
      end
      if (access_i && !write_i) begin
        rdata_o <= (addr_hit && written_q[addr_phase]) ? store_q[addr_phase][addr_bit +: 32] : '0;
      end
      if (row_read_i && 32'(row_phase_i) < PHASES) begin
        row_o <= written_q[PHASE_W'(row_phase_i)] ? store_q[PHASE_W'(row_phase_i)][ROW_BITS-1:0] : '0;
      end
    end
  end

  always_comb begin
    table_o = '0;
    for (int unsigned v = 0; v < 4; v++) begin
      if (table_read_i[v] && 32'(table_phase_i[8*v +: 8]) < PHASES
          && written_q[PHASE_W'(table_phase_i[8*v +: 8])]) begin
        table_o[v*TABLE_W +: TABLE_W] = store_q[PHASE_W'(table_phase_i[8*v +: 8])][TABLE_W-1:0];
      end
    end
  end
endmodule
