// SPDX-License-Identifier: Apache-2.0
// Files of bus_switch, one per line, relative to this list, the top module last. ${FREDSIM_RTL} is the folder rtl/ of
// the fredsim checkout.
${FREDSIM_RTL}/common/noc_pkg.sv
${FREDSIM_RTL}/common/bist_pkg.sv
${FREDSIM_RTL}/common/flit_ram.sv
${FREDSIM_RTL}/common/bist_ram.sv
${FREDSIM_RTL}/common/vc_queue.sv
${FREDSIM_RTL}/common/vc_buffer.sv
${FREDSIM_RTL}/common/credit_counter.sv
${FREDSIM_RTL}/common/rr_arbiter.sv
${FREDSIM_RTL}/common/packet_order.sv
${FREDSIM_RTL}/common/switch_counters.sv
${FREDSIM_RTL}/phased/phased_pkg.sv
${FREDSIM_RTL}/phased/phased_route_ram.sv
bus_pkg.sv
bus_input.sv
bus_arbiter.sv
bus_switch.sv
