// Files of own_switch, one per line, relative to this list; the top module last.
../../rtl/fred_pkg.sv
../../rtl/fp_add.sv
../../rtl/fred_r_uswitch.sv
../../rtl/fred_d_uswitch.sv
../../rtl/fred_rd_uswitch.sv
../../rtl/fred_port_demux.sv
../../rtl/fred_port_mux.sv
../../rtl/fred_network.sv
../../rtl/fred_interconnect.sv
../../rtl/fred_input_unit.sv
../../rtl/fred_output_unit.sv
../../rtl/fred_phase_store.sv
../../rtl/fred_control.sv
../../rtl/switch_counters.sv
../../rtl/fred_switch.sv
own_switch.sv
