// Input buffers, allocator, crossbar and credits of a mesh_router: everything that moves a flit.
//
// One clock edge, in this order. "Front" is the oldest flit of an input buffer (input port, VC); it starts a
// packet when the flit before it was a tail. Everything is judged by the state before the edge and by the
// pins sampled at it.
//   1. Allocation, VC by VC in the order control, MP, PP, DP. A front of the VC with a route asks for its
//      output when all of these hold, in this order (the first that fails is the reason of a stall):
//        credit   a packet start: the receiver has room for a whole packet, i.e. credits >= need; another
//                 flit: credits >= 1. A credit arriving at this edge counts.
//        packet   a packet start: no other packet is open on (output, VC).
//        link     out_ready_i of the output is high.
//        ports    neither its input nor its output has been given away by a VC earlier in the order.
//      Every output grants one of those that ask: the first input port at or after its pointer for this
//      VC, cyclically. (Of an open packet only its own input asks.) No VC gives a port away twice.
//   2. Each granted front leaves: it goes to the output register, one credit of (output, VC) is spent, one is
//      returned for (input, VC). A packet start opens (output, VC) and sets the pointer to the input after
//      its own; a tail closes it.
//   3. Arriving flits enter their buffers; one that finds the buffer full before the edge is dropped.
// need: 1 on the control VC, whose packets are one flit; else PACKET_FLITS, or the receiver's depth where
//   that is smaller, but at least 1. A packet longer than need is carried too, without the promise that it
//   never stops half way.
// Route: taken by the flit that starts a packet (its head bit is not looked at), kept to the tail. A packet
//   start without a route stays at the front for ever, error_route_o tells.
// Stalls, of the edge before: stall_credit_o counts the fronts that failed `credit`; stall_arbiter_o those
//   that failed `packet` or `ports` or were not granted; stall_link_o has a bit per output port for which
//   at least one front failed `link`.
// Timing: a flit sampled at edge e can leave at edge e + 1. All outputs are registers, but idle_o: no flit
//   buffered and none on out_valid_o; an edge without inputs then changes nothing.
// Written as one clocked process because the decision needs pins of the same edge: a simulator then
//   evaluates it once per cycle. Masks over (VC, port) have bit v*P+p.
module mesh_crossbar #(
  /// local ports, to the NPU
  parameter int unsigned NUM_LOCAL = 4,
  /// I/O ports
  parameter int unsigned NUM_IO = 2,
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// input buffer of each data VC in flits
  parameter int unsigned VC_DEPTH = 80,
  /// input buffer of the control VC in flits
  parameter int unsigned CTRL_DEPTH = 4,
  /// flits of the longest data packet
  parameter int unsigned PACKET_FLITS = 8,
  /// ports, derived
  localparam int unsigned P = mesh_pkg::FIRST_LOCAL + NUM_LOCAL + NUM_IO,
  /// bits of a flit, derived
  localparam int unsigned FLIT_W = fred_pkg::flit_w(LANES),
  /// bits of an index over (VC, port), derived
  localparam int unsigned INDEX_W = $clog2(4 * P)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // links
  input  logic [P-1:0]        in_valid_i,
  input  logic [P*FLIT_W-1:0] in_flit_i,
  output logic [4*P-1:0]      in_credit_o,
  output logic [P-1:0]        out_valid_o,
  output logic [P*FLIT_W-1:0] out_flit_o,
  input  logic [P-1:0]        out_ready_i,
  input  logic [4*P-1:0]      out_credit_i,
  // registers: position of the router; credits and with them the receiver's depth
  input  logic [5:0]          x_i,
  input  logic [5:0]          y_i,
  input  logic                credit_write_i,
  input  logic [INDEX_W-1:0]  credit_index_i,
  input  logic [15:0]         credit_wdata_i,
  output logic [64*P-1:0]     credits_o,
  // events and status
  output logic [7:0]          stall_credit_o,
  output logic [7:0]          stall_arbiter_o,
  output logic [P-1:0]        stall_link_o,
  output logic                error_overflow_o,
  output logic                error_route_o,
  output logic                idle_o
);
  localparam int unsigned PORT_W = $clog2(P);
  localparam int unsigned TOTAL = 3 * VC_DEPTH + CTRL_DEPTH;  // slots of one input port
  localparam int unsigned SLOT_W = $clog2(TOTAL + 1);
  localparam int unsigned NEED_W = $clog2(PACKET_FLITS + 1);
  localparam int unsigned SIDE_W = PORT_W + 2;

  // Buffers. Port p has the slots {p, 0} to {p, TOTAL-1}; in them VC v starts at v*VC_DEPTH. The side memory
  // has what the allocator wants to know about a flit: output port, no route, tail.
  logic [FLIT_W-1:0] flit_mem_q [P << SLOT_W];
  logic [SIDE_W-1:0] side_mem_q [P << SLOT_W];
  localparam int unsigned NONE_BIT = 1;
  localparam int unsigned TAIL_BIT = 0;

  // Per input port four entries, VC 0 lowest: flits held, slot of the front, next free slot, output port of
  // the front.
  logic [P*4*SLOT_W-1:0] count_q, first_q, free_q;
  logic [P*4*PORT_W-1:0] route_q;
  // Over (VC, input port): a front is there, it has no route, it is a tail, its packet has begun to leave.
  logic [4*P-1:0]        front_q, none_q, tail_q, begun_q;
  // Over (VC, output port): a packet is open; credits >= 1, >= need, >= need - 1; round-robin pointer.
  logic [4*P-1:0]        open_q, some_q, packet_q, nearly_q;
  logic [4*P*PORT_W-1:0] pointer_q;
  logic [64*P-1:0]       credits_q;
  logic [4*P*NEED_W-1:0] need_q;

  localparam logic [4*SLOT_W-1:0] BASES = {SLOT_W'(3 * VC_DEPTH), SLOT_W'(2 * VC_DEPTH),
                                           SLOT_W'(VC_DEPTH), SLOT_W'(0)};
  localparam logic [4*SLOT_W-1:0] LASTS = {SLOT_W'(TOTAL - 1), SLOT_W'(3 * VC_DEPTH - 1),
                                           SLOT_W'(2 * VC_DEPTH - 1), SLOT_W'(VC_DEPTH - 1)};
  localparam logic [4*SLOT_W-1:0] DEPTHS = {SLOT_W'(CTRL_DEPTH), {3{SLOT_W'(VC_DEPTH)}}};
  localparam int unsigned DATA_NEED = (PACKET_FLITS < VC_DEPTH) ? PACKET_FLITS : VC_DEPTH;

  assign credits_o = credits_q;
  assign idle_o = front_q == '0 && out_valid_o == '0;

  always_ff @(posedge clk_i) begin : update
    logic [4*P-1:0]      some, packet, front, none, tail, begun, open, launch, changed;
    logic [P-1:0]        in_free, out_free, in_taken, granted, past, link;
    logic [P*PORT_W-1:0] winner;
    logic [2*P-1:0]      in_vc;
    logic [7:0]          fronts, no_credit, paused, moves;
    logic [PORT_W-1:0]   out;
    logic [1:0]          vc;
    logic [4*SLOT_W-1:0] count, first, free;
    logic [4*PORT_W-1:0] route;
    logic [SLOT_W-1:0]   held, slot;
    logic [SIDE_W-1:0]   side;
    logic [FLIT_W-1:0]   flit;
    logic [5:0]          way;
    logic [15:0]         credit;
    logic [NEED_W-1:0]   need;
    if (!rst_ni) begin
      count_q <= '0;
      first_q <= {P{BASES}};
      free_q <= {P{BASES}};
      route_q <= '0;
      front_q <= '0;
      none_q <= '0;
      tail_q <= '0;
      begun_q <= '0;
      open_q <= '0;
      some_q <= '1;
      packet_q <= '1;
      nearly_q <= '1;
      pointer_q <= '0;
      credits_q <= {{P{16'(CTRL_DEPTH)}}, {3 * P{16'(VC_DEPTH)}}};
      need_q <= {{P{NEED_W'(1)}}, {3 * P{NEED_W'(DATA_NEED)}}};
      in_credit_o <= '0;
      out_valid_o <= '0;
      stall_credit_o <= '0;
      stall_arbiter_o <= '0;
      stall_link_o <= '0;
      error_overflow_o <= 1'b0;
      error_route_o <= 1'b0;
    end else begin
      in_credit_o <= '0;
      out_valid_o <= '0;
      error_overflow_o <= 1'b0;
      error_route_o <= (front_q & none_q) != '0;
      front = front_q;
      none = none_q;
      tail = tail_q;
      begun = begun_q;
      open = open_q;
      launch = '0;

      // ---------------------------------------------------------------- 1. allocation
      in_taken = '0;
      in_vc = '0;
      link = '0;
      fronts = '0;
      no_credit = '0;
      paused = '0;
      moves = '0;
      if (front_q != '0) begin
        some = some_q | out_credit_i;
        packet = packet_q | (nearly_q & out_credit_i);
        out_free = '1;
        winner = '0;
        for (int unsigned k = 3; k < 7; k++) begin  // VC k % 4: control, MP, PP, DP
          if (front_q[(k % 4)*P +: P] != '0) begin
            in_free = ~in_taken;
            granted = '0;
            past = '0;
            for (int unsigned p = 0; p < P; p++) begin
              if (front_q[(k % 4)*P + p] && !none_q[(k % 4)*P + p]) begin
                out = route_q[(4*p + k % 4)*PORT_W +: PORT_W];
                fronts = fronts + 8'd1;
                if (begun_q[(k % 4)*P + p] ? !some[(k % 4)*P + 32'(out)]
                                           : !packet[(k % 4)*P + 32'(out)]) begin
                  no_credit = no_credit + 8'd1;
                end else if (begun_q[(k % 4)*P + p] || !open_q[(k % 4)*P + 32'(out)]) begin
                  if (!out_ready_i[out]) begin
                    link[out] = 1'b1;
                    paused = paused + 8'd1;
                  end else if (in_free[p] && out_free[out]) begin
                    // The first one that asks, until the first one at or after the pointer.
                    if (!granted[out]) begin
                      granted[out] = 1'b1;
                      past[out] = PORT_W'(p) >= pointer_q[((k % 4)*P + 32'(out))*PORT_W +: PORT_W];
                      winner[32'(out)*PORT_W +: PORT_W] = PORT_W'(p);
                      in_taken[p] = 1'b1;
                      in_vc[2*p +: 2] = 2'(k);
                      moves = moves + 8'd1;
                    end else if (!past[out] &&
                                 PORT_W'(p) >= pointer_q[((k % 4)*P + 32'(out))*PORT_W +: PORT_W])
                    begin
                      past[out] = 1'b1;
                      in_taken[winner[32'(out)*PORT_W +: PORT_W]] = 1'b0;
                      winner[32'(out)*PORT_W +: PORT_W] = PORT_W'(p);
                      in_taken[p] = 1'b1;
                      in_vc[2*p +: 2] = 2'(k);
                    end
                  end
                end
              end
            end
            out_free = out_free & ~granted;
          end
        end
      end
      stall_credit_o <= no_credit;
      stall_arbiter_o <= fronts - moves - no_credit - paused;
      stall_link_o <= link;

      // ---------------------------------------------------------------- 2. and 3. per input port
      for (int unsigned p = 0; p < P; p++) begin
        if (in_taken[p] || in_valid_i[p]) begin
          count = count_q[p*4*SLOT_W +: 4*SLOT_W];
          first = first_q[p*4*SLOT_W +: 4*SLOT_W];
          free = free_q[p*4*SLOT_W +: 4*SLOT_W];
          route = route_q[p*4*PORT_W +: 4*PORT_W];
          if (in_taken[p]) begin
            vc = in_vc[2*p +: 2];
            slot = first[32'(vc)*SLOT_W +: SLOT_W];
            out = route[32'(vc)*PORT_W +: PORT_W];
            flit = flit_mem_q[{PORT_W'(p), slot}];
            out_valid_o[out] <= 1'b1;
            for (int unsigned o = 0; o < P; o++) begin
              if (out == PORT_W'(o)) out_flit_o[o*FLIT_W +: FLIT_W] <= flit;
            end
            launch[32'(vc)*P + 32'(out)] = 1'b1;
            in_credit_o[32'(vc)*P + p] <= 1'b1;
            if (!begun[32'(vc)*P + p]) begin
              pointer_q[(32'(vc)*P + 32'(out))*PORT_W +: PORT_W] <=
                  (p == P - 1) ? '0 : PORT_W'(p + 1);
            end
            begun[32'(vc)*P + p] = !tail[32'(vc)*P + p];
            open[32'(vc)*P + 32'(out)] = !tail[32'(vc)*P + p];
            // The next front, if it is here already.
            held = count[32'(vc)*SLOT_W +: SLOT_W] - SLOT_W'(1);
            slot = (slot == LASTS[32'(vc)*SLOT_W +: SLOT_W]) ? BASES[32'(vc)*SLOT_W +: SLOT_W]
                                                              : slot + SLOT_W'(1);
            first[32'(vc)*SLOT_W +: SLOT_W] = slot;
            count[32'(vc)*SLOT_W +: SLOT_W] = held;
            if (held == '0) front[32'(vc)*P + p] = 1'b0;
            else begin
              side = side_mem_q[{PORT_W'(p), slot}];
              tail[32'(vc)*P + p] = side[TAIL_BIT];
              if (!begun[32'(vc)*P + p]) begin
                none[32'(vc)*P + p] = side[NONE_BIT];
                route[32'(vc)*PORT_W +: PORT_W] = side[2 +: PORT_W];
              end
            end
          end
          if (in_valid_i[p]) begin
            vc = in_flit_i[p*FLIT_W + fred_pkg::VC_LSB +: 2];
            slot = free[32'(vc)*SLOT_W +: SLOT_W];
            held = count[32'(vc)*SLOT_W +: SLOT_W];
            way = mesh_pkg::route_xy(x_i, y_i, in_flit_i[p*FLIT_W + fred_pkg::DST_LSB +: 16], p,
                                     NUM_LOCAL, NUM_IO);
            side = {way[PORT_W-1:0], way[5], in_flit_i[p*FLIT_W + fred_pkg::TAIL_BIT]};
            if (count_q[(4*p + 32'(vc))*SLOT_W +: SLOT_W] == DEPTHS[32'(vc)*SLOT_W +: SLOT_W]) begin
              error_overflow_o <= 1'b1;
            end else begin
              flit_mem_q[{PORT_W'(p), slot}] <= in_flit_i[p*FLIT_W +: FLIT_W];
              side_mem_q[{PORT_W'(p), slot}] <= side;
              free[32'(vc)*SLOT_W +: SLOT_W] = (slot == LASTS[32'(vc)*SLOT_W +: SLOT_W])
                                                   ? BASES[32'(vc)*SLOT_W +: SLOT_W]
                                                   : slot + SLOT_W'(1);
              count[32'(vc)*SLOT_W +: SLOT_W] = held + SLOT_W'(1);
              if (held == '0) begin
                front[32'(vc)*P + p] = 1'b1;
                tail[32'(vc)*P + p] = side[TAIL_BIT];
                if (!begun[32'(vc)*P + p]) begin
                  none[32'(vc)*P + p] = side[NONE_BIT];
                  route[32'(vc)*PORT_W +: PORT_W] = side[2 +: PORT_W];
                end
              end
            end
          end
          count_q[p*4*SLOT_W +: 4*SLOT_W] <= count;
          first_q[p*4*SLOT_W +: 4*SLOT_W] <= first;
          free_q[p*4*SLOT_W +: 4*SLOT_W] <= free;
          route_q[p*4*PORT_W +: 4*PORT_W] <= route;
        end
      end
      front_q <= front;
      none_q <= none;
      tail_q <= tail;
      begun_q <= begun;
      open_q <= open;

      // ---------------------------------------------------------------- credits
      changed = out_credit_i ^ launch;  // one gained and one spent leave the number as it is
      if (credit_write_i) changed[credit_index_i] = 1'b1;
      if (changed != '0) begin
        for (int unsigned v = 0; v < 4; v++) begin
          if (changed[v*P +: P] != '0) begin
            for (int unsigned i = v*P; i < (v + 1)*P; i++) begin
              if (changed[i]) begin
                credit = credits_q[16*i +: 16];
                need = need_q[NEED_W*i +: NEED_W];
                if (credit_write_i && credit_index_i == INDEX_W'(i)) begin
                  credit = credit_wdata_i;
                  if (v < 3) begin
                    need = (credit >= 16'(PACKET_FLITS)) ? NEED_W'(PACKET_FLITS)
                         : (credit == '0) ? NEED_W'(1) : NEED_W'(credit);
                    need_q[NEED_W*i +: NEED_W] <= need;
                  end
                end else if (out_credit_i[i]) credit = credit + 16'd1;
                else credit = credit - 16'd1;
                credits_q[16*i +: 16] <= credit;
                some_q[i] <= credit != '0;
                packet_q[i] <= credit >= 16'(need);
                nearly_q[i] <= credit + 16'd1 >= 16'(need);
              end
            end
          end
        end
      end
    end
  end
endmodule
