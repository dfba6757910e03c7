// SPDX-License-Identifier: Apache-2.0
// Parameters that the tops of all kinds of switches share, at the end of their lists.
  /// lanes physically carried per flit, 1 to 256
  parameter int unsigned LANES = 1,
  /// input buffer depth of the control VC, in flits (2 KB)
  parameter int unsigned CTRL_DEPTH = 4,
  /// flits of the longest data packet
  parameter int unsigned PACKET_FLITS = 8,
  /// VC priority order, any permutation (noc_pkg)
  parameter int unsigned VC_ORDER = noc_pkg::DEFAULT_VC_ORDER,
  /// flit width in bits, derived
  localparam int unsigned FLIT_W = noc_pkg::flit_w(LANES),
  /// number of virtual channels, derived
  localparam int unsigned VCS = noc_pkg::NUM_VCS,
  /// width of a register address, derived
  localparam int unsigned REG_ADDR_W = noc_pkg::REG_ADDR_W
