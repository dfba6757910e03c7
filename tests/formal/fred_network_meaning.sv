// SPDX-License-Identifier: Apache-2.0
// Meaning of a configuration of Fred_M(P), from the contract of `fred_network` alone: the inputs
// whose sum each output gives.
//
// Shapes: a wire has a mask of N bits, the inputs of the whole network whose flits are added on it;
//   none: no flit. legal_o: every adder in use gets both of its flits or none.
module fred_network_meaning #(
  /// number of ports
  parameter int unsigned P = 4,
  /// number of middle sub-networks
  parameter int unsigned M = 2,
  /// ports of the whole network
  parameter int unsigned N = P,
  /// configuration bits, derived
  localparam int unsigned CONFIG_BITS = fred_pkg::config_bits(P, M)
) (
  input  logic [CONFIG_BITS-1:0] config_i,
  input  logic [P*N-1:0]         in_i,
  output logic [P*N-1:0]         out_o,
  output logic                   legal_o
);
  // One output of an R- or RD-µSwitch.
  function automatic logic [N-1:0] routed(input logic [1:0] code, input logic [N-1:0] in0, input logic [N-1:0] in1);
    routed = ({N{code == 2'd1}} & in0) | ({N{code == 2'd2}} & in1) | ({N{code == 2'd3}} & (in0 | in1));
  endfunction

  if (P == 2) begin : gen_base
    logic sum;
    assign sum = config_i[1:0] == 2'd3 || config_i[3:2] == 2'd3;
    assign legal_o = !sum || (in_i[N-1:0] != '0) == (in_i[2*N-1:N] != '0);
    assign out_o = {routed(config_i[3:2], in_i[N-1:0], in_i[2*N-1:N]), routed(config_i[1:0], in_i[N-1:0],
                                                                              in_i[2*N-1:N])};
  end else begin : gen_level
    localparam int unsigned R = P / 2;
    localparam int unsigned S = P - R;
    localparam int unsigned SEL_W = $clog2(M + 1);
    localparam int unsigned SUB_BITS = fred_pkg::config_bits(S, M);
    localparam int unsigned SUB_LSB = R * 2 * M + (P - 2 * R) * SEL_W;
    localparam int unsigned D_LSB = SUB_LSB + M * SUB_BITS;

    logic [M*S*N-1:0] to_sub, from_sub;  // port i of sub-network j at S*j+i
    logic [R-1:0]     r_legal;
    logic [M-1:0]     sub_legal;
    assign legal_o = &r_legal && &sub_legal;

    for (genvar j = 0; j < M; j++) begin : gen_sub
      fred_network_meaning #(.P(S), .M(M), .N(N)) i_sub (
        .config_i(config_i[SUB_LSB+j*SUB_BITS +: SUB_BITS]),
        .in_i    (to_sub[j*S*N +: S*N]),
        .out_o   (from_sub[j*S*N +: S*N]),
        .legal_o (sub_legal[j])
      );
    end
    for (genvar i = 0; i < R; i++) begin : gen_r
      logic [M-1:0] sum;
      for (genvar j = 0; j < M; j++) begin : gen_output
        assign to_sub[(S*j+i)*N +: N] = routed(config_i[2*(M*i+j) +: 2], in_i[2*i*N +: N], in_i[(2*i+1)*N +: N]);
        assign sum[j] = config_i[2*(M*i+j) +: 2] == 2'd3;
      end
      assign r_legal[i] = sum == '0 || (in_i[2*i*N +: N] != '0) == (in_i[(2*i+1)*N +: N] != '0);
    end
    if (P % 2 == 1) begin : gen_demux
      for (genvar j = 0; j < M; j++) begin : gen_output
        assign to_sub[(S*j+R)*N +: N] = (config_i[2*M*R +: SEL_W] == SEL_W'(j + 1)) ? in_i[(P-1)*N +: N] : '0;
      end
    end
    // Output p receives output p / 2 of every sub-network, by its own code.
    for (genvar p = 0; p < P; p++) begin : gen_output
      logic [SEL_W-1:0] code;
      assign code = config_i[D_LSB+SEL_W*p +: SEL_W];
      always_comb begin
        out_o[p*N +: N] = '0;
        for (int unsigned j = 0; j < M; j++) begin
          if (code == SEL_W'(j + 1)) out_o[p*N +: N] = from_sub[(S*j+p/2)*N +: N];
        end
      end
    end
  end
endmodule
