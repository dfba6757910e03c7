// SPDX-License-Identifier: Apache-2.0
// Address decoder for the registers of a fred_switch (noc_pkg): accesses to unknown addresses,
// which its register port ignores and answers with zero, are refused on a bus.
//
// known_o: word address addr_i has a register, and the register is writable if write_i is high.
//   Combinational.
module fred_register_map #(
  /// number of switch ports
  parameter int unsigned P = 12,
  /// number of middle sub-networks
  parameter int unsigned M = 3,
  /// address width of the routing table, 10 to 15 (noc_pkg)
  parameter int unsigned ROUTE_ADDR_W = noc_pkg::DEFAULT_ROUTE_ADDR_W
) (
  input  logic                           write_i,
  input  logic [noc_pkg::REG_ADDR_W-1:0] addr_i,
  output logic                           known_o
);
  localparam int unsigned STORE_WORDS = fred_pkg::num_phases(P, M) * fred_pkg::row_words(P, M);

  localparam int unsigned REG_ADDR_W = noc_pkg::REG_ADDR_W;

  function automatic logic is_in(
    input logic [REG_ADDR_W-1:0] addr, input logic [REG_ADDR_W-1:0] first, input int unsigned count
  );
    is_in = addr >= first && 32'(addr) < 32'(first) + count;
  endfunction

  logic writable, readable;

  assign writable = is_in(addr_i, noc_pkg::REG_CREDIT, noc_pkg::NUM_VCS * P) ||
                    is_in(addr_i, noc_pkg::route_base(ROUTE_ADDR_W), 1 << ROUTE_ADDR_W) ||
                    is_in(addr_i, noc_pkg::REG_PHASE_STORE, STORE_WORDS);
  // A counter is two words.
  assign readable = addr_i == noc_pkg::REG_ID || addr_i == noc_pkg::REG_SHAPE || addr_i == noc_pkg::REG_ERROR ||
                    is_in(addr_i, noc_pkg::REG_FLITS_IN, 2 * P) || is_in(addr_i, noc_pkg::REG_FLITS_OUT, 2 * P) ||
                    is_in(addr_i, noc_pkg::REG_REDUCTIONS, 2) || is_in(addr_i, noc_pkg::REG_PHASE_CHANGES, 2) ||
                    is_in(addr_i, noc_pkg::REG_STALL_JOIN, 2) || is_in(addr_i, noc_pkg::REG_STALL_CREDIT, 2) ||
                    is_in(addr_i, noc_pkg::REG_STALL_PHASE, 2) || is_in(addr_i, noc_pkg::REG_STALL_ARBITER, 2) ||
                    is_in(addr_i, noc_pkg::REG_STALL_LINK, 2);
  assign known_o = writable || (readable && !write_i);
endmodule
