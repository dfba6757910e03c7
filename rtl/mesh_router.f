// Files of mesh_router, relative to this folder: read with -F.
fred_pkg.sv
mesh_pkg.sv
mesh_crossbar.sv
switch_counters.sv
mesh_router.sv
