// The way of every flow of the active phase through the interconnect, level by level: what fred_online_paths must
// not cross.
//
// Path: 2 bits per level of Fred_M(P), outermost first: the middle sub-network that the flow uses there. A
//   flow uses one at every level, at all its ports (routing, §5); in a row of which that is not true, online
//   unicasts beside the phase may be lost.
// Timing: load_i, with the row of the new phase on row_i, sets the paths at the edge, as in fred_control. An
//   input port has the path found by following the µSwitch bits from it, an output port that of the lowest
//   input port of its flow; ports without a flow have none that means anything.
module fred_paths #(
  /// ports of the switch
  parameter int unsigned P = 12,
  /// middle sub-networks
  parameter int unsigned M = 3,
  /// bits of a row of the phase store, derived
  localparam int unsigned ROW_W = fred_pkg::row_bits(P, M)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             load_i,
  input  logic [ROW_W-1:0] row_i,
  output logic [8*P-1:0]   in_path_o,
  output logic [8*P-1:0]   out_path_o
);
  localparam int unsigned CONFIG_W = fred_pkg::config_bits(P, M);
  localparam int unsigned CONFIG_LSB = ROW_W - CONFIG_W;
  localparam int unsigned FLOW_W = fred_pkg::flow_w(P);
  localparam int unsigned SEL_W = fred_pkg::sel_w(M);

  // Sub-network by sub-network from input port `port` on. `first`: first bit of the sub-network's configuration.
  function automatic logic [7:0] path_from(input logic [CONFIG_W-1:0] bits, input int unsigned port);
    int unsigned      ports, index, first, chosen;
    logic [1:0]       code;
    logic [SEL_W-1:0] select;
    path_from = '0;
    ports = P;
    index = port;
    first = 0;
    for (int unsigned level = 0; level < 4; level = level + 1) begin
      if (level < fred_pkg::levels(P)) begin
        chosen = 0;
        if (index / 2 == ports / 2) begin
          select = bits[first + (ports / 2) * M * fred_pkg::USEL_W +: SEL_W];
          for (int unsigned j = 0; j < M; j = j + 1) begin
            if (select == SEL_W'(j + 1)) chosen = j;
          end
        end else begin
          for (int j = M - 1; j >= 0; j = j - 1) begin
            code = bits[first + ((index / 2) * M + j) * fred_pkg::USEL_W +: 2];
            if (code == fred_pkg::USEL_SUM ||
                code == ((index % 2 == 0) ? fred_pkg::USEL_IN0 : fred_pkg::USEL_IN1)) chosen = j;
          end
        end
        path_from[2*level +: 2] = 2'(chosen);
        first = first + (ports / 2) * M * fred_pkg::USEL_W + (ports % 2) * SEL_W +
                chosen * fred_pkg::config_bits((ports + 1) / 2, M);
        ports = (ports + 1) / 2;
        index = index / 2;
      end
    end
  endfunction

  always_ff @(posedge clk_i) begin : update
    logic [8*P-1:0] paths;
    if (!rst_ni) begin
      in_path_o <= '0;
      out_path_o <= '0;
    end else if (load_i) begin
      for (int unsigned p = 0; p < P; p++) paths[8*p +: 8] = path_from(row_i[CONFIG_LSB +: CONFIG_W], p);
      in_path_o <= paths;
      for (int unsigned p = 0; p < P; p++) begin
        for (int q = P - 1; q >= 0; q--) begin
          if (row_i[fred_pkg::ROW_FLOWS_LSB + q*FLOW_W +: FLOW_W] ==
              row_i[fred_pkg::ROW_FLOWS_LSB + (P + p)*FLOW_W +: FLOW_W]) begin
            out_path_o[8*p +: 8] <= paths[8*q +: 8];
          end
        end
      end
    end
  end
endmodule
