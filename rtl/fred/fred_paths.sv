// SPDX-License-Identifier: Apache-2.0
// Path of every flow of the active phase through the interconnect, level by level:
// fred_online_paths must avoid them.
//
// Path: 2 bits per level of Fred_M(P), outermost first: the middle sub-network that the flow uses
//   there. A flow uses one sub-network at every level, at all its ports (routing, §5). With a row
//   that breaks this rule, online unicasts alongside the phase may be lost (fred_exit detects
//   that).
// Timing: load_i, with the row of the new phase on row_i, sets the paths at the edge, as in
//   phased_control. The path of an input port is found by following the µSwitch bits from it; an
//   output port has the path of the lowest input port of its flow; paths of ports without a flow
//   are undefined.
module fred_paths #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// number of middle sub-networks
  parameter int unsigned M = 3,
  /// row width of the phase store, derived
  localparam int unsigned ROW_W = fred_pkg::row_bits(P, M)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          load_i,
  input  logic [ROW_W-1:0]              row_i,
  output logic [fred_pkg::PATH_W*P-1:0] in_path_o,
  output logic [fred_pkg::PATH_W*P-1:0] out_path_o
);
  localparam int unsigned CONFIG_W = fred_pkg::config_bits(P, M);
  localparam int unsigned CONFIG_LSB = ROW_W - CONFIG_W;
  localparam int unsigned FLOW_W = phased_pkg::flow_w(P);
  localparam int unsigned SEL_W = fred_pkg::sel_w(M);

  localparam int unsigned LEVELS = fred_pkg::levels(P);
  localparam int unsigned PATH_W = fred_pkg::PATH_W;

  // A sub-network is named by the path to it. First bit of its configuration, or CONFIG_W if it
  // does not exist.
  function automatic int unsigned first_bit(input int unsigned level, input int unsigned path);
    int unsigned ports, chosen;
    bit          exists;
    ports = P;
    first_bit = 0;
    exists = 1'b1;
    for (int unsigned l = 0; l < 4; l = l + 1) begin
      if (l < level) begin
        chosen = (path >> (2 * l)) % 4;
        if (chosen >= M) exists = 1'b0;
        first_bit = first_bit + (ports / 2) * M * fred_pkg::USEL_W + (ports % 2) * SEL_W +
                    chosen * fred_pkg::config_bits((ports + 1) / 2, M);
        ports = (ports + 1) / 2;
      end
    end
    if (!exists) first_bit = CONFIG_W;
  endfunction

  // Paths by input port: paths of level l are complete up to it.
  logic [(LEVELS+1)*PATH_W*P-1:0] paths;
  assign paths[PATH_W*P-1:0] = '0;

  for (genvar l = 0; l < LEVELS; l++) begin : gen_level
    localparam int unsigned PORTS = (P + (1 << l) - 1) >> l;
    localparam int unsigned NETWORKS = 1 << (2 * l);
    localparam bit [PATH_W-1:0] BEFORE = PATH_W'(NETWORKS - 1);
    // Sub-network that a port of a network of this level goes to, by network and port.
    logic [2*PORTS*NETWORKS-1:0] chosen;
    logic [PATH_W*P-1:0]         from, to;

    for (genvar n = 0; n < NETWORKS; n++) begin : gen_network
      localparam int unsigned FIRST = first_bit(l, n);
      if (FIRST < CONFIG_W) begin : gen_exists
        logic [CONFIG_W-1:0]         bits;
        logic [2*PORTS-1:0]          choices;
        logic [SEL_W-1:0]            select;
        logic [fred_pkg::USEL_W-1:0] code;
        always_comb begin
          choices = '0;
          select = '0;
          code = '0;
          bits = '0;
          if (load_i) begin
            bits = row_i[CONFIG_LSB +: CONFIG_W] >> FIRST;
            for (int unsigned i = 0; i < PORTS - PORTS % 2; i++) begin
              for (int j = M - 1; j >= 0; j--) begin
                code = bits[((i / 2) * M + 32'(j)) * fred_pkg::USEL_W +: fred_pkg::USEL_W];
                if (code == fred_pkg::USEL_SUM ||
                    code == ((i % 2 == 0) ? fred_pkg::USEL_IN0 : fred_pkg::USEL_IN1)) choices[2*i +: 2] = 2'(j);
              end
            end
            if (PORTS % 2 == 1) begin
              select = bits[(PORTS / 2) * M * fred_pkg::USEL_W +: SEL_W];
              for (int unsigned j = 0; j < M; j++) begin
                if (select == SEL_W'(j + 1)) choices[2*(PORTS-1) +: 2] = 2'(j);
              end
            end
          end
        end
        assign chosen[2*PORTS*n +: 2*PORTS] = choices;
      end else begin : gen_none
        assign chosen[2*PORTS*n +: 2*PORTS] = '0;
      end
    end

    assign from = paths[PATH_W*P*l +: PATH_W*P];
    always_comb begin
      to = from;
      if (load_i) begin
        for (int unsigned p = 0; p < P; p++) begin
          for (int unsigned n = 0; n < NETWORKS; n++) begin
            if ((from[PATH_W*p +: PATH_W] & BEFORE) == PATH_W'(n)) begin
              to[PATH_W*p + 2*l +: 2] = chosen[2*(PORTS*n + (p >> l)) +: 2];
            end
          end
        end
      end
    end
    assign paths[PATH_W*P*(l+1) +: PATH_W*P] = to;
  end

  always_ff @(posedge clk_i) begin : update
    if (!rst_ni) begin
      in_path_o <= '0;
      out_path_o <= '0;
    end else if (load_i) begin
      in_path_o <= paths[PATH_W*P*LEVELS +: PATH_W*P];
      for (int unsigned p = 0; p < P; p++) begin
        for (int q = P - 1; q >= 0; q--) begin
          if (row_i[phased_pkg::ROW_FLOWS_LSB + q*FLOW_W +: FLOW_W] ==
              row_i[phased_pkg::ROW_FLOWS_LSB + (P + p)*FLOW_W +: FLOW_W]) begin
            out_path_o[PATH_W*p +: PATH_W] <= paths[PATH_W*(P*LEVELS + 32'(q)) +: PATH_W];
          end
        end
      end
    end
  end
endmodule
