// SPDX-License-Identifier: Apache-2.0
// Interconnect of an aggregator: a crossbar alongside a pool of adders that the flows of a phase
// share.
//
// Flits: in_valid_i / in_flit_i are sampled at an edge; out_valid_o / out_flit_o follow at a later
//   edge. Port p of a flit vector is bits [FLIT_W*p +: FLIT_W]; out_flit_o is meaningful only with
//   out_valid_o. There is no back-pressure: a place at the output is reserved for every flit.
// Online unicasts: a flit whose input has a bit set in unicast_i (bit P*input + output) goes to
//   that output through BYPASS_STAGES register stages, independent of the phase. The flits of
//   single-input flows take the same path, to all outputs of the flow.
// Sums: flits of a flow with two or more inputs enter together and wait in operand FIFOs, one per
//   input, for an adder (aggregator_scheduler). The adder adds them in ascending input order, from
//   left to right, one per cycle (aggregator_adder): a flow of n inputs alone sustains min(1,
//   ADDERS / (n-1)) flits per cycle. Unloaded, flits that fired at edge f are on out_flit_o after f
//   + n + 5 (a unicast that moved at f: after f + 4). The sums of a flow leave in the order in
//   which its flits fired.
// Fires: the registers fire_in_i and fire_out_i give the inputs and outputs that the phase used at
//   the last edge; these flits enter two edges later. hold_o, valid before an edge, blocks flits of
//   the phase at its inputs from firing at that edge.
// Phases: change_i with row_i (aggregator_table). The new phase is held back until no sum of the
//   old phase is in progress.
// Sums and unicasts: closed_o, valid before an edge, marks outputs at which a sum would collide
//   with a unicast that moves at this edge. in_flight_o marks outputs with sums in flight, on VC
//   in_flight_vc_o; a unicast packet of that VC must not start there.
// busy_o: low if an edge without inputs changes nothing. Reset (synchronous): no flits, no phase.
// BIST (bist_i, bist_fail_o): see bist_ram; bit p of bist_fail_o is the operand FIFO of input p.
module aggregator_interconnect #(
  /// number of ports, 2 to 32
  parameter int unsigned P = 12,
  /// number of adders, each for all lanes, 1 to 32
  parameter int unsigned ADDERS = 4,
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// lane format: noc_pkg::FORMAT_*
  parameter int unsigned FORMAT = noc_pkg::FORMAT_FP16,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// width of a phase's flow table, derived
  localparam int unsigned TABLE_W = phased_pkg::row_config_lsb(P),
  /// width of a VC index, derived
  localparam int unsigned VC_W = noc_pkg::VC_W
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // phase
  input  logic                       change_i,
  input  logic [TABLE_W-1:0]         row_i,
  input  logic [P-1:0]               fire_in_i,
  input  logic [P-1:0]               fire_out_i,
  output logic [P-1:0]               hold_o,
  // outputs closed to unicasts
  output logic [P-1:0]               closed_o,
  output logic [P-1:0]               in_flight_o,
  output logic [VC_W-1:0]            in_flight_vc_o,
  // flits
  input  logic [P-1:0]               in_valid_i,
  input  logic [P*FLIT_W-1:0]        in_flit_i,
  input  logic [P*P-1:0]             unicast_i,
  output logic [P-1:0]               out_valid_o,
  output logic [P*FLIT_W-1:0]        out_flit_o,
  output logic                       busy_o,
  // memory test
  input  logic [bist_pkg::BUS_W-1:0] bist_i,
  output logic [P-1:0]               bist_fail_o
);
  localparam int unsigned STAGES = aggregator_pkg::BYPASS_STAGES;
  if (P < 2 || P > 32 || ADDERS < 1 || ADDERS > 32 || FORMAT > 1) begin : gen_range
    // Ranges: see the parameter list.
    $fatal(1, "aggregator_interconnect: found P=%0d ADDERS=%0d FORMAT=%0d", P, ADDERS, FORMAT);
  end

  // ------------------------------------------------------------------ phase
  // Tables of the phase: per flow, ports of sums and the lowest input; per output, paths of the
  // single-input flows.
  logic [P*P-1:0] table_inputs, table_first, table_outputs, table_direct;
  logic [P-1:0]   inputs [P], first [P], outputs [P], direct [P];
  logic [P-1:0]   pair, sum_in, sum_out, operand;
  logic [P-1:0]   fired, hold, waiting;  // flows
  logic           pending, drained, table_idle;

  // Per adder: flow assigned to it, outputs of its flit, operands read, outputs of its sum.
  logic [ADDERS-1:0]   free, active, last, adder_busy;
  logic [ADDERS*P-1:0] start, sum_to;  // bit P*adder + flow or port
  logic [P-1:0]        to [ADDERS], read [ADDERS];
  logic [FLIT_W-1:0]   sum_flit [ADDERS];

  aggregator_table #(.P(P)) i_table (
    .clk_i,
    .rst_ni,
    .change_i,
    .row_i,
    .drained_i(drained),
    .pending_o(pending),
    .inputs_o (table_inputs),
    .first_o  (table_first),
    .outputs_o(table_outputs),
    .pair_o   (pair),
    .sum_in_o (sum_in),
    .sum_out_o(sum_out),
    .vc_o     (in_flight_vc_o),
    .direct_o (table_direct),
    .operand_o(operand),
    .idle_o   (table_idle)
  );

  for (genvar p = 0; p < P; p++) begin : gen_table
    assign inputs[p] = table_inputs[P*p +: P];
    assign first[p] = table_first[P*p +: P];
    assign outputs[p] = table_outputs[P*p +: P];
    assign direct[p] = table_direct[P*p +: P];
  end

  aggregator_scheduler #(.P(P), .ADDERS(ADDERS)) i_scheduler (
    .clk_i,
    .rst_ni,
    .fired_i  (fired),
    .free_i   (free),
    .start_o  (start),
    .hold_o   (hold),
    .waiting_o(waiting)
  );

  always_comb begin : fires
    fired = '0;
    if ((fire_in_i & sum_in) != '0) begin
      for (int unsigned f = 0; f < P; f++) fired[f] = (fire_in_i & first[f]) != '0;
    end
  end

  assign drained = fired == '0 && waiting == '0 && active == '0;

  always_comb begin : holds
    hold_o = {P{pending}};
    if (hold != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        if (hold[f]) hold_o = hold_o | inputs[f];
      end
    end
  end

  // Outputs in use, over all flows and adders in parallel: a sequential search would chain as many
  // gates.
  always_comb begin : outputs_in_use
    logic [P-1:0]      waits;
    logic [ADDERS-1:0] adds;
    waits = '0;
    adds = '0;
    closed_o = '0;
    in_flight_o = fire_out_i & sum_out;
    if (active != '0 || waiting != '0) begin
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned f = 0; f < P; f++) waits[f] = waiting[f] && outputs[f][o];
        for (int unsigned k = 0; k < ADDERS; k++) adds[k] = active[k] && to[k][o];
        in_flight_o[o] = in_flight_o[o] || waits != '0 || adds != '0;
        closed_o[o] = (adds & last) != '0;
      end
    end
  end

  // ------------------------------------------------------------------ operands
  logic [P-1:0]        online, write, read_any;
  logic [P*FLIT_W-1:0] operands;

  always_comb begin : kinds_of_flits
    online = '0;
    write = '0;
    if (in_valid_i != '0) begin
      for (int unsigned p = 0; p < P; p++) online[p] = unicast_i[P*p +: P] != '0;
      write = in_valid_i & operand & ~online;
    end
  end

  always_comb begin : reads
    read_any = '0;
    if (adder_busy != '0) begin
      for (int unsigned k = 0; k < ADDERS; k++) read_any = read_any | read[k];
    end
  end

  for (genvar p = 0; p < P; p++) begin : gen_input
    aggregator_operands #(.LANES(LANES), .DEPTH(aggregator_pkg::operand_depth(P, ADDERS)), .BIST(BIST)) i_operands (
      .clk_i,
      .rst_ni,
      .write_i    (write[p]),
      .wdata_i    (in_flit_i[FLIT_W*p +: FLIT_W]),
      .read_i     (read_any[p]),
      .rdata_o    (operands[FLIT_W*p +: FLIT_W]),
      .bist_i,
      .bist_fail_o(bist_fail_o[p])
    );
  end

  // ------------------------------------------------------------------ adders
  for (genvar k = 0; k < ADDERS; k++) begin : gen_adder
    logic [P-1:0]      start_first, start_rest, start_to;
    logic              starts, start_pair;
    logic [P-1:0]      adder_to, adder_read;
    logic [FLIT_W-1:0] adder_sum_flit;

    always_comb begin : start_with
      starts = start[P*k +: P] != '0;
      start_first = '0;
      start_rest = '0;
      start_to = '0;
      start_pair = 1'b0;
      if (starts) begin
        for (int unsigned f = 0; f < P; f++) begin
          if (start[P*k + f]) begin
            start_first = start_first | first[f];
            start_rest = start_rest | (inputs[f] & ~first[f]);
            start_to = start_to | outputs[f];
            start_pair = start_pair | pair[f];
          end
        end
      end
    end

    aggregator_adder #(.P(P), .LANES(LANES), .FORMAT(FORMAT)) i_adder (
      .clk_i,
      .rst_ni,
      .free_o    (free[k]),
      .start_i   (starts),
      .first_i   (start_first),
      .rest_i    (start_rest),
      .pair_i    (start_pair),
      .to_i      (start_to),
      .active_o  (active[k]),
      .last_o    (last[k]),
      .to_o      (adder_to),
      .read_o    (adder_read),
      .operand_i (operands),
      .sum_to_o  (sum_to[P*k +: P]),
      .sum_flit_o(adder_sum_flit),
      .busy_o    (adder_busy[k])
    );
    assign to[k] = adder_to;
    assign read[k] = adder_read;
    assign sum_flit[k] = adder_sum_flit;
  end

  // ------------------------------------------------------------------ crossbar
  logic [P-1:0]        select [P];  // by output: inputs whose flits go there, past the adders
  logic [P*P-1:0]      select_q;
  logic [P*FLIT_W-1:0] flit_q;
  logic [STAGES-1:0]   active_q;    // bit s: a flit was sampled s + 1 edges ago
  logic [P-1:0]        valid;
  logic [FLIT_W-1:0]   flit [P];

  always_comb begin : choose
    for (int unsigned o = 0; o < P; o++) select[o] = '0;
    if (in_valid_i != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned o = 0; o < P; o++) begin
          select[o][p] = in_valid_i[p] && (online[p] ? unicast_i[P*p + o] : direct[o][p]);
        end
      end
    end
  end

  always_comb begin : gather
    valid = '0;
    for (int unsigned o = 0; o < P; o++) flit[o] = '0;
    if (select_q != '0 || sum_to != '0) begin
      for (int unsigned o = 0; o < P; o++) begin
        for (int unsigned p = 0; p < P; p++) begin
          if (select_q[P*o + p]) begin
            valid[o] = 1'b1;
            flit[o] = flit[o] | flit_q[FLIT_W*p +: FLIT_W];
          end
        end
        for (int unsigned k = 0; k < ADDERS; k++) begin
          if (sum_to[P*k + o]) begin
            valid[o] = 1'b1;
            flit[o] = flit[o] | sum_flit[k];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin : stages
    if (!rst_ni) begin
      select_q <= '0;
      active_q <= '0;
      out_valid_o <= '0;
    end else begin
      for (int unsigned o = 0; o < P; o++) select_q[P*o +: P] <= select[o];
      active_q <= {active_q[STAGES-2:0], in_valid_i != '0};
      out_valid_o <= valid;
    end
  end

  for (genvar p = 0; p < P; p++) begin : gen_flits
    gated_registers #(.WIDTH(FLIT_W)) i_in (
      .clk_i,
      .en_i     (in_valid_i[p] && !write[p]),
      .test_en_i(1'b0),  // no scan chain
      .d_i      (in_flit_i[FLIT_W*p +: FLIT_W]),
      .q_o      (flit_q[FLIT_W*p +: FLIT_W])
    );
    gated_registers #(.WIDTH(FLIT_W)) i_out (
      .clk_i,
      .en_i     (valid[p]),
      .test_en_i(1'b0),  // no scan chain
      .d_i      (flit[p]),
      .q_o      (out_flit_o[FLIT_W*p +: FLIT_W])
    );
  end

  assign busy_o = !table_idle || !drained || adder_busy != '0 || active_q != '0 || out_valid_o != '0;

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] partly, many, read_twice;
    if (rst_ni && (in_valid_i | write) != '0) begin
      for (int unsigned f = 0; f < P; f++) begin
        partly[f] = (inputs[f] & write) != '0 && (inputs[f] & ~write) != '0;
      end
      sum_has_all_inputs: assert (partly == '0);
    end
    if (rst_ni && (select_q != '0 || adder_busy != '0)) begin
      for (int unsigned o = 0; o < P; o++) begin
        many[o] = |(select_q[P*o +: P] & (select_q[P*o +: P] - P'(1)));
        read_twice[o] = 1'b0;
      end
      for (int unsigned k = 0; k < ADDERS; k++) begin
        for (int unsigned o = 0; o < P; o++) begin
          many[o] = many[o] || (sum_to[P*k + o] && select_q[P*o +: P] != '0);
          for (int unsigned l = 0; l < k; l++) begin
            many[o] = many[o] || (sum_to[P*k + o] && sum_to[P*l + o]);
            read_twice[o] = read_twice[o] || (read[k][o] && read[l][o]);
          end
        end
      end
      one_flit_per_output: assert (many == '0);
      one_read_per_input: assert (read_twice == '0);
    end
  end

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      all_adders_at_work: cover (active == '1);
      sum_beside_a_unicast: cover (sum_to != '0 && select_q != '0);
      output_closed_to_unicasts: cover (closed_o != '0);
    end
  end
endmodule
