// SPDX-License-Identifier: Apache-2.0
// Output side of one port of a mesh_router: credits of its virtual channels, its part of the
// crossbar, output register.
//
// Timing: launch_i (a bit per VC) at edge e; granted_i (one-hot, the input port) after e; flits_i
//   has the flit of that input after e + 1; out_valid_o and out_flit_o have it after e + 2.
//   Credits: mesh_credit. Words of out_flit_o are meaningful only with out_valid_o.
// empty_o: no flit on out_valid_o or on the way there.
module mesh_output #(
  /// number of ports
  parameter int unsigned P = 10,
  /// lanes physically carried per flit
  parameter int unsigned LANES = 1,
  /// credits per data VC after reset
  parameter int unsigned VC_DEPTH = 80,
  /// credits of the control VC after reset
  parameter int unsigned CTRL_DEPTH = 4,
  /// flits of the longest data packet; control packets are one flit
  parameter int unsigned PACKET_FLITS = 8,
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a credit count, derived
  localparam int unsigned CREDIT_W = noc_pkg::CREDIT_W,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // allocator
  input  logic                    ring_i,
  input  logic [VCS-1:0]          launch_i,
  input  logic [P-1:0]            granted_i,
  output logic [VCS-1:0]          room_flit_o,
  output logic [VCS-1:0]          room_packet_o,
  // crossbar
  input  logic [P*FLIT_W-1:0]     flits_i,
  // link
  output logic                    out_valid_o,
  output logic [FLIT_W-1:0]       out_flit_o,
  input  logic [VCS-1:0]          out_credit_i,
  // registers
  input  logic [VCS-1:0]          credit_write_i,
  input  logic [CREDIT_W-1:0]     credit_wdata_i,
  output logic [CREDIT_W*VCS-1:0] credits_o,
  // status
  output logic                    empty_o
);
  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    mesh_credit #(
      .DEPTH       ((v == noc_pkg::VC_CONTROL) ? CTRL_DEPTH : VC_DEPTH),
      .PACKET_FLITS((v == noc_pkg::VC_CONTROL) ? 1 : PACKET_FLITS)
    ) i_credit (
      .clk_i,
      .rst_ni,
      .ring_i,
      .launch_i     (launch_i[v]),
      .give_i       (out_credit_i[v]),
      .write_i      (credit_write_i[v]),
      .wdata_i      (credit_wdata_i),
      .room_flit_o  (room_flit_o[v]),
      .room_packet_o(room_packet_o[v]),
      .credits_o    (credits_o[CREDIT_W*v +: CREDIT_W])
    );
  end

  // ------------------------------------------------------------------ crossbar
  logic [P-1:0]      select_q;  // input of the flit that arrives
  logic [FLIT_W-1:0] flit;

  always_comb begin : crossbar
    flit = '0;
    if (select_q != '0) begin
      for (int unsigned p = 0; p < P; p++) begin
        if (select_q[p]) flit = flit | flits_i[FLIT_W*p +: FLIT_W];
      end
    end
  end

  always_ff @(posedge clk_i) begin : registers
    if (!rst_ni) begin
      select_q <= '0;
      out_valid_o <= 1'b0;
    end else begin
      select_q <= granted_i;
      out_valid_o <= select_q != '0;
    end
  end

  gated_registers #(.WIDTH(FLIT_W)) i_flit (
    .clk_i,
    .en_i     (select_q != '0),
    .test_en_i(1'b0),  // no scan chain
    .d_i      (flit),
    .q_o      (out_flit_o)
  );
  assign empty_o = granted_i == '0 && select_q == '0 && !out_valid_o;

  // ------------------------------------------------------------------ assertions
  logic [VCS-1:0]   launched_q, sent_q;  // VC of the flit on granted_i, on select_q
  logic [VCS-1:0]   sent_vc;
  noc_pkg::header_t header;
  assign header = flit[noc_pkg::HEADER_W-1:0];
  assign sent_vc = VCS'(1) << header.vc;

  logic unused;  // unused header fields
  assign unused = &{1'b0, header.reserved, header.tail, header.head, header.seq, header.phase, header.src, header.dst,
                    header.tag};

  always_ff @(posedge clk_i) begin : assertions
    if (!rst_ni) begin
      launched_q <= '0;
      sent_q <= '0;
    end else begin
      launched_q <= launch_i;
      sent_q <= launched_q;
      one_flit_at_a_time: assert ($onehot0(launch_i) && $onehot0(granted_i));
      a_flit_for_every_launch: assert ((launched_q != '0) == (granted_i != '0));
      if (select_q != '0) flit_of_the_launched_vc: assert (sent_vc == sent_q);
    end
  end
endmodule
