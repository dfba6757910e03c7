// SPDX-License-Identifier: Apache-2.0
// Reduction table of an aggregator: sums of the flows of the phase in use, and paths of the
// single-input flows.
//
// Change: change_i at an edge carries the row of a phase. If drained_i is high (no flit of a sum in
//   flight), the row is taken at that edge; otherwise it is pending (pending_o, its flits are held
//   back) and is taken at the first edge with drained_i. A change while another one is pending
//   replaces it.
// Timing: inputs_o to vc_o follow the edge t at which a row is taken, for flits that fire at t + 1
//   or later. direct_o and operand_o follow the edge t + 2, for flits that enter the interconnect
//   three edges after they fired; by then all flits of the previous phase have entered.
// Flows: flow f is code f + 1 of a row. A flow with two or more inputs is a sum; its ports are
//   field f, P bits wide, of inputs_o and outputs_o. Paths of single-input flows are on direct_o:
//   bit P*output + input.
// idle_o: high if an edge without change_i changes nothing. Reset (synchronous): no flows.
module aggregator_table #(
  /// number of switch ports, 2 to 32
  parameter int unsigned P = 12,
  /// width of a phase's flow table, derived
  localparam int unsigned TABLE_W = phased_pkg::row_config_lsb(P),
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               change_i,
  input  logic [TABLE_W-1:0] row_i,
  input  logic               drained_i,
  output logic               pending_o,
  // sums: input ports, lowest input port, output ports; sums of two inputs; ports of all sums;
  // virtual channel
  output logic [P*P-1:0]     inputs_o,
  output logic [P*P-1:0]     first_o,
  output logic [P*P-1:0]     outputs_o,
  output logic [P-1:0]       pair_o,
  output logic [P-1:0]       sum_in_o,
  output logic [P-1:0]       sum_out_o,
  output logic [VC_W-1:0]    vc_o,
  // flits that enter
  output logic [P*P-1:0]     direct_o,
  output logic [P-1:0]       operand_o,
  output logic               idle_o
);
  localparam int unsigned FLOW_W = phased_pkg::flow_w(P);

  logic [TABLE_W-1:0] row_q, row;  // row of the last change; row to be taken
  logic               take;
  logic [1:0]         taken_q;     // bit n: taken n + 1 edges ago

  assign take = (change_i || pending_o) && drained_i;
  assign row = change_i ? row_i : row_q;

  // ------------------------------------------------------------------ sums
  logic [P-1:0] inputs_d [P], first_d [P], outputs_d [P];  // by flow
  logic [P-1:0] pair_d, sum_in_d, sum_out_d;

  always_comb begin : sums
    logic [P-1:0] in, out, first, others;
    for (int unsigned f = 0; f < P; f++) begin
      inputs_d[f] = '0;
      first_d[f] = '0;
      outputs_d[f] = '0;
    end
    pair_d = '0;
    sum_in_d = '0;
    sum_out_d = '0;
    in = '0;
    out = '0;
    first = '0;
    others = '0;
    if (take) begin
      for (int unsigned f = 0; f < P; f++) begin
        for (int unsigned p = 0; p < P; p++) begin
          in[p] = row[phased_pkg::row_in_flow_lsb(P, p) +: FLOW_W] == FLOW_W'(f + 1);
          out[p] = row[phased_pkg::row_out_flow_lsb(P, p) +: FLOW_W] == FLOW_W'(f + 1);
        end
        first = in & (~in + P'(1));
        others = in & ~first;
        if (others != '0) begin
          inputs_d[f] = in;
          first_d[f] = first;
          outputs_d[f] = out;
          pair_d[f] = (others & (others - P'(1))) == '0;
          sum_in_d = sum_in_d | in;
          sum_out_d = sum_out_d | out;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : tables
    if (!rst_ni) begin
      pending_o <= 1'b0;
      inputs_o <= '0;
      first_o <= '0;
      outputs_o <= '0;
      pair_o <= '0;
      sum_in_o <= '0;
      sum_out_o <= '0;
      vc_o <= '0;
    end else begin
      pending_o <= (change_i || pending_o) && !drained_i;
      if (take) begin
        for (int unsigned f = 0; f < P; f++) begin
          inputs_o[P*f +: P] <= inputs_d[f];
          first_o[P*f +: P] <= first_d[f];
          outputs_o[P*f +: P] <= outputs_d[f];
        end
        pair_o <= pair_d;
        sum_in_o <= sum_in_d;
        sum_out_o <= sum_out_d;
        vc_o <= row[phased_pkg::ROW_VC_LSB +: VC_W];
      end
    end
    if (change_i) row_q <= row_i;
  end

  // ------------------------------------------------------------------ flits that enter
  logic [P-1:0]      direct_d [P];  // by output
  logic [FLOW_W-1:0] out_flow;

  always_comb begin : paths
    for (int unsigned o = 0; o < P; o++) direct_d[o] = '0;
    out_flow = '0;
    if (taken_q[1]) begin
      for (int unsigned o = 0; o < P; o++) begin
        out_flow = row_q[phased_pkg::row_out_flow_lsb(P, o) +: FLOW_W];
        for (int unsigned p = 0; p < P; p++) begin
          direct_d[o][p] = out_flow != '0 && !sum_in_o[p] &&
                           out_flow == row_q[phased_pkg::row_in_flow_lsb(P, p) +: FLOW_W];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : enter
    if (!rst_ni) begin
      taken_q <= '0;
      direct_o <= '0;
      operand_o <= '0;
    end else begin
      taken_q <= {taken_q[0], take};
      if (taken_q[1]) begin
        for (int unsigned o = 0; o < P; o++) direct_o[P*o +: P] <= direct_d[o];
        operand_o <= sum_in_o;
      end
    end
  end

  assign idle_o = !pending_o && taken_q == '0;

  // Unused bits of a row: everything but its flows and its virtual channel.
  logic unused;
  assign unused = &{1'b0, row[phased_pkg::ROW_VALID_BIT]};

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    // The row and the sums belong to one phase: nothing fires between the edge that takes a row and
    // the next one.
    if (rst_ni && taken_q[1]) ways_of_the_phase_in_use: assert (!pending_o);
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      taken_at_once: cover (change_i && drained_i);
      change_waits_for_sums: cover (change_i && !drained_i);
      pending_change_is_replaced: cover (change_i && pending_o && !drained_i);
    end
  end
endmodule
