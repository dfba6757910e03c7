// SPDX-License-Identifier: Apache-2.0
// R-µSwitch (2 x OUTPUTS), input side of Fred_m(P): routes its two inputs and can add them (paper
// §4).
//
// Function: output j, registered, is chosen by its 2-bit code of the configuration
//   (fred_pkg::USEL_*): nothing, input 0, input 1, or their sum. A sum has the header of input 0;
//   its lanes are added element-wise by one adder per lane, shared by all outputs, since there is
//   only one sum. Both outputs of one flow carry copies. A sum with only one valid input gives an
//   invalid output.
// Online unicasts: a flit with fred_pkg::ONLINE_BIT leaves, alone and unchanged, by the output that
//   its bits [KEY_LSB +: KEY_W] name, whatever the configuration. It takes precedence over the
//   configured flit at that output, and an online flit of input 1 over one of input 0; the other
//   flit is lost.
// Timing: one register stage. load_i at an edge copies config_i; flits sampled at that edge still
//   use the old configuration, flits of the next edge the new one.
// Clock enable: with step_i low the outputs hold. The parent raises it at every edge at which an
//   input may be valid and at the edge after, so that out_valid_o falls.
// Reset (synchronous): no valid outputs, configuration 0 = nothing routed. Flit registers are not
//   reset.
// Not supported: back-pressure. Bits above the last lane are copied when routed and zero in a sum.
module fred_r_uswitch #(
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
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                step_i,
  // configuration: code of output j in bits [2j+1:2j]
  input  logic                                load_i,
  input  logic [OUTPUTS*fred_pkg::USEL_W-1:0] config_i,
  // flits
  input  logic [1:0]                          in_valid_i,
  input  logic [2*FLIT_W-1:0]                 in_flit_i,
  output logic [OUTPUTS-1:0]                  out_valid_o,
  output logic [OUTPUTS*FLIT_W-1:0]           out_flit_o
);
  logic [OUTPUTS*fred_pkg::USEL_W-1:0] config_q;
  logic                                uses_sum_q;      // some output has the code of the sum
  logic                                add;
  logic [1:0]                          online, ruled;   // inputs with an online unicast; with
                                                        // another flit
  logic [FLIT_W-1:0]                   sum_flit;
  logic [2:0]                          load [OUTPUTS];  // by output: takes flit 0, flit 1, the sum
  logic [OUTPUTS-1:0]                  valid_q;
  logic [OUTPUTS*FLIT_W-1:0]           flit_q;
  logic [FLIT_W-1:0]                   flit_0, flit_1;

  assign flit_0 = in_flit_i[FLIT_W-1:0];
  assign flit_1 = in_flit_i[2*FLIT_W-1:FLIT_W];

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      config_q <= rst_ni ? config_i : '0;
      uses_sum_q <= rst_ni && |(config_i & (config_i >> 1) & {OUTPUTS{2'b01}});
    end
  end

  // ---- Adders: one per lane, quiet unless some output sends the sum -----------------------------
  always_comb begin : unicasts
    online = '0;
    ruled = '0;
    if (in_valid_i != 2'b00) begin
      online = in_valid_i & {flit_1[fred_pkg::ONLINE_BIT], flit_0[fred_pkg::ONLINE_BIT]};
      ruled = in_valid_i & ~{flit_1[fred_pkg::ONLINE_BIT], flit_0[fred_pkg::ONLINE_BIT]};
    end
  end
  assign add = uses_sum_q && ruled == 2'b11;

  for (genvar lane = 0; lane < LANES; lane = lane + 1) begin : gen_lane
    localparam int unsigned LSB = noc_pkg::HEADER_W + lane * noc_pkg::LANE_W;
    fp_add #(.FORMAT(FORMAT)) i_fp_add (
      .en_i (add),
      .a_i  (flit_0[LSB +: noc_pkg::LANE_W]),
      .b_i  (flit_1[LSB +: noc_pkg::LANE_W]),
      .sum_o(sum_flit[LSB +: noc_pkg::LANE_W])
    );
  end
  if (LANES % 2 == 1) begin : gen_pad
    assign sum_flit[FLIT_W-1 -: noc_pkg::LANE_W] = '0;
  end

  // ---- Outputs ----------------------------------------------------------------------------------
  assign sum_flit[noc_pkg::HEADER_W-1:0] = flit_0[noc_pkg::HEADER_W-1:0];

  always_comb begin : choose
    for (int unsigned j = 0; j < OUTPUTS; j = j + 1) load[j] = '0;
    if (in_valid_i != 2'b00) begin
      for (int unsigned j = 0; j < OUTPUTS; j = j + 1) begin
        load[j][0] = ruled[0] && config_q[j*fred_pkg::USEL_W +: fred_pkg::USEL_W] == fred_pkg::USEL_IN0;
        load[j][1] = ruled[1] && config_q[j*fred_pkg::USEL_W +: fred_pkg::USEL_W] == fred_pkg::USEL_IN1;
        load[j][2] = add && config_q[j*fred_pkg::USEL_W +: fred_pkg::USEL_W] == fred_pkg::USEL_SUM;
      end
      if (online != 2'b00) begin
        for (int unsigned j = 0; j < OUTPUTS; j = j + 1) begin
          if (online[0] && flit_0[KEY_LSB +: KEY_W] == KEY_W'(j)) load[j] = 3'b001;
          if (online[1] && flit_1[KEY_LSB +: KEY_W] == KEY_W'(j)) load[j] = 3'b010;
        end
      end
    end
  end

  for (genvar j = 0; j < OUTPUTS; j = j + 1) begin : gen_output
    always_ff @(posedge clk_i) begin
      if (step_i) valid_q[j] <= rst_ni && load[j] != '0;
    end

    gated_choice #(.WIDTH(FLIT_W)) i_flit (
      .clk_i,
      .load_i({1'b0, load[j] & {3{step_i}}}),
      .d0_i  (flit_0),
      .d1_i  (flit_1),
      .d2_i  (sum_flit),
      .d3_i  ('0),
      .q_o   (flit_q[j*FLIT_W +: FLIT_W])
    );
  end

  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
endmodule
