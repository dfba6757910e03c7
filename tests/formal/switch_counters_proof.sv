// SPDX-License-Identifier: Apache-2.0
// Proof of switch_counters: each counter that is read has counted the events of its kind since
// reset, low word and high word; other addresses read as zero; read data holds until the next read.
//
// Environment: none; a reset comes at any time.
module switch_counters_proof #(
  /// number of ports, 2: the invariant names their counters
  parameter int unsigned P = 2
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [P-1:0] flit_in_i,
  input logic [P-1:0] flit_out_i,
  input logic [39:0]  events_i,  // reductions, stalls: join, credit, phase, arbiter
  input logic         phase_change_i,
  input logic [P-1:0] stall_link_i,
  input logic         read_i,
  input logic [15:0]  addr_i
);
  (* anyconst *) logic [15:0] which;  // counter: its even address
  logic        started_q = 1'b0;
  logic        known_q, high_q;
  logic [31:0] rdata;
  logic [63:0] count_q, shown_q, more;

  switch_counters #(.P(P)) i_dut (
    .clk_i,
    .rst_ni,
    .flit_in_i,
    .flit_out_i,
    .reductions_i   (events_i[7:0]),
    .phase_change_i,
    .stall_join_i   (events_i[15:8]),
    .stall_credit_i (events_i[23:16]),
    .stall_phase_i  (events_i[31:24]),
    .stall_arbiter_i(events_i[39:32]),
    .stall_link_i,
    .read_i,
    .addr_i,
    .rdata_o        (rdata)
  );

  always_comb begin : environment
    if (!started_q) assume (!rst_ni);
    assume (!which[0]);
  end

  // The address map of noc_pkg, in numbers.
  always_comb begin : events
    more = '0;
    if (which >= 16'h200 && which < 16'h200 + 16'(2 * P)) more = 64'(flit_in_i[(which-16'h200)/2]);
    if (which >= 16'h280 && which < 16'h280 + 16'(2 * P)) more = 64'(flit_out_i[(which-16'h280)/2]);
    if (which == 16'h300) more = 64'(events_i[7:0]);
    if (which == 16'h302) more = 64'(phase_change_i);
    if (which == 16'h310) more = 64'(events_i[15:8]);
    if (which == 16'h312) more = 64'(events_i[23:16]);
    if (which == 16'h314) more = 64'(events_i[31:24]);
    if (which == 16'h316) more = 64'(events_i[39:32]);
    if (which == 16'h318) more = 64'($countones(stall_link_i));
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      count_q <= '0;
      known_q <= 1'b0;
    end else begin
      count_q <= count_q + more;
      if (read_i) begin
        known_q <= addr_i[15:1] == which[15:1];
        high_q <= addr_i[0];
        shown_q <= count_q;
      end
    end
  end

  (* hierconn *) logic [63:0] \i_dut.in_q[0] , \i_dut.in_q[1] , \i_dut.out_q[0] , \i_dut.out_q[1] ;
  (* hierconn *) logic [63:0] \i_dut.reductions_q , \i_dut.phase_changes_q , \i_dut.join_q , \i_dut.credit_q ,
                              \i_dut.phase_q , \i_dut.arbiter_q , \i_dut.link_q ;
  logic [63:0] counter;  // counter inside the module

  always_comb begin
    case (which)
      16'h200: counter = \i_dut.in_q[0] ;
      16'h202: counter = \i_dut.in_q[1] ;
      16'h280: counter = \i_dut.out_q[0] ;
      16'h282: counter = \i_dut.out_q[1] ;
      16'h300: counter = \i_dut.reductions_q ;
      16'h302: counter = \i_dut.phase_changes_q ;
      16'h310: counter = \i_dut.join_q ;
      16'h312: counter = \i_dut.credit_q ;
      16'h314: counter = \i_dut.phase_q ;
      16'h316: counter = \i_dut.arbiter_q ;
      16'h318: counter = \i_dut.link_q ;
      default: counter = '0;
    endcase
  end

  always_comb begin : assertions
    if (started_q) invariant_count: assert (counter == count_q);
    if (started_q && known_q) begin
      low_word_is_counted: assert (high_q || rdata == shown_q[31:0]);
      high_word_is_counted: assert (!high_q || rdata == shown_q[63:32]);
    end
  end
endmodule
