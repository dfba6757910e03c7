// SPDX-License-Identifier: Apache-2.0
// Files of fred_interconnect, relative to this folder: read with -F.
-F ../phased/phased_switch.f
fred_pkg.sv
fred_r_uswitch.sv
fred_r_uswitch_two_stage.sv
fred_rd_uswitch.sv
fred_port_mux.sv
fred_port_select.sv
fred_port_demux.sv
fred_flit_stage.sv
fred_d_uswitch.sv
fred_network.sv
fred_network_two_stage.sv
fred_interconnect.sv
