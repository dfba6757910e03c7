// SPDX-License-Identifier: Apache-2.0
// Join check: the flits that a flow joins agree in tag and tail.
//
// Timing: pop_i at an edge e. tag_i and tail_i belong to the flits read from the buffers after e +
//   1; partner_i is the lowest input of the flow of each input. error_o is high for a cycle after e
//   + 2 if a flit differs from its partner's.
module phased_join_check #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// width of a port index, derived
  localparam int unsigned PORT_W = $clog2(P)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [P-1:0]                pop_i,
  input  logic [PORT_W*P-1:0]         partner_i,
  input  logic [noc_pkg::TAG_W*P-1:0] tag_i,
  input  logic [P-1:0]                tail_i,
  output logic                        error_o
);
  localparam int unsigned KEY_W = noc_pkg::TAG_W + 1;

  logic [P-1:0] popped_q, read_q;
  logic         differ;

  always_comb begin : compare
    logic [KEY_W-1:0] key, other;
    differ = 1'b0;
    key = '0;
    other = '0;
    if (read_q != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        key = {tail_i[p], tag_i[noc_pkg::TAG_W*p +: noc_pkg::TAG_W]};
        other = key;
        for (int unsigned q = 0; q < p; q++) begin
          if (partner_i[PORT_W*p +: PORT_W] == PORT_W'(q)) begin
            other = {tail_i[q], tag_i[noc_pkg::TAG_W*q +: noc_pkg::TAG_W]};
          end
        end
        if (read_q[p] && key != other) differ = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      popped_q <= '0;
      read_q <= '0;
      error_o <= 1'b0;
    end else begin
      popped_q <= pop_i;
      read_q <= popped_q;
      error_o <= differ;
    end
  end
endmodule
