# SPDX-License-Identifier: Apache-2.0
# Common parameters of all kinds of switches with a phase store (rtl/phased/phased_switch.sv), for their
# kind.cmake; their interconnects may have more.
# name | default | least | most | meaning
set(FREDSIM_PHASED_PORTS "P | 12 | 2 | 32 | ports")
set(FREDSIM_PHASED_PARAMETERS
  "LANES | 1 | 1 | 256 | lanes of a flit that are carried"
  "VC_DEPTH | 48 | 1 | 16000 | input buffer of each data VC in flits"
  "CTRL_DEPTH | 4 | 1 | 16000 | input buffer of the control VC in flits"
  "OUT_DEPTH | 24 | 1 | 16000 | output staging of each VC in flits"
  "FORMAT | 0 | 0 | 1 | 0 FP16, 1 BF16"
  "PACKET_FLITS | 8 | 1 | 8 | flits of the longest data packet"
  "YIELD | 4 | 1 | 255 | idle cycles after which the active phase yields to a phase of equal or lower priority"
  "QUANTUM | 64 | 1 | 65535 | busy cycles after which the active phase yields to a phase of equal priority"
  "VC_ORDER | 147 | 27 | 228 | virtual channels by priority, two bits each, the highest in the lowest bits")
# Parameters of kinds that route unicasts by a table.
set(FREDSIM_TABLE_PARAMETERS "ROUTE_ADDR_W | 10 | 10 | 15 | bits of a destination in the routing table")
# Common modules that are synthesised on their own, and modules with long chains of logic.
set(FREDSIM_PHASED_PARTS
  fp_add fp_add_align fp_add_round phased_candidates phased_control phased_input_unit phased_join phased_join_check
  phased_matcher phased_output_unit phased_store switch_counters)
set(FREDSIM_PHASED_DEEP fp_add fp_add_align fp_add_round phased_candidates phased_control phased_join)
