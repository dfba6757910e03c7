# SPDX-License-Identifier: Apache-2.0
# A mesh router that adds and multicasts along trees (rtl/mesh_reducing/mesh_reducing.sv). Its buffers equal a
# mesh router's: they have to cover the same links.
include(${CMAKE_CURRENT_LIST_DIR}/../phased/parameters.cmake)
list(TRANSFORM FREDSIM_PHASED_PARAMETERS REPLACE "^VC_DEPTH \\| 48 " "VC_DEPTH | 80 "
     OUTPUT_VARIABLE FREDSIM_MESH_REDUCING_PARAMETERS)
fredsim_switch_kind(mesh_reducing
  TOP mesh_reducing
  FILES rtl/mesh_reducing/mesh_reducing.f
  PORTS "4 + NUM_LOCAL + NUM_IO"
  PARAMETERS
    "NUM_LOCAL | 4 | 1 | 28 | local ports, to the NPU"
    "NUM_IO | 2 | 0 | 15 | I/O ports"
    ${FREDSIM_MESH_REDUCING_PARAMETERS}
  BASIC 7
  SYNTHESIS_PARTS ${FREDSIM_PHASED_PARTS} mesh_reducing_routes reducing_crossbar_node
  SYNTHESIS_DEEP ${FREDSIM_PHASED_DEEP}
  # Its trees have the nodes of a crossbar's.
  ENERGY reducing_crossbar_interconnect:P=4,LANES=256
  # Registers that phased_peek.h reads.
  SETTINGS ../phased/peek.vlt)
