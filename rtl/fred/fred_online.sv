// Online routing of unicasts, beside the phase in use (§5: the default header index).
//
// A flit of phase PHASE_ONLINE goes to the output port that the routing table has for its destination. The
// interconnect is a pipeline: flits that enter it at different edges never meet. So nothing is set up
// and torn down: at every edge the flits that enter are matched to outputs and given ways that do not
// touch, and each carries its way along in its header.
// One clock edge; everything is judged by the state before it:
//   1. The phase goes first (fred_control): its inputs, outputs and paths of this edge are taken.
//   2. VC by VC in the order control, MP, PP, DP: a front asks for its output when all of these hold, in this
//      order (the first that fails is the reason of a stall). A front starts a packet when the flit before
//      it of its input and VC was a tail; a tail is what the switch saw last, so at reset too.
//        credit   a packet start: the staging of (output, VC) has room for a whole packet.
//        arbiter  a packet start: no online packet is open on (output, VC), nor one of the phase; neither the
//                 input nor the output is taken at this edge.
//      Every output grants one: the first input at or after its pointer for this VC, cyclically.
//   3. Granted fronts, of all VCs, get their ways, output by output from a rotating first one on: level by
//      level, the lowest middle sub-network that is free of other flits at both edge µSwitches. With
//      M >= 3 there is always one (each of the two µSwitches has one other port); with M = 2 there may be
//      none: then the front stays, also counted as arbiter, and another output is the first next time.
//   4. A packet start opens (output, VC) until the tail and moves the pointer to the input after its own.
// Latency: unloaded the same as with its phase active, stages(P) + 2 edges from the input buffer to the link.
// Fairness: round robin by packets among the inputs of an output and VC; VCs by priority. A phase that
//   uses an output at every edge keeps online unicasts of its VC from it.
// Routing table: register r, 0 to MAX_ROUTES - 1, is 1 + output port for destination r, or 0: none. A packet
//   start without a route stays at the front for ever, error_route_o tells. Written before the traffic.
// Without an online front nothing in here changes.
module fred_online #(
  /// ports of the switch
  parameter int unsigned P = 12,
  /// middle sub-networks
  parameter int unsigned M = 3,
  /// bits of what is put into a header, derived: flag, output port, path
  localparam int unsigned WAY_W = 1 + fred_pkg::OUT_W + fred_pkg::PATH_W
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // input units; the front of VC v at input p is bit 4p+v
  input  logic [4*P-1:0]     online_i,
  input  logic [64*P-1:0]    front_dst_i,
  output logic [P-1:0]       pop_o,
  output logic [2*P-1:0]     pop_vc_o,
  output logic [P*WAY_W-1:0] way_o,
  input  logic [P-1:0]       pop_tail_i,
  // output units; room of VC v at output p is bit 4p+v, and so is locked: an online packet is open
  input  logic [4*P-1:0]     room_i,
  output logic [P-1:0]       reserve_o,
  output logic [2*P-1:0]     reserve_vc_o,
  output logic [4*P-1:0]     locked_o,
  // what the phase does at this edge, and the outputs at which it is inside a packet
  input  logic [P-1:0]       phase_pop_i,
  input  logic [P-1:0]       phase_reserve_i,
  input  logic [P-1:0]       phase_held_i,
  input  logic [1:0]         phase_vc_i,
  input  logic [8*P-1:0]     in_path_i,
  input  logic [8*P-1:0]     out_path_i,
  // routing table
  input  logic               route_access_i,
  input  logic               route_write_i,
  input  logic [9:0]         route_addr_i,
  input  logic [5:0]         route_wdata_i,
  output logic [5:0]         route_rdata_o,
  // events of this cycle, for the counters
  output logic [7:0]         stall_credit_o,
  output logic [7:0]         stall_arbiter_o,
  output logic               error_route_o
);
  localparam int unsigned PORT_W = $clog2(P);

  logic [5:0]          route_q [noc_pkg::MAX_ROUTES];
  logic [31:0]         written_q [noc_pkg::MAX_ROUTES / 32];  // routes since reset
  // Per (input, VC), index 4p+v: inside a packet, and the output it goes to. Per (output, VC), index 4p+v:
  // inside a packet; round-robin pointer.
  logic [4*P-1:0]      begun_q, locked_q;
  logic [4*P*PORT_W-1:0] out_q, pointer_q;
  logic [PORT_W-1:0]   first_q;

  // ------------------------------------------------------------------ matching
  logic [P-1:0]        in_busy, out_busy, granted, taken, past, matched;
  logic [8*P-1:0]      in_path, out_path;
  logic [P*PORT_W-1:0] winner, out_of;   // input of an output, output of an input
  logic [4*P-1:0]      lack, routed;
  logic [PORT_W-1:0]   in, out;
  logic [15:0]         dst;
  logic [5:0]          route;
  logic                later, found;
  logic [7:0]          path;
  logic [3:0]          used;
  logic [1:0]          middle;
  logic [5:0]          turn;

  always_comb begin
    in_busy = phase_pop_i;
    out_busy = phase_reserve_i;
    in_path = in_path_i;
    out_path = out_path_i;
    pop_o = '0;
    pop_vc_o = '0;
    way_o = '0;
    reserve_o = '0;
    reserve_vc_o = '0;
    out_of = '0;
    winner = '0;
    granted = '0;
    taken = '0;
    past = '0;
    lack = '0;
    routed = '0;
    in = '0;
    out = '0;
    dst = '0;
    route = '0;
    matched = '0;
    later = 1'b0;
    found = 1'b0;
    path = '0;
    used = '0;
    middle = '0;
    turn = '0;
    if (online_i != '0) begin
      for (int unsigned rank = 0; rank < 4; rank++) begin
        for (int unsigned v = 0; v < 4; v++) begin
          if (2'(v) == noc_pkg::VC_PRIORITY[2*rank +: 2] && (online_i & {P{4'd1 << v}}) != '0) begin
            granted = '0;
            taken = '0;
            past = '0;
            for (int unsigned p = 0; p < P; p++) begin
              if (online_i[4*p + v]) begin
                dst = front_dst_i[64*p + 16*(v) +: 16];
                route = (dst < 16'(noc_pkg::MAX_ROUTES) && written_q[dst[9:5]][dst[4:0]])
                            ? route_q[dst[9:0]] : '0;
                routed[4*p + v] = begun_q[4*p + v] || (route != '0 && route <= 6'(P));
                out = begun_q[4*p + v] ? out_q[(4*p + v)*PORT_W +: PORT_W]
                                           : PORT_W'(route - 6'd1);
                if (routed[4*p + v]) begin
                  lack[4*p + v] = !begun_q[4*p + v] && !room_i[4*32'(out) + v];
                  later = PORT_W'(p) >= pointer_q[(4*32'(out) + v)*PORT_W +: PORT_W];
                  // The first one that asks, until the first one at or after the pointer.
                  if (!lack[4*p + v] && !in_busy[p] && !out_busy[out] &&
                      (begun_q[4*p + v] ||
                       (!locked_q[4*32'(out) + v] &&
                        !(phase_held_i[out] && phase_vc_i == 2'(v)))) &&
                      (!granted[out] || (later && !past[out]))) begin
                    if (granted[out]) taken[winner[32'(out)*PORT_W +: PORT_W]] = 1'b0;
                    taken[p] = 1'b1;
                    granted[out] = 1'b1;
                    past[out] = later;
                    winner[32'(out)*PORT_W +: PORT_W] = PORT_W'(p);
                    pop_vc_o[2*p +: 2] = 2'(v);
                    reserve_vc_o[2*32'(out) +: 2] = 2'(v);
                  end
                end
              end
            end
            in_busy = in_busy | taken;
            out_busy = out_busy | granted;
          end
        end
      end
      // The ways. From here on "busy" are the ports of flits that have one.
      matched = out_busy & ~phase_reserve_i;
      in_busy = phase_pop_i;
      out_busy = phase_reserve_i;
      for (int unsigned i = 0; i < P; i++) begin
        turn = 6'(first_q) + 6'(i);
        out = PORT_W'((turn >= 6'(P)) ? turn - 6'(P) : turn);
        if (matched[out]) begin
          in = winner[32'(out)*PORT_W +: PORT_W];
          path = '0;
          found = 1'b1;
          for (int unsigned level = 0; level < fred_pkg::levels(P); level++) begin
            // Flits whose ways share the edge µSwitches of this level with ours.
            used = '0;
            for (int unsigned q = 0; q < P; q++) begin
              if (in_busy[q] && (q >> (level + 1)) == (32'(in) >> (level + 1)) &&
                  ((in_path[8*q +: 8] ^ path) & 8'((1 << (2 * level)) - 1)) == '0) begin
                used[in_path[8*q + 2*level +: 2]] = 1'b1;
              end
              if (out_busy[q] && (q >> (level + 1)) == (32'(out) >> (level + 1)) &&
                  ((out_path[8*q +: 8] ^ path) & 8'((1 << (2 * level)) - 1)) == '0) begin
                used[out_path[8*q + 2*level +: 2]] = 1'b1;
              end
            end
            middle = !used[0] ? 2'd0 : !used[1] ? 2'd1 : !used[2] ? 2'd2 : 2'd3;
            if (used[middle] || 32'(middle) >= M) found = 1'b0;
            path[2*level +: 2] = middle;
          end
          if (found) begin
            in_busy[in] = 1'b1;
            out_busy[out] = 1'b1;
            in_path[8*32'(in) +: 8] = path;
            out_path[8*32'(out) +: 8] = path;
            pop_o[in] = 1'b1;
            way_o[WAY_W*32'(in) +: WAY_W] = {path, 5'(out), 1'b1};
            out_of[32'(in)*PORT_W +: PORT_W] = out;
            reserve_o[out] = 1'b1;
          end
        end
      end
    end
  end

  always_comb begin
    stall_credit_o = '0;
    stall_arbiter_o = '0;
    error_route_o = 1'b0;
    if (online_i != '0) begin
      stall_credit_o = 8'($countones(lack));
      stall_arbiter_o = 8'($countones(routed & ~lack)) - 8'($countones(pop_o));
      error_route_o = (online_i & ~routed) != '0;
    end
  end

  assign locked_o = locked_q;

  always_ff @(posedge clk_i) begin : update
    logic [PORT_W-1:0] to;
    logic [1:0]        vc;
    if (!rst_ni) begin
      begun_q <= '0;
      locked_q <= '0;
      out_q <= '0;
      pointer_q <= '0;
      first_q <= '0;
      for (int unsigned i = 0; i < noc_pkg::MAX_ROUTES / 32; i++) written_q[i] <= '0;
      route_rdata_o <= '0;
    end else begin
      if (pop_o != '0) begin
        for (int unsigned p = 0; p < P; p++) begin
          if (pop_o[p]) begin
            to = out_of[p*PORT_W +: PORT_W];
            vc = pop_vc_o[2*p +: 2];
            if (!begun_q[4*p + 32'(vc)]) begin
              out_q[(4*p + 32'(vc))*PORT_W +: PORT_W] <= to;
              pointer_q[(4*32'(to) + 32'(vc))*PORT_W +: PORT_W] <=
                  (p == P - 1) ? '0 : PORT_W'(p + 1);
            end
            begun_q[4*p + 32'(vc)] <= !pop_tail_i[p];
            locked_q[4*32'(to) + 32'(vc)] <= !pop_tail_i[p];
          end
        end
      end
      if (matched != reserve_o) first_q <= (first_q == PORT_W'(P - 1)) ? '0 : first_q + PORT_W'(1);
      if (route_access_i && route_write_i) begin
        route_q[route_addr_i] <= route_wdata_i;
        written_q[route_addr_i[9:5]] <= written_q[route_addr_i[9:5]] | 32'd1 << route_addr_i[4:0];
      end
      if (route_access_i && !route_write_i) begin
        route_rdata_o <= written_q[route_addr_i[9:5]][route_addr_i[4:0]] ? route_q[route_addr_i] : '0;
      end
    end
  end

  // ------------------------------------------------------------------ assertions
  always_ff @(posedge clk_i) begin : assertions
    logic [P-1:0] wrong;
    if (rst_ni && pop_o != '0) begin
      for (int unsigned p = 0; p < P; p++) wrong[p] = pop_o[p] && !online_i[4*p + 32'(pop_vc_o[2*p +: 2])];
      pop_takes_a_front: assert (wrong == '0);
      phase_goes_first: assert ((pop_o & phase_pop_i) == '0 && (reserve_o & phase_reserve_i) == '0);
      one_output_per_flit: assert ($countones(pop_o) == $countones(reserve_o));
    end
  end
endmodule
