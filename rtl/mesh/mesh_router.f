// Files of mesh_router, relative to this folder: read with -F.
../common/noc_pkg.sv
mesh_pkg.sv
mesh_crossbar.sv
../common/switch_counters.sv
mesh_router.sv
