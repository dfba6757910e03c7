// Files of fred_switch, relative to this folder: read with -F.
fred_pkg.sv
fp_add.sv
fred_r_uswitch.sv
fred_d_uswitch.sv
fred_rd_uswitch.sv
fred_port_demux.sv
fred_port_mux.sv
fred_network.sv
fred_interconnect.sv
fred_input_unit.sv
fred_output_unit.sv
fred_phase_store.sv
fred_control.sv
fred_paths.sv
fred_online.sv
switch_counters.sv
fred_switch.sv
