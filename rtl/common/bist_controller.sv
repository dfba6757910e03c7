// SPDX-License-Identifier: Apache-2.0
// Memory self-test: a march C- over all memories on its test bus, in parallel and at clock speed.
//
// Algorithm: start_i at an edge while busy_o is low begins a test. It runs march C- for words of
//   alternating bits, then for words of equal bits: up w0; up r0 w1; up r1 w0; down r0 w1; down r1
//   w0; down r0 (w0 writes the word, r1 reads it and expects its complement). Afterwards every word
//   is zero.
// Coverage: stuck-at faults of cells and address decoders, transition faults, coupling faults
//   between words, and coupling faults between neighbours in a word as far as two data backgrounds
//   show them.
// Timing: busy_o is high for 20 * DEPTH + 4 cycles after the edge with start_i; then done_o is high
//   until the next start. fail_o has one bit per bit of fail_i; it is set when a memory there
//   fails, and is cleared at the start; it is final while done_o is high. bist_o is a register.
// Contract: nobody else accesses the memories while busy_o is high.
module bist_controller #(
  /// words of the deepest memory
  parameter int unsigned DEPTH = 1024,
  /// number of fail bits
  parameter int unsigned PLACES = 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       start_i,
  output logic                       busy_o,
  output logic                       done_o,
  output logic [PLACES-1:0]          fail_o,
  output logic [bist_pkg::BUS_W-1:0] bist_o,
  input  logic [PLACES-1:0]          fail_i
);
  if (DEPTH < 1 || DEPTH > 1 << bist_pkg::ADDR_W) begin : gen_range
    $fatal(1, "bist_controller: found DEPTH=%0d; allowed: 1 to %0d", DEPTH, 1 << bist_pkg::ADDR_W);
  end

  // March elements, one bit per element: reads first, value read, writes afterwards, value written,
  // and runs from the last word down.
  localparam int unsigned ELEMENTS = 6;
  localparam logic [7:0] READS = 8'b00111110;
  localparam logic [7:0] READ_VALUE = 8'b00010100;
  localparam logic [7:0] WRITES = 8'b00011111;
  localparam logic [7:0] WRITE_VALUE = 8'b00001010;
  localparam logic [7:0] DOWN = 8'b00111000;
  localparam int unsigned DRAIN = 3;  // cycles from a read on the bus to its result in this module
  localparam logic [bist_pkg::ADDR_W-1:0] LAST = bist_pkg::ADDR_W'(DEPTH - 1);

  logic                        run_q, alternate_q, writing_q;  // writing: second half of a word's
                                                               // turn
  logic [2:0]                  element_q;
  logic [bist_pkg::ADDR_W-1:0] addr_q;
  logic [1:0]                  drain_q;
  logic                        read, write, next_word, next_element, last;

  assign read = READS[element_q] && !writing_q;
  assign write = WRITES[element_q] && !read;
  assign next_word = !(read && WRITES[element_q]);
  assign next_element = next_word && addr_q == (DOWN[element_q] ? '0 : LAST);
  assign last = next_element && element_q == 3'(ELEMENTS - 1);

  always_ff @(posedge clk_i) begin : march
    if (!rst_ni || (start_i && !busy_o)) begin
      run_q <= rst_ni;
      alternate_q <= 1'b1;
      writing_q <= 1'b0;
      element_q <= '0;
      addr_q <= '0;
    end else if (run_q) begin
      writing_q <= !next_word;
      if (next_word) addr_q <= DOWN[element_q] ? addr_q - 1'b1 : addr_q + 1'b1;
      if (next_element) begin
        element_q <= last ? '0 : element_q + 3'd1;
        addr_q <= (!last && DOWN[element_q+3'd1]) ? LAST : '0;
      end
      if (last) alternate_q <= 1'b0;
      if (last && !alternate_q) run_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin : bus
    bist_o <= '0;
    if (rst_ni && run_q) begin
      bist_o[bist_pkg::ENABLE_BIT] <= 1'b1;
      bist_o[bist_pkg::WRITE_BIT] <= write;
      bist_o[bist_pkg::READ_BIT] <= read;
      bist_o[bist_pkg::VALUE_BIT] <= read ? READ_VALUE[element_q] : WRITE_VALUE[element_q];
      bist_o[bist_pkg::ALTERNATE_BIT] <= alternate_q;
      bist_o[bist_pkg::ADDR_LSB +: bist_pkg::ADDR_W] <= addr_q;
    end
  end

  always_ff @(posedge clk_i) begin : verdict
    if (!rst_ni) begin
      busy_o <= 1'b0;
      done_o <= 1'b0;
      drain_q <= '0;
      fail_o <= '0;
    end else if (!busy_o) begin
      busy_o <= start_i;
      drain_q <= '0;
      if (start_i) begin
        done_o <= 1'b0;
        fail_o <= '0;
      end
    end else begin
      fail_o <= fail_o | fail_i;
      if (!run_q) begin
        drain_q <= drain_q + 2'd1;
        busy_o <= drain_q != 2'(DRAIN);
        done_o <= drain_q == 2'(DRAIN);
      end
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni) begin
      memories_are_taken_only_while_busy: assert (busy_o || !bist_o[bist_pkg::ENABLE_BIT]);
      reads_or_writes: assert (!(bist_o[bist_pkg::WRITE_BIT] && bist_o[bist_pkg::READ_BIT]));
      within_depth: assert (32'(bist_o[bist_pkg::ADDR_LSB +: bist_pkg::ADDR_W]) < DEPTH);
    end
  end
endmodule
