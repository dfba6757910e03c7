// SPDX-License-Identifier: Apache-2.0
// X-Y routes of online unicasts, for a phased_switch in a mesh: its lookups, and the position of
// the router.
//
// Lookups: lookup_i and dst_i at an edge, known_o and out_o after it, until the next lookup of the
//   input: the result of route_select in a mesh, with the register contents before the edge.
// Registers: REG_POSITION and REG_NO_LINK (noc_pkg), written while no traffic flows. hit_o:
//   reg_addr_i is the address of one of them, combinational; rdata_o follows the edge that samples
//   a read, and holds.
// Not supported: rings. A phased_switch keeps no slot free on a ring, so it is not a router of a
//   torus.
// Reset (synchronous): position (0, 0), all local ports with a link, rdata_o 0.
module mesh_reducing_routes #(
  /// number of local ports
  parameter int unsigned NUM_LOCAL = 4,
  /// number of I/O ports
  parameter int unsigned NUM_IO = 2,
  /// number of ports, derived
  localparam int unsigned P = mesh_pkg::FIRST_LOCAL + NUM_LOCAL + NUM_IO
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // register
  input  logic                           reg_valid_i,
  input  logic                           reg_write_i,
  input  logic [noc_pkg::REG_ADDR_W-1:0] reg_addr_i,
  input  logic [31:0]                    reg_wdata_i,
  output logic                           hit_o,
  output logic [31:0]                    rdata_o,
  // flits that arrive, by input port
  input  logic [P-1:0]                   lookup_i,
  input  logic [noc_pkg::DST_W*P-1:0]    dst_i,
  output logic [P-1:0]                   known_o,
  output logic [phased_pkg::OUT_W*P-1:0] out_o
);
  localparam int unsigned DST_W = noc_pkg::DST_W;
  localparam int unsigned OUT_W = phased_pkg::OUT_W;
  localparam int unsigned XY_W = mesh_pkg::COORDINATE_W;
  localparam bit [mesh_pkg::SIDE_W-1:0] NO_RING = '0;

  logic [XY_W-1:0]             x_q, y_q;
  logic [mesh_pkg::MASK_W-1:0] no_link_q;  // local ports without a link
  logic                        is_position;
  logic [P-1:0]                none;       // no output for the flit that is looked up

  assign is_position = reg_addr_i == noc_pkg::REG_POSITION;
  assign hit_o = is_position || reg_addr_i == noc_pkg::REG_NO_LINK;

  always_ff @(posedge clk_i) begin : registers
    if (!rst_ni) begin
      x_q <= '0;
      y_q <= '0;
      no_link_q <= '0;
      rdata_o <= '0;
    end else if (reg_valid_i && hit_o) begin
      if (!reg_write_i) begin
        rdata_o <= is_position ? 32'({8'(y_q), 8'(x_q)}) : 32'(no_link_q);
      end else if (is_position) begin
        x_q <= reg_wdata_i[0 +: XY_W];
        y_q <= reg_wdata_i[8 +: XY_W];
      end else begin
        no_link_q <= reg_wdata_i[0 +: mesh_pkg::MASK_W];
      end
    end
  end

  for (genvar p = 0; p < P; p++) begin : gen_input
    logic             known;
    logic [OUT_W-1:0] route;
    route_select #(.NUM_LOCAL(NUM_LOCAL), .NUM_IO(NUM_IO)) i_route (
      .valid_i   (lookup_i[p]),
      .dst_i     (dst_i[DST_W*p +: DST_W]),
      .from_i    (mesh_pkg::from_direction(p)),
      .x_i       (x_q),
      .y_i       (y_q),
      .columns_i (NO_RING),
      .rows_i    (NO_RING),
      .npu_port_i(mesh_pkg::npu_port(p, NUM_LOCAL, no_link_q)),
      .known_o   (known),
      .port_o    (route)
    );
    assign none[p] = lookup_i[p] && !known;
    always_ff @(posedge clk_i) begin : lookup
      if (lookup_i[p]) begin
        known_o[p] <= known;
        out_o[OUT_W*p +: OUT_W] <= route;
      end
    end
  end

  logic unused_wdata;
  assign unused_wdata = &{1'b0, reg_wdata_i[31:mesh_pkg::MASK_W]};

  // ------------------------------------------------------------------ cover points
  always_ff @(posedge clk_i) begin : covers
    if (rst_ni) begin
      several_at_once: cover ((lookup_i & (lookup_i - P'(1))) != '0);
      without_a_route: cover (none != '0);
    end
  end
endmodule
