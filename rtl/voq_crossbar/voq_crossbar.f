// SPDX-License-Identifier: Apache-2.0
// Files of voq_crossbar, relative to this folder: read with -F.
+incdir+.
../common/noc_pkg.sv
../common/clock_gate.sv
../common/gated_registers.sv
../common/gated_choice.sv
../common/bist_pkg.sv
../common/flit_ram.sv
../common/bist_ram.sv
../common/credit_counter.sv
../common/packet_order.sv
../phased/phased_pkg.sv
../phased/phased_output_unit.sv
../phased/phased_route_ram.sv
../common/switch_counters.sv
voq_crossbar_pkg.sv
voq_slots.sv
voq_list.sv
voq_buffer.sv
voq_input_unit.sv
voq_arbiter.sv
voq_round.sv
voq_scheduler.sv
voq_crossbar_mux.sv
voq_crossbar_registers.sv
voq_crossbar.sv
