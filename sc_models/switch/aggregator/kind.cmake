# SPDX-License-Identifier: Apache-2.0
# A crossbar with a central pool of adders: the same ports, phases and registers as a fred switch
# (rtl/aggregator/aggregator.sv).
include(${CMAKE_CURRENT_LIST_DIR}/../phased/parameters.cmake)
fredsim_switch_kind(aggregator
  TOP aggregator
  FILES rtl/aggregator/aggregator.f
  PORTS "P"
  PARAMETERS
    "${FREDSIM_PHASED_PORTS}"
    "ADDERS | 4 | 1 | 32 | adders, each for all lanes of a flit"
    ${FREDSIM_PHASED_PARAMETERS}
    ${FREDSIM_TABLE_PARAMETERS}
  BASIC 7
  SYNTHESIS_PARTS ${FREDSIM_PHASED_PARTS} aggregator_adder aggregator_scheduler aggregator_table phased_route_ram
  SYNTHESIS_DEEP ${FREDSIM_PHASED_DEEP}
  ENERGY aggregator_interconnect:P=4,ADDERS=4,LANES=256
  # Registers that phased_peek.h reads.
  SETTINGS ../phased/peek.vlt)
