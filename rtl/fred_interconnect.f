// Files of fred_interconnect, relative to this folder: read with -F.
fred_pkg.sv
fp_add.sv
fred_r_uswitch.sv
fred_rd_uswitch.sv
fred_port_mux.sv
fred_port_demux.sv
fred_d_uswitch.sv
fred_network.sv
fred_interconnect.sv
