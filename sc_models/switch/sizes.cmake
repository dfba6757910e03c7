# SPDX-License-Identifier: Apache-2.0
# The switches that are Verilated, one class each. Every entry is a kind (kinds.cmake) and parameters of its RTL top by
# name, in any order:
#   fred P=8 M=2            Fred_2(8): rtl/fred/fred_switch.sv; its parameters are in fred/kind.cmake
#   reducing_crossbar P=4   rtl/reducing_crossbar/reducing_crossbar.sv; reducing_crossbar/kind.cmake
#   aggregator P=4          rtl/aggregator/aggregator.sv; aggregator/kind.cmake
#   voq_crossbar P=4        rtl/voq_crossbar/voq_crossbar.sv; voq_crossbar/kind.cmake
#   mesh VC_DEPTH=96        rtl/mesh/mesh_router.sv; mesh/kind.cmake
#   mesh_reducing NUM_IO=0  rtl/mesh_reducing/mesh_reducing.sv; mesh_reducing/kind.cmake
# Parameters left out have the kind's defaults. Without names, an entry has the numbers of the kind's basic
# parameters, in the order of kind.cmake: "fred 8 2 1 48 4 24 0", "mesh 4 2 1 96 4".
# A switch of your own with the same ports and these parameters, and any of its own: append its top module and its file
# list (relative to the source folder; one source per line, relative to the list, the top module last) to an
# entry, "fred P=12 MINE=5 my_switch /path/my_switch.f", and name it in a config: switch.rtl_top. A
# changed copy of ours may keep the name: "fred P=4 fred_switch my_rtl/fred/fred_switch.f".
# More without editing this file:
#   cmake -B build -DFREDSIM_EXTRA_SWITCHES="fred P=8;fred P=8 M=2"
# Sizes that are not here are built when a run needs them (on_demand/rtl_builder.h). Build time grows with every entry
# (about LANES and P), so a program that has Verilator and a compiler beside it has none, and the quick start's first table is
# there sooner. A package has those of configs/mesh.yaml and fred_d.yaml, which then need neither; with BUILD_TESTING the program
# has them too.
# Sizes that only tests run are in tests/switch/sizes.cmake: with BUILD_TESTING test programs and testbenches have them, and
# one fredsim that is theirs, tested/fredsim. A list that is given,
#   cmake -B build -DFREDSIM_SWITCHES="fred P=4"
# stands for both.
set(linked_switches "fred P=12" "fred P=11" "fred P=10" "mesh")
set(product_switches "")
if((BUILD_TESTING AND FREDSIM_RTL_TESTS) OR FREDSIM_PACKAGE)
  set(product_switches ${linked_switches})
endif()
include(${PROJECT_SOURCE_DIR}/tests/switch/sizes.cmake)
set(FREDSIM_SWITCHES "" CACHE STRING
    "switch sizes to Verilate; empty: those of sc_models/switch/sizes.cmake, in tests those of tests/switch/sizes.cmake too")
set(FREDSIM_EXTRA_SWITCHES "" CACHE STRING "further switch sizes to Verilate")
# The list that a build folder keeps may have the worked example by its former name.
foreach(list FREDSIM_SWITCHES FREDSIM_EXTRA_SWITCHES)
  string(REPLACE " own_switch testbenches/tb_own_switch/own_switch.f"
                 " custom_switch testbenches/tb_custom_switch/custom_switch.f" ${list} "${${list}}")
endforeach()
# It may also be the former default, all of both lists, which nobody has asked for.
set(all_switches ${linked_switches} ${test_switches})
set(kept_switches ${FREDSIM_SWITCHES})
list(SORT all_switches)
list(SORT kept_switches)
if("${kept_switches}" STREQUAL "${all_switches}")
  set(FREDSIM_SWITCHES "")
endif()
if(NOT FREDSIM_RTL_TESTS)
  set(test_switches "")
endif()
if(FREDSIM_SWITCHES)
  set(test_switches "")
else()
  set(FREDSIM_SWITCHES "${product_switches}")  # in quotes: empty, not unset, where a build folder has kept a list
endif()
