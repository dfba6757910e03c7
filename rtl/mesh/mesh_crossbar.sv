// Input buffers, allocator, crossbar and credits of a mesh_router: everything that moves a flit.
//
// One clock edge, in this order. "Front" is the oldest flit of an input buffer (input port, VC); it starts a
// packet when the flit before it was a tail. Everything is judged by the state before the edge and by the
// pins sampled at it.
//   1. Allocation, VC by VC in the order control, MP, PP, DP. A front of the VC with a route asks for its
//      output when all of these hold, in this order (the first that fails is the reason of a stall):
//        credit   a packet start: the receiver has room for a whole packet, i.e. credits >= need; on a ring
//                 see below; another flit: credits >= 1. A credit arriving at this edge counts.
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
// Rings, where columns_i (east and west) or rows_i (north and south) is not 0: flit bubble flow control. A
//   packet start that enters the ring, from a local or I/O port or turning into it, needs room for one flit more
//   than a packet, credits >= need + 1; one that goes straight on, from the opposite port, credits >= 1. So the
//   buffers around a ring always keep a free slot, into which the flit behind it can move: a ring never comes
//   to a standstill, whatever the lengths of its packets (up to need). (Whole packets' rooms in place of
//   slots would not do: short packets split the room for a long one.) A packet on a ring may stop half way.
//   Receivers on a ring must hold more than need.
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
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
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
  // registers: position of the router, sides of the rings; credits and with them the receiver's depth
  input  logic [5:0]          x_i,
  input  logic [5:0]          y_i,
  input  logic [6:0]          columns_i,
  input  logic [6:0]          rows_i,
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

  // Per (input port, VC), index 4p+v: flits held, slot of the front, next free slot, output port of the
  // front; a front is there, it has no route, it is a tail, its packet has begun to leave.
  logic [P*4*SLOT_W-1:0] count_q, first_q, free_q;
  logic [P*4*PORT_W-1:0] route_q;
  logic [4*P-1:0]        front_q, none_q, tail_q, begun_q;
  // Per (VC, output port), index v*P+p as on the pins: a packet is open; credits >= 1, >= need + 1, >= need,
  // >= need - 1; round-robin pointer; credits; need.
  logic [4*P-1:0]        open_q, some_q, more_q, packet_q, nearly_q;
  logic [4*P*PORT_W-1:0] pointer_q;
  logic [64*P-1:0]       credits_q;
  logic [4*P*NEED_W-1:0] need_q;

  localparam logic [4*SLOT_W-1:0] BASES = {SLOT_W'(3 * VC_DEPTH), SLOT_W'(2 * VC_DEPTH),
                                           SLOT_W'(VC_DEPTH), SLOT_W'(0)};
  localparam logic [4*SLOT_W-1:0] LASTS = {SLOT_W'(TOTAL - 1), SLOT_W'(3 * VC_DEPTH - 1),
                                           SLOT_W'(2 * VC_DEPTH - 1), SLOT_W'(VC_DEPTH - 1)};
  localparam logic [4*SLOT_W-1:0] DEPTHS = {SLOT_W'(CTRL_DEPTH), {3{SLOT_W'(VC_DEPTH)}}};
  localparam int unsigned DATA_NEED = (PACKET_FLITS < VC_DEPTH) ? PACKET_FLITS : VC_DEPTH;

  logic [P-1:0] ring;  // output ports that lead into one
  assign ring = P'({columns_i != '0, rows_i != '0, columns_i != '0, rows_i != '0});
  assign credits_o = credits_q;
  assign idle_o = front_q == '0 && out_valid_o == '0;

  always_ff @(posedge clk_i) begin : update
    // Allocation: over outputs, over inputs, over fronts (4p+v), over pins (v*P+p).
    logic [P-1:0]        out_free, granted, past, link, starts, tails;
    logic [P*PORT_W-1:0] winner;
    logic [P-1:0]        in_free, in_taken;
    logic [2*P-1:0]      in_vc;
    logic [4*P-1:0]      lack, pause, standing;
    logic [4*P-1:0]      some, more, packet, launch, freed, changed;
    logic                able, later;
    logic [PORT_W-1:0]   out;
    // One input port: its four VCs, and what is read from it.
    logic [4*SLOT_W-1:0] count, first, free;
    logic [4*PORT_W-1:0] route;
    logic [3:0]          front, none, tail, begun;
    logic [P*FLIT_W-1:0] read;
    logic [1:0]          vc;
    logic [SLOT_W-1:0]   held, slot;
    logic [SIDE_W-1:0]   side;
    logic [5:0]          way;
    logic                last, fresh;
    // One output VC.
    logic [15:0]         credit;
    logic [4*P-1:0]      unpaid;
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
      more_q <= {{P{CTRL_DEPTH > 1}}, {3 * P{VC_DEPTH > PACKET_FLITS}}};
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
      // ---------------------------------------------------------------- 1. allocation
      standing = front_q & ~none_q;
      some = some_q | out_credit_i;
      packet = packet_q | (nearly_q & out_credit_i);
      more = more_q | (packet_q & out_credit_i);
      in_taken = '0;
      in_vc = '0;
      out_free = '1;
      winner = '0;
      lack = '0;
      pause = '0;
      link = '0;
      launch = '0;
      freed = '0;
      for (int unsigned rank = 0; rank < 4; rank++) begin
        for (int unsigned v = 0; v < 4; v++) begin
          if (2'(v) == noc_pkg::VC_PRIORITY[2*rank +: 2] && (standing & {P{4'd1 << v}}) != '0) begin
            in_free = ~in_taken;
            granted = '0;
            past = '0;
            for (int unsigned p = 0; p < P; p++) begin
              if (standing[4*p + v]) begin
                out = route_q[(4*p + v)*PORT_W +: PORT_W];
                able = begun_q[4*p + v] || !open_q[v*P + 32'(out)];
                if (begun_q[4*p + v] || (ring[out] && p < mesh_pkg::FIRST_LOCAL &&
                                             out == PORT_W'(p ^ 2))) begin  // on a ring, straight on
                  lack[4*p + v] = !some[v*P + 32'(out)];
                end else begin
                  lack[4*p + v] = ring[out] ? !more[v*P + 32'(out)]
                                                : !packet[v*P + 32'(out)];
                end
                pause[4*p + v] = able && !out_ready_i[out] && !lack[4*p + v];
                link[out] = link[out] | pause[4*p + v];
                later = PORT_W'(p) >= pointer_q[(v*P + 32'(out))*PORT_W +: PORT_W];
                // The first one that asks, until the first one at or after the pointer.
                if (able && !lack[4*p + v] && out_ready_i[out] && in_free[p] && out_free[out] &&
                    (!granted[out] || (later && !past[out]))) begin
                  if (granted[out]) in_taken[winner[32'(out)*PORT_W +: PORT_W]] = 1'b0;
                  granted[out] = 1'b1;
                  past[out] = later;
                  winner[32'(out)*PORT_W +: PORT_W] = PORT_W'(p);
                  in_taken[p] = 1'b1;
                  in_vc[2*p +: 2] = 2'(v);
                end
              end
            end
            out_free = out_free & ~granted;
            launch[v*P +: P] = granted;
            freed[v*P +: P] = in_taken & in_free;
          end
        end
      end
      out_valid_o <= ~out_free;
      in_credit_o <= freed;
      stall_credit_o <= 8'($countones(lack));
      stall_arbiter_o <= 8'($countones(standing & ~lack & ~pause)) - 8'($countones(in_taken));
      stall_link_o <= link;
      error_route_o <= (front_q & none_q) != '0;

      // ---------------------------------------------------------------- 2. and 3. per input port
      error_overflow_o <= 1'b0;
      for (int unsigned p = 0; p < P; p++) begin
        read[p*FLIT_W +: FLIT_W] = 'x;  // looked at only where written below
        if (in_taken[p] || in_valid_i[p]) begin
          count = count_q[p*4*SLOT_W +: 4*SLOT_W];
          first = first_q[p*4*SLOT_W +: 4*SLOT_W];
          free = free_q[p*4*SLOT_W +: 4*SLOT_W];
          route = route_q[p*4*PORT_W +: 4*PORT_W];
          front = front_q[4*p +: 4];
          none = none_q[4*p +: 4];
          tail = tail_q[4*p +: 4];
          begun = begun_q[4*p +: 4];
          if (in_taken[p]) begin
            vc = in_vc[2*p +: 2];
            slot = first[32'(vc)*SLOT_W +: SLOT_W];
            read[p*FLIT_W +: FLIT_W] = flit_mem_q[{PORT_W'(p), slot}];
            held = count[32'(vc)*SLOT_W +: SLOT_W] - SLOT_W'(1);
            last = tail[vc];
            // The next front; where there is none yet, what is taken over here means nothing.
            slot = (slot == LASTS[32'(vc)*SLOT_W +: SLOT_W]) ? BASES[32'(vc)*SLOT_W +: SLOT_W]
                                                              : slot + SLOT_W'(1);
            side = side_mem_q[{PORT_W'(p), slot}];
            count[32'(vc)*SLOT_W +: SLOT_W] = held;
            first[32'(vc)*SLOT_W +: SLOT_W] = slot;
            front[vc] = held != '0;
            begun[vc] = !last;
            tail[vc] = side[TAIL_BIT];
            if (last) begin
              none[vc] = side[NONE_BIT];
              route[32'(vc)*PORT_W +: PORT_W] = side[2 +: PORT_W];
            end
          end
          if (in_valid_i[p]) begin
            vc = in_flit_i[p*FLIT_W + noc_pkg::VC_LSB +: 2];
            slot = free[32'(vc)*SLOT_W +: SLOT_W];
            held = count[32'(vc)*SLOT_W +: SLOT_W];
            fresh = held == '0 && !begun[vc];
            way = mesh_pkg::route_xy(x_i, y_i, columns_i, rows_i,
                                     in_flit_i[p*FLIT_W + noc_pkg::DST_LSB +: 16], p,
                                     NUM_LOCAL, NUM_IO);
            side = {PORT_W'(way[4:0]), way[5], in_flit_i[p*FLIT_W + noc_pkg::TAIL_BIT]};
            if (count_q[(4*p + 32'(vc))*SLOT_W +: SLOT_W] == DEPTHS[32'(vc)*SLOT_W +: SLOT_W]) begin
              error_overflow_o <= 1'b1;
            end else begin
              flit_mem_q[{PORT_W'(p), slot}] <= in_flit_i[p*FLIT_W +: FLIT_W];
              side_mem_q[{PORT_W'(p), slot}] <= side;
              free[32'(vc)*SLOT_W +: SLOT_W] = (slot == LASTS[32'(vc)*SLOT_W +: SLOT_W])
                                                   ? BASES[32'(vc)*SLOT_W +: SLOT_W]
                                                   : slot + SLOT_W'(1);
              count[32'(vc)*SLOT_W +: SLOT_W] = held + SLOT_W'(1);
              front[vc] = 1'b1;
              tail[vc] = (held == '0) ? side[TAIL_BIT] : tail[vc];
              none[vc] = fresh ? side[NONE_BIT] : none[vc];
              route[32'(vc)*PORT_W +: PORT_W] = fresh ? side[2 +: PORT_W]
                                                      : route[32'(vc)*PORT_W +: PORT_W];
            end
          end
          count_q[p*4*SLOT_W +: 4*SLOT_W] <= count;
          first_q[p*4*SLOT_W +: 4*SLOT_W] <= first;
          free_q[p*4*SLOT_W +: 4*SLOT_W] <= free;
          route_q[p*4*PORT_W +: 4*PORT_W] <= route;
          front_q[4*p +: 4] <= front;
          none_q[4*p +: 4] <= none;
          tail_q[4*p +: 4] <= tail;
          begun_q[4*p +: 4] <= begun;
        end
      end

      // ---------------------------------------------------------------- 2. per output port
      starts = '0;
      tails = '0;
      for (int unsigned o = 0; o < P; o++) begin
        if (!out_free[o]) begin
          out = winner[o*PORT_W +: PORT_W];  // the input, for once
          vc = in_vc[32'(out)*2 +: 2];
          out_flit_o[o*FLIT_W +: FLIT_W] <= read[32'(out)*FLIT_W +: FLIT_W];
          starts[o] = !begun_q[{out, vc}];
          tails[o] = tail_q[{out, vc}];
        end
      end
      open_q <= (open_q | launch) & ~(launch & {4{tails}});
      if (starts != '0) begin
        for (int unsigned i = 0; i < 4 * P; i++) begin
          if (launch[i] && starts[i % P]) begin
            out = winner[(i % P)*PORT_W +: PORT_W];
            pointer_q[i*PORT_W +: PORT_W] <= (out == PORT_W'(P - 1)) ? '0 : out + PORT_W'(1);
          end
        end
      end

      // ---------------------------------------------------------------- credits
      changed = out_credit_i ^ launch;  // one gained and one spent leave the number as it is
      if (credit_write_i) changed[credit_index_i] = 1'b1;
      unpaid = '0;
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
                else begin
                  unpaid[i] = credit == '0;
                  credit = credit - 16'd1;
                end
                credits_q[16*i +: 16] <= credit;
                some_q[i] <= credit != '0;
                more_q[i] <= credit > 16'(need);
                packet_q[i] <= credit >= 16'(need);
                nearly_q[i] <= credit + 16'd1 >= 16'(need);
              end
            end
          end
        end
      end
      launch_has_a_credit: assert (unpaid == '0);
    end
  end

  // ------------------------------------------------------------------ assertions, of the edge before
  always_ff @(posedge clk_i) begin : assertions
    logic [4*P-1:0] deeper, stale, flags;
    if (rst_ni && (out_valid_o != '0 || in_credit_o != '0)) begin
      for (int unsigned p = 0; p < P; p++) begin
        for (int unsigned v = 0; v < 4; v++) begin
          deeper[4*p + v] = count_q[(4*p + v)*SLOT_W +: SLOT_W] > DEPTHS[v*SLOT_W +: SLOT_W];
          stale[4*p + v] = front_q[4*p + v] != (count_q[(4*p + v)*SLOT_W +: SLOT_W] != '0);
          flags[v*P + p] = some_q[v*P + p] != (credits_q[(v*P + p)*16 +: 16] != '0);
        end
      end
      count_within_depth: assert (deeper == '0);
      front_where_flits_are: assert (stale == '0);
      flags_follow_credits: assert (flags == '0);
      one_credit_per_flit: assert ($countones(out_valid_o) == $countones(in_credit_o));
    end
  end
endmodule
