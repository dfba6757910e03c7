// SPDX-License-Identifier: Apache-2.0
// R-µSwitch (2 x OUTPUTS) whose adder has two register stages, for switch.adder_stages 2.
//
// Function: as fred_r_uswitch for outputs, sums, online unicasts, loading, clock enable and reset,
//   one edge later.
// Stage 0 holds both flits, the result of fp_add_align for their lanes, and for every output which
//   of the three it sends. load_i and step_i[0] act on it; the configuration goes no further.
// Stage 1 (step_i[1]) is fp_add_round and the output selection. A stage holds its contents if no
//   flit arrives.
module fred_r_uswitch_two_stage #(
  /// Number of outputs: M of Fred_m(P), or 2 inside an RD-µSwitch.
  parameter int unsigned OUTPUTS = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: fred_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Field with the output of an online unicast: first bit.
  parameter int unsigned KEY_LSB = fred_pkg::PATH_LSB,
  /// Field with the output of an online unicast: width.
  parameter int unsigned KEY_W = 2,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Configuration width in bits, derived.
  localparam int unsigned CONFIG_W = OUTPUTS * fred_pkg::USEL_W
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [1:0]                step_i,
  // configuration: code of output j in bits [2j+1:2j]
  input  logic                      load_i,
  input  logic [CONFIG_W-1:0]       config_i,
  // flits
  input  logic [1:0]                in_valid_i,
  input  logic [2*FLIT_W-1:0]       in_flit_i,
  output logic [OUTPUTS-1:0]        out_valid_o,
  output logic [OUTPUTS*FLIT_W-1:0] out_flit_o
);
  localparam int unsigned PAYLOAD_W = FLIT_W - noc_pkg::HEADER_W;
  localparam int unsigned USEL_W = fred_pkg::USEL_W;
  localparam int unsigned PART_W = fp_add_pkg::PART_W;

  logic [CONFIG_W-1:0]       config_q;
  logic                      uses_sum_q;        // some output has the code of the sum
  logic                      add, add_q;
  logic [1:0]                online, ruled;     // inputs with an online unicast; with another flit
  logic [FLIT_W-1:0]         flit_0, flit_1, flit_0_q, flit_1_q;
  logic [LANES*PART_W-1:0]   part, part_q;
  logic [CONFIG_W-1:0]       choice, choice_q;  // code of every output, as in the configuration
  logic [PAYLOAD_W-1:0]      sum;
  logic [OUTPUTS-1:0]        valid_q;
  logic [OUTPUTS*FLIT_W-1:0] flit_q;

  assign flit_0 = in_flit_i[FLIT_W-1:0];
  assign flit_1 = in_flit_i[2*FLIT_W-1:FLIT_W];

  always_ff @(posedge clk_i) begin : configuration
    if (load_i) begin
      config_q <= rst_ni ? config_i : '0;
      uses_sum_q <= rst_ni && |(config_i & (config_i >> 1) & {OUTPUTS{2'b01}});
    end
  end

  // ---- Stage 0: choice, first half of the adders ------------------------------------------------
  always_comb begin : unicasts
    online = '0;
    ruled = '0;
    if (in_valid_i != 2'b00) begin
      online = in_valid_i & {flit_1[fred_pkg::ONLINE_BIT], flit_0[fred_pkg::ONLINE_BIT]};
      ruled = in_valid_i & ~{flit_1[fred_pkg::ONLINE_BIT], flit_0[fred_pkg::ONLINE_BIT]};
    end
  end
  assign add = uses_sum_q && ruled == 2'b11;

  // An output gets the valid flit that its code names, and a unicast in place of it.
  always_comb begin : choices
    choice = '0;
    if (in_valid_i != 2'b00) begin
      for (int unsigned j = 0; j < OUTPUTS; j = j + 1) begin
        if ((config_q[j*USEL_W +: USEL_W] & ~ruled) == '0) choice[j*USEL_W +: USEL_W] = config_q[j*USEL_W +: USEL_W];
        if (online[0] && flit_0[KEY_LSB +: KEY_W] == KEY_W'(j)) choice[j*USEL_W +: USEL_W] = fred_pkg::USEL_IN0;
        if (online[1] && flit_1[KEY_LSB +: KEY_W] == KEY_W'(j)) choice[j*USEL_W +: USEL_W] = fred_pkg::USEL_IN1;
      end
    end
  end

  for (genvar lane = 0; lane < LANES; lane = lane + 1) begin : gen_lane
    localparam int unsigned LSB = noc_pkg::HEADER_W + lane * noc_pkg::LANE_W;
    fp_add_align #(.FORMAT(FORMAT)) i_align (
      .en_i  (add),
      .a_i   (flit_0[LSB +: noc_pkg::LANE_W]),
      .b_i   (flit_1[LSB +: noc_pkg::LANE_W]),
      .part_o(part[lane*PART_W +: PART_W])
    );
    fp_add_round #(.FORMAT(FORMAT)) i_round (
      .en_i  (add_q),
      .part_i(part_q[lane*PART_W +: PART_W]),
      .sum_o (sum[lane*noc_pkg::LANE_W +: noc_pkg::LANE_W])
    );
  end
  if (LANES % 2 == 1) begin : gen_pad
    assign sum[PAYLOAD_W-1 -: noc_pkg::LANE_W] = '0;
  end

  always_ff @(posedge clk_i) begin : first
    if (step_i[0]) begin
      choice_q <= rst_ni ? choice : '0;
      add_q <= rst_ni && add;
      if (in_valid_i[0]) flit_0_q <= flit_0;
      if (in_valid_i[1]) flit_1_q <= flit_1;
      if (add) part_q <= part;
    end
  end

  // ---- Stage 1: second half of the adders, outputs ----------------------------------------------
  always_ff @(posedge clk_i) begin : second
    if (step_i[1]) begin
      valid_q <= '0;
      if (choice_q != '0) begin
        for (int unsigned j = 0; j < OUTPUTS; j = j + 1) begin
          valid_q[j] <= rst_ni && choice_q[j*USEL_W +: USEL_W] != fred_pkg::USEL_NONE;
          if (choice_q[j*USEL_W +: USEL_W] == fred_pkg::USEL_SUM) begin
            flit_q[j*FLIT_W +: FLIT_W] <= {sum, flit_0_q[noc_pkg::HEADER_W-1:0]};
          end else if (choice_q[j*USEL_W +: USEL_W] == fred_pkg::USEL_IN0) begin
            flit_q[j*FLIT_W +: FLIT_W] <= flit_0_q;
          end else if (choice_q[j*USEL_W +: USEL_W] == fred_pkg::USEL_IN1) begin
            flit_q[j*FLIT_W +: FLIT_W] <= flit_1_q;
          end
        end
      end
    end
  end

  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
endmodule
