// SPDX-License-Identifier: Apache-2.0
// Parameters of phased_switch and of the tops around it, in front of the parameters of all switches
// (switch_parameters.svh).
  /// depth of the output staging of each VC in flits, at least PACKET_FLITS
  parameter int unsigned OUT_DEPTH = 24,
  /// see phased_control
  parameter int unsigned YIELD = 4,
  /// see phased_control
  parameter int unsigned QUANTUM = 64,
  /// 1: adds BIST to the memories
  parameter int unsigned BIST = 0,
