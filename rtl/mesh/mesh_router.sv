// A router of the 2D mesh or torus: X-Y routing, virtual cut-through, four virtual channels with credits.
//
// Ports: P = 4 + NUM_LOCAL + NUM_IO in the order north, east, south, west, local, I/O. An NPU is its own
//   router and sends on all its links at once, hence several local ports.
// Path of a flit: link -> input buffer of its VC -> output register -> link. A flit sampled on in_flit_i at
//   edge e is on out_flit_o after edge e + 1 when nothing is in its way; a port carries one flit per
//   cycle in each direction. What happens at an edge, in which order and who wins: mesh_crossbar. Where a
//   packet goes: mesh_pkg::route_xy, with the position in register REG_POSITION and the sides of the rings in
//   REG_TORUS (0 after reset: a mesh).
// Links: in_valid_i / in_flit_i without ready, credits back on in_credit_o (bit v*P+p: a slot of VC v of input
//   port p was freed at the edge before); out_valid_o / out_flit_o launched only at edges where out_ready_i
//   was high, a credit was there, and, for the first flit of a packet, credits for the whole packet (on
//   rings: mesh_crossbar);
//   out_credit_i bit v*P+p gives a credit, usable at the same edge. All outputs are registers or, idle_o
//   and reg_rdata_o, functions of registers. Words of out_flit_o are meaningful where out_valid_o is set.
// Flits: noc_pkg. A packet is the flits of one (input port, VC) up to a tail.
// Registers (reg_*): sc_models/switch/register_map.h; one request per cycle, reg_rdata_o follows the edge
//   that samples a read, other addresses read 0. Position, rings and credits are written while no traffic flows.
//   Credits read as those at hand. Counters:
//     flits in, flits out     per port
//     stall credit            cycles x (input port, VC): the flit at the front lacks credits
//     stall arbiter           cycles x (input port, VC): it has them, but another packet has the output VC, or
//                             the output or the input port goes to another flit in this cycle
//     stall link              cycles x output port: a flit has credits and the output VC, but the link's pacing
//                             (out_ready_i low) lets none go; such flits count in no other counter
//   Flits in are in their counter after the edge that samples them, all others one edge after the event.
// idle_o: no flit buffered or on an output; a clock edge without inputs then changes no state.
// error_o: first error code seen, sticky: noc_pkg::ERROR_OVERFLOW (the flit is dropped; told from the second
//   edge on, counting the one that dropped it) or ERROR_ROUTE (the packet stays where it is; told from the
//   third edge on, counting the one after which it is at the front). Overflow wins when both come at once.
module mesh_router #(
  /// local ports, to the NPU, 1 or more
  parameter int unsigned NUM_LOCAL = 4,
  /// I/O ports, 0 to 15
  parameter int unsigned NUM_IO = 2,
  /// lanes physically carried per flit, 1 to 256
  parameter int unsigned LANES = 1,
  /// input buffer of each data VC in flits
  parameter int unsigned VC_DEPTH = 80,
  /// input buffer of the control VC in flits: 2 KB
  parameter int unsigned CTRL_DEPTH = 4,
  /// flits of the longest data packet
  parameter int unsigned PACKET_FLITS = 8,
  /// ports, derived
  localparam int unsigned P = mesh_pkg::FIRST_LOCAL + NUM_LOCAL + NUM_IO,
  /// bits of a flit, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [P-1:0]        in_valid_i,
  input  logic [P*FLIT_W-1:0] in_flit_i,
  output logic [4*P-1:0]      in_credit_o,
  output logic [P-1:0]        out_valid_o,
  output logic [P*FLIT_W-1:0] out_flit_o,
  input  logic [P-1:0]        out_ready_i,
  input  logic [4*P-1:0]      out_credit_i,
  input  logic                reg_valid_i,
  input  logic                reg_write_i,
  input  logic [15:0]         reg_addr_i,
  input  logic [31:0]         reg_wdata_i,
  output logic [31:0]         reg_rdata_o,
  output logic                idle_o,
  output logic [31:0]         error_o
);
  if (NUM_LOCAL < 1 || P > 32 || LANES < 1 || LANES > 256 || VC_DEPTH < 1 || CTRL_DEPTH < 1 ||
      PACKET_FLITS < 1) begin : gen_range
    $fatal(1, "mesh_router: found NUM_LOCAL=%0d NUM_IO=%0d LANES=%0d VC_DEPTH=%0d CTRL_DEPTH=%0d",
           NUM_LOCAL, NUM_IO, LANES, VC_DEPTH, CTRL_DEPTH);
  end

  localparam int unsigned INDEX_W = $clog2(4 * P);

  logic [5:0]      x_q, y_q;
  logic [6:0]      columns_q, rows_q;
  logic [64*P-1:0] credits;
  logic [7:0]      stall_credit, stall_arbiter;
  logic [P-1:0]    stall_link;
  logic            error_overflow, error_route;

  // ------------------------------------------------------------------ register addresses
  logic               counter_hit, credit_hit;
  logic [15:0]        credit_register;  // 4p+v
  logic [INDEX_W-1:0] credit_index;     // v*P+p
  logic               from_counters_q;  // whose data the last read wants
  logic [31:0]        counter_rdata, other_q;

  assign counter_hit = reg_addr_i >= noc_pkg::REG_FLITS_IN && reg_addr_i < noc_pkg::REG_PHASE_STORE;
  assign credit_register = reg_addr_i - noc_pkg::REG_CREDIT;
  assign credit_hit = reg_valid_i && reg_addr_i >= noc_pkg::REG_CREDIT &&
                      credit_register < 16'(4 * P);
  assign credit_index = INDEX_W'(32'(credit_register[1:0]) * P + 32'(credit_register[15:2]));
  assign reg_rdata_o = from_counters_q ? counter_rdata : other_q;

  logic unused_wdata;  // no register of a router is wider than 16 bits
  assign unused_wdata = &{1'b0, reg_wdata_i[31:16]};

  mesh_crossbar #(
    .NUM_LOCAL(NUM_LOCAL), .NUM_IO(NUM_IO), .LANES(LANES), .VC_DEPTH(VC_DEPTH),
    .CTRL_DEPTH(CTRL_DEPTH), .PACKET_FLITS(PACKET_FLITS)
  ) i_crossbar (
    .clk_i, .rst_ni,
    .in_valid_i, .in_flit_i, .in_credit_o, .out_valid_o, .out_flit_o, .out_ready_i, .out_credit_i,
    .x_i(x_q), .y_i(y_q), .columns_i(columns_q), .rows_i(rows_q),
    .credit_write_i(credit_hit && reg_write_i), .credit_index_i(credit_index),
    .credit_wdata_i(reg_wdata_i[15:0]), .credits_o(credits),
    .stall_credit_o(stall_credit), .stall_arbiter_o(stall_arbiter), .stall_link_o(stall_link),
    .error_overflow_o(error_overflow), .error_route_o(error_route), .idle_o
  );

  switch_counters #(.P(P)) i_counters (
    .clk_i, .rst_ni,
    .flit_in_i(in_valid_i), .flit_out_i(out_valid_o),
    .reductions_i(8'd0), .phase_change_i(1'b0), .stall_join_i(8'd0), .stall_phase_i(8'd0),
    .stall_credit_i(stall_credit), .stall_arbiter_i(stall_arbiter), .stall_link_i(stall_link),
    .read_i(reg_valid_i && !reg_write_i && counter_hit), .addr_i(reg_addr_i), .rdata_o(counter_rdata)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      x_q <= '0;
      y_q <= '0;
      columns_q <= '0;
      rows_q <= '0;
      from_counters_q <= 1'b0;
      other_q <= '0;
      error_o <= noc_pkg::ERROR_NONE;
    end else begin
      if (reg_valid_i && reg_write_i && reg_addr_i == noc_pkg::REG_POSITION) begin
        x_q <= reg_wdata_i[5:0];
        y_q <= reg_wdata_i[13:8];
      end
      if (reg_valid_i && reg_write_i && reg_addr_i == mesh_pkg::REG_TORUS) begin
        columns_q <= reg_wdata_i[6:0];
        rows_q <= reg_wdata_i[14:8];
      end
      if (reg_valid_i && !reg_write_i) begin
        from_counters_q <= counter_hit;
        other_q <= '0;
        if (reg_addr_i == noc_pkg::REG_ID) other_q <= mesh_pkg::MESH_ID;
        if (reg_addr_i == noc_pkg::REG_SHAPE) other_q <= {16'd0, 8'(NUM_IO), 8'(NUM_LOCAL)};
        if (reg_addr_i == noc_pkg::REG_POSITION) other_q <= {18'd0, y_q, 2'd0, x_q};
        if (reg_addr_i == mesh_pkg::REG_TORUS) other_q <= {17'd0, rows_q, 1'b0, columns_q};
        if (reg_addr_i == noc_pkg::REG_ERROR) other_q <= error_o;
        if (credit_hit) other_q <= {16'd0, credits[32'(credit_index)*16 +: 16]};
      end
      if (error_o == noc_pkg::ERROR_NONE) begin
        if (error_overflow) error_o <= noc_pkg::ERROR_OVERFLOW;
        else if (error_route) error_o <= noc_pkg::ERROR_ROUTE;
      end
    end
  end
endmodule
