// SPDX-License-Identifier: Apache-2.0
// Files of mesh_reducing, relative to this folder: read with -F.
-F ../phased/phased_switch.f
../reducing_crossbar/reducing_crossbar_pkg.sv
../reducing_crossbar/reducing_crossbar_node.sv
../reducing_crossbar/reducing_crossbar_tree.sv
../reducing_crossbar/reducing_crossbar_interconnect.sv
../reducing_crossbar/reducing_crossbar_datapath.sv
../common/mesh_pkg.sv
../common/route_select.sv
mesh_reducing_routes.sv
mesh_reducing.sv
