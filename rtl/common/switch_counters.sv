// SPDX-License-Identifier: Apache-2.0
// Performance counters of a switch, 64 bits each, read through the register map.
//
// Users: fred_switch and mesh_router share them; addresses: noc_pkg::REG_*. Reads of addresses
//   without a counter give 0.
// Timing: an event of a cycle is in the counter after its edge; rdata_o follows the edge that
//   samples read_i and holds. Synthesis removes counters without events.
module switch_counters #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// width of a register address, derived
  localparam int unsigned ADDR_W = noc_pkg::REG_ADDR_W
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [P-1:0]      flit_in_i,
  input  logic [P-1:0]      flit_out_i,
  input  logic [7:0]        reductions_i,
  input  logic              phase_change_i,
  input  logic [7:0]        stall_join_i,
  input  logic [7:0]        stall_credit_i,
  input  logic [7:0]        stall_phase_i,
  input  logic [7:0]        stall_arbiter_i,
  input  logic [P-1:0]      stall_link_i,
  input  logic              read_i,
  input  logic [ADDR_W-1:0] addr_i,
  output logic [31:0]       rdata_o
);
  logic [63:0]       in_q [P];
  logic [63:0]       out_q [P];
  logic [63:0]       reductions_q, phase_changes_q, join_q, credit_q, phase_q, arbiter_q, link_q;
  logic [63:0]       value;
  logic [7:0]        link_events;
  logic [ADDR_W-1:0] low_addr;  // address of the counter's low word

  assign low_addr = {addr_i[ADDR_W-1:1], 1'b0};

  always_comb begin
    link_events = '0;
    if (stall_link_i != '0) begin
      for (int unsigned p = 0; p < P; p++) link_events = link_events + 8'(stall_link_i[p]);
    end
  end

  always_comb begin
    value = '0;
    if (read_i) begin
      case (low_addr)
        noc_pkg::REG_REDUCTIONS:    value = reductions_q;
        noc_pkg::REG_PHASE_CHANGES: value = phase_changes_q;
        noc_pkg::REG_STALL_JOIN:    value = join_q;
        noc_pkg::REG_STALL_CREDIT:  value = credit_q;
        noc_pkg::REG_STALL_PHASE:   value = phase_q;
        noc_pkg::REG_STALL_ARBITER: value = arbiter_q;
        noc_pkg::REG_STALL_LINK:    value = link_q;
        default: begin
          for (int unsigned p = 0; p < P; p++) begin
            if (low_addr == noc_pkg::REG_FLITS_IN + ADDR_W'(2 * p)) value = in_q[p];
            if (low_addr == noc_pkg::REG_FLITS_OUT + ADDR_W'(2 * p)) value = out_q[p];
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned p = 0; p < P; p++) begin
        in_q[p] <= '0;
        out_q[p] <= '0;
      end
      reductions_q <= '0;
      phase_changes_q <= '0;
      join_q <= '0;
      credit_q <= '0;
      phase_q <= '0;
      arbiter_q <= '0;
      link_q <= '0;
      rdata_o <= '0;
    end else begin
      if ((flit_in_i | flit_out_i) != '0) begin
        for (int unsigned p = 0; p < P; p++) begin
          if (flit_in_i[p]) in_q[p] <= in_q[p] + 64'd1;
          if (flit_out_i[p]) out_q[p] <= out_q[p] + 64'd1;
        end
      end
      if (reductions_i != '0) reductions_q <= reductions_q + 64'(reductions_i);
      if (phase_change_i) phase_changes_q <= phase_changes_q + 64'd1;
      if (stall_join_i != '0) join_q <= join_q + 64'(stall_join_i);
      if (stall_credit_i != '0) credit_q <= credit_q + 64'(stall_credit_i);
      if (stall_phase_i != '0) phase_q <= phase_q + 64'(stall_phase_i);
      if (stall_arbiter_i != '0) arbiter_q <= arbiter_q + 64'(stall_arbiter_i);
      if (link_events != '0) link_q <= link_q + 64'(link_events);
      if (read_i) rdata_o <= addr_i[0] ? value[63:32] : value[31:0];
    end
  end
endmodule
