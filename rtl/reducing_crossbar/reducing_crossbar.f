// SPDX-License-Identifier: Apache-2.0
// Files of reducing_crossbar, relative to this folder: read with -F.
-F ../phased/phased_switch.f
reducing_crossbar_pkg.sv
reducing_crossbar_node.sv
reducing_crossbar_tree.sv
reducing_crossbar_interconnect.sv
reducing_crossbar_datapath.sv
reducing_crossbar.sv
