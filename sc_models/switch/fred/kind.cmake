# SPDX-License-Identifier: Apache-2.0
# Fred_M(P), a switch that adds and distributes the flits of flows (rtl/fred/fred_switch.sv).
include(${CMAKE_CURRENT_LIST_DIR}/../phased/parameters.cmake)
fredsim_switch_kind(fred
  TOP fred_switch
  FILES rtl/fred/fred_switch.f
  PORTS "P"
  # name | default | least | most | meaning
  PARAMETERS
    "${FREDSIM_PHASED_PORTS}"
    "M | 3 | 2 | 4 | middle sub-networks"
    ${FREDSIM_PHASED_PARAMETERS}
    "PHASES_IN_USE | 1 | 1 | 2 | phases in use at a time, 2 where M is 3 or less"
    "ADDER_STAGES | 1 | 1 | 2 | register stages of an adder"
    ${FREDSIM_TABLE_PARAMETERS}
  BASIC 7
  SYNTHESIS_FILES rtl/fred/fred_switch_top.f
  SYNTHESIS_PARTS ${FREDSIM_PHASED_PARTS} apb_slave fred_online_paths fred_paths fred_port_demux fred_port_mux fred_port_select
                  fred_r_uswitch fred_r_uswitch_two_stage fred_rd_uswitch fred_register_map phased_route_ram
  SYNTHESIS_DEEP ${FREDSIM_PHASED_DEEP}
  SYNTHESIS_WIRES fred_switch fred_switch_top
  SYNTHESIS_LINE fred_port_demux fred_port_mux fred_r_uswitch fred_rd_uswitch
  ENERGY fred_interconnect:P=4,M=3,LANES=256
  # Registers that phased_peek.h reads.
  SETTINGS ../phased/peek.vlt)
