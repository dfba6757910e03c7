// SPDX-License-Identifier: Apache-2.0
// Interconnect of a FRED switch: Fred_m(P), pipelined, with its configuration loaded as a wave (§4,
// §5).
//
// Flits: in_valid_i / in_flit_i at an edge, out_valid_o / out_flit_o after the edge STAGES - 1
//   edges later, i.e. STAGES register stages on every path; one flit per port and cycle, no
//   back-pressure. Port p of a flit vector is bits [p*FLIT_W +: FLIT_W]; out_flit_o is meaningful
//   only with out_valid_o.
// Sums: R- and RD-µSwitches add flits that arrive at the same edge. The parent launches the flits
//   of one flow together; a sum with a missing input gives no flit.
// Online unicasts: a flit with fred_pkg::ONLINE_BIT goes to the port and through the sub-networks
//   named in its header, alongside the configured flows and with the same latency. The parent
//   launches no two flits of a cycle onto the same wire (fred_online_paths.sv), provided the
//   configuration matches its flows; otherwise one flit is lost where two collide
//   (fred_r_uswitch.sv, fred_port_mux.sv).
// Configuration wave: with load_i high at edge e, stage 0 copies its bits of config_i at e, stage s
//   at e + s. A flit sampled at e or before uses the old configuration in every stage, a flit
//   sampled at e + 1 or later the new one: no bubble, no drain. The parent holds config_i from edge
//   e to edge e + STAGES - 1 inclusive, so loads are at least STAGES edges apart unless they load
//   the same bits.
// busy_o: low if no flit and no load is inside, i.e. none was sampled in the last STAGES edges; a
//   flit that the configuration drops counts as inside until its STAGES edges are over. With busy_o
//   low, in_valid_i zero and load_i low an edge changes nothing.
// Reset (synchronous, one edge is enough): empties all stages and sets configuration 0 = nothing
//   routed.
module fred_interconnect #(
  /// Number of ports, 2 to 32.
  parameter int unsigned P = 12,
  /// Number of middle sub-networks m, 2 to 4.
  parameter int unsigned M = 3,
  /// Lanes physically carried per flit.
  parameter int unsigned LANES = 1,
  /// Lane format: fred_pkg::FORMAT_*.
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// Register stages of an adder, 1 or 2.
  parameter int unsigned ADDER_STAGES = 1,
  /// Flit width in bits, derived.
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// Number of µSwitch configuration bits, derived.
  localparam int unsigned CONFIG_BITS = fred_pkg::config_bits(P, M),
  /// Number of register stages, derived.
  localparam int unsigned STAGES = fred_pkg::stages(P, ADDER_STAGES)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // configuration wave
  input  logic                   load_i,
  input  logic [CONFIG_BITS-1:0] config_i,
  // flits
  input  logic [P-1:0]           in_valid_i,
  input  logic [P*FLIT_W-1:0]    in_flit_i,
  output logic [P-1:0]           out_valid_o,
  output logic [P*FLIT_W-1:0]    out_flit_o,
  output logic                   busy_o
);
  // Bit s of the next two vectors: a flit, or a load, was sampled s + 1 edges ago.
  logic [STAGES-1:0] active_q, wave_q;
  logic [STAGES-1:0] active, wave, step, load;

  // Arrivals at every stage at this edge. A stage works when a flit may arrive, and at the edge
  // after that, to clear its valid bits.
  assign active = (active_q << 1) | STAGES'(|in_valid_i);
  assign wave = (wave_q << 1) | STAGES'(load_i);
  assign step = active | active_q | {STAGES{!rst_ni}};
  assign load = wave | {STAGES{!rst_ni}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= '0;
      wave_q <= '0;
    end else begin
      active_q <= active;
      wave_q <= wave;
    end
  end

  assign busy_o = (active_q != '0) || (wave_q != '0);

  if (ADDER_STAGES == 2) begin : gen_two
    fred_network_two_stage #(.P(P), .M(M), .LANES(LANES), .FORMAT(FORMAT)) i_network (
      .clk_i,
      .rst_ni,
      .step_i(step),
      .load_i(load),
      .config_i,
      .in_valid_i,
      .in_flit_i,
      .out_valid_o,
      .out_flit_o
    );
  end else begin : gen_one
    fred_network #(.P(P), .M(M), .LANES(LANES), .FORMAT(FORMAT)) i_network (
      .clk_i,
      .rst_ni,
      .step_i(step),
      .load_i(load),
      .config_i,
      .in_valid_i,
      .in_flit_i,
      .out_valid_o,
      .out_flit_o
    );
  end
endmodule
