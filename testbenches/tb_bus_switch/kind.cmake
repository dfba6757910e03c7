# SPDX-License-Identifier: Apache-2.0
# A switch around a bus (bus_switch.sv): the worked example of a further kind. It only passes lanes
# on, so it has no FORMAT, and it has no buffers at its outputs.
fredsim_switch_kind(bus
  TOP bus_switch
  FILES ${CMAKE_CURRENT_LIST_DIR}/bus_switch.f
  PORTS "P"
  # name | default | least | most | meaning
  PARAMETERS
    "P | 4 | 2 | 32 | ports"
    "LANES | 1 | 1 | 256 | lanes of a flit that are carried"
    "VC_DEPTH | 48 | 1 | 16000 | input buffer of each data VC in flits"
    "CTRL_DEPTH | 4 | 1 | 16000 | input buffer of the control VC in flits"
    "PACKET_FLITS | 8 | 1 | 8 | flits of the longest data packet"
    "VC_ORDER | 147 | 27 | 228 | virtual channels by priority, two bits each, the highest in the lowest bits"
  BASIC 4)
