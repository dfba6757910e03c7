# SPDX-License-Identifier: Apache-2.0
# A crossbar with an adder tree at every output: the same ports, phases and registers as a fred switch
# (rtl/reducing_crossbar/reducing_crossbar.sv).
include(${CMAKE_CURRENT_LIST_DIR}/../phased/parameters.cmake)
fredsim_switch_kind(reducing_crossbar
  TOP reducing_crossbar
  FILES rtl/reducing_crossbar/reducing_crossbar.f
  PORTS "P"
  PARAMETERS
    "${FREDSIM_PHASED_PORTS}"
    ${FREDSIM_PHASED_PARAMETERS}
    ${FREDSIM_TABLE_PARAMETERS}
  BASIC 6
  SYNTHESIS_PARTS ${FREDSIM_PHASED_PARTS} phased_route_ram reducing_crossbar_node
  SYNTHESIS_DEEP ${FREDSIM_PHASED_DEEP}
  ENERGY reducing_crossbar_interconnect:P=4,LANES=256
  # Registers that phased_peek.h reads.
  SETTINGS ../phased/peek.vlt)
