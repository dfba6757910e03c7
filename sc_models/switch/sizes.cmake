# The switches that are Verilated, one class each. Every entry is a string of fields:
#   fred P M LANES VC_DEPTH CTRL_DEPTH OUT_DEPTH FORMAT      Fred_M(P): rtl/fred/fred_switch.sv
#   mesh LOCALS IOS LANES VC_DEPTH CTRL_DEPTH                rtl/mesh/mesh_router.sv
# FORMAT: 0 FP16, 1 BF16. A mesh router only passes lanes on, so it has none.
# A switch of your own with the same port list and parameters: append its top module and its file list
# (relative to the source folder; one source per line, relative to the list, the top module last) to an
# entry, "fred 12 3 1 48 4 24 0 my_switch /path/my_switch.f", and name it in a config: switch.rtl_top. A
# changed copy of ours may keep the name: "fred 4 3 1 48 4 24 0 fred_switch my_rtl/fred/fred_switch.f".
# More without editing this file:
#   cmake -B build -DFREDSIM_EXTRA_SWITCHES="fred 8 3 1 48 4 24 0;fred 8 2 1 48 4 24 0"
# Build time grows with every entry (about LANES and P), so list what is used.
set(FREDSIM_SWITCHES
  "fred 12 3 1 48 4 24 0" "fred 11 3 1 48 4 24 0" "fred 10 3 1 48 4 24 0"
  "fred 4 3 1 48 4 24 0" "fred 4 3 1 48 4 24 0 own_switch testbenches/tb_own_switch/own_switch.f"
  "fred 5 2 3 12 1 9 1" "fred 3 2 256 48 4 24 0"
  "mesh 4 2 1 80 4"
  CACHE STRING "switch sizes to Verilate (sc_models/switch/sizes.cmake)")
set(FREDSIM_EXTRA_SWITCHES "" CACHE STRING "further switch sizes to Verilate")
