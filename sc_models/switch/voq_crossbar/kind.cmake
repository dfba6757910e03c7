# SPDX-License-Identifier: Apache-2.0
# A crossbar with virtual output queues and iSLIP, without phases (rtl/voq_crossbar/voq_crossbar.sv). It only
# forwards lanes, so it has no FORMAT.
include(${CMAKE_CURRENT_LIST_DIR}/../phased/parameters.cmake)
fredsim_switch_kind(voq_crossbar
  TOP voq_crossbar
  FILES rtl/voq_crossbar/voq_crossbar.f
  PORTS "P"
  # name | default | least | most | meaning
  PARAMETERS
    "P | 12 | 2 | 32 | ports"
    "LANES | 1 | 1 | 256 | lanes of a flit that are carried"
    "VC_DEPTH | 48 | 1 | 16000 | input buffer of each data VC in flits"
    "CTRL_DEPTH | 4 | 1 | 16000 | input buffer of the control VC in flits"
    "OUT_DEPTH | 24 | 1 | 16000 | output staging of each VC in flits"
    "PACKET_FLITS | 8 | 1 | 8 | flits of the longest data packet"
    "VC_ORDER | 147 | 27 | 228 | virtual channels by priority, two bits each, the highest in the lowest bits"
    "ITERATIONS | 2 | 1 | 4 | rounds of iSLIP for every edge, one a cycle"
    ${FREDSIM_TABLE_PARAMETERS}
  BASIC 5
  SYNTHESIS_PARTS switch_counters voq_arbiter voq_crossbar_mux voq_crossbar_registers voq_input_unit voq_list voq_scheduler
  ENERGY voq_crossbar_mux)
