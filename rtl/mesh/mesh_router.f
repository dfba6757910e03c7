// SPDX-License-Identifier: Apache-2.0
// Files of mesh_router, relative to this folder: read with -F.
+incdir+.
../common/noc_pkg.sv
../common/clock_gate.sv
../common/gated_registers.sv
../common/gated_choice.sv
../common/mesh_pkg.sv
../common/bist_pkg.sv
../common/flit_ram.sv
../common/bist_ram.sv
../common/vc_queue.sv
../common/vc_buffer.sv
../common/route_select.sv
../common/vc_allocator.sv
../common/packet_order.sv
../common/switch_counters.sv
mesh_registers.sv
mesh_input.sv
mesh_allocator.sv
mesh_credit.sv
mesh_output.sv
mesh_stalls.sv
mesh_router.sv
