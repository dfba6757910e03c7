// Credits of one virtual channel at the sending end of a link: how many flits the receiver has room for.
//
// Timing: some_o and credits_o are registers. give_i at an edge adds one credit, spend_i takes one; both at once leave the
//   number as it is. write_i sets it, whatever comes or goes at the same edge. A credit that comes at an edge may be spent
//   at that edge: the parent spends one where some_o or give_i is high (asserted).
// Number: 16 bits, wraps.
module credit_counter #(
  /// credits after reset
  parameter int unsigned DEPTH = 48
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        give_i,
  input  logic        spend_i,
  input  logic        write_i,
  input  logic [15:0] wdata_i,
  output logic        some_o,
  output logic [15:0] credits_o
);
  logic [15:0] credits_q;
  logic        some_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credits_q <= 16'(DEPTH);
      some_q <= DEPTH != 0;
    end else if (write_i) begin
      credits_q <= wdata_i;
      some_q <= wdata_i != '0;
    end else if (give_i != spend_i) begin
      credits_q <= give_i ? credits_q + 16'd1 : credits_q - 16'd1;
      some_q <= give_i ? credits_q != '1 : credits_q != 16'd1;
    end
  end

  assign some_o = some_q;
  assign credits_o = credits_q;

  always_ff @(posedge clk_i) begin : assertions
    if (rst_ni && spend_i) spend_has_a_credit: assert (some_q || give_i);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      none_left: cover (!some_q);
      spent_as_it_comes: cover (!some_q && give_i && spend_i);
      written: cover (write_i);
    end
  end
endmodule
