# SPDX-License-Identifier: Apache-2.0
# The router of a 2D mesh or torus (rtl/mesh/mesh_router.sv). It only forwards lanes, so it has no FORMAT.
fredsim_switch_kind(mesh
  TOP mesh_router
  FILES rtl/mesh/mesh_router.f
  PORTS "4 + NUM_LOCAL + NUM_IO"
  # name | default | least | most | meaning
  PARAMETERS
    "NUM_LOCAL | 4 | 1 | 28 | local ports, to the NPU"
    "NUM_IO | 2 | 0 | 15 | I/O ports"
    "LANES | 1 | 1 | 256 | lanes of a flit that are carried"
    "VC_DEPTH | 80 | 1 | 65535 | input buffer of each data VC in flits"
    "CTRL_DEPTH | 4 | 1 | 65535 | input buffer of the control VC in flits"
    "PACKET_FLITS | 8 | 1 | 8 | flits of the longest data packet"
    "VC_ORDER | 147 | 27 | 228 | virtual channels by priority, two bits each, the highest in the lowest bits"
  BASIC 5
  SYNTHESIS_PARTS mesh_allocator mesh_input mesh_output mesh_registers mesh_stalls switch_counters
  SYNTHESIS_LINE mesh_output
  ENERGY mesh_output)
