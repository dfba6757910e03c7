# SPDX-License-Identifier: Apache-2.0
# Sizes of fred_interconnect that tb_fred_interconnect simulates: "P M LANES FORMAT
# [fast|wave|two_stage]".
#
# Build time grows with the number of µSwitches (m^levels), so the default leaves out the largest;
# -DFREDSIM_INTERCONNECT_SIZES=all builds all 93 of P = 2 … 32 × M = 2 … 4 instead (ten minutes to
# build). Every one of the 93 is linted by tests/rtl in any case. fast: optimised C++ and no
# assertions, for --bench. wave: the size that --wave shows.
set(FREDSIM_INTERCONNECT_SIZES default CACHE STRING "default or all")

set(interconnect_sizes "")
if(FREDSIM_INTERCONNECT_SIZES STREQUAL "all")
  foreach(middle RANGE 2 4)
    foreach(ports RANGE 2 32)
      list(APPEND interconnect_sizes "${ports} ${middle} 1 0")
    endforeach()
  endforeach()
  list(REMOVE_ITEM interconnect_sizes "12 3 1 0" "5 3 1 0")  # are below
else()
  foreach(ports 2 3 4 5 6 7 8 9 11 13 16 17 31 32)
    list(APPEND interconnect_sizes "${ports} 2 1 0")
  endforeach()
  foreach(ports 2 3 4 6 7 8)
    list(APPEND interconnect_sizes "${ports} 3 1 0")
  endforeach()
  foreach(ports 2 3 4 5 7)
    list(APPEND interconnect_sizes "${ports} 4 1 0")
  endforeach()
endif()
# BF16, many lanes, odd lanes; the chiplet of the paper; a small one with an odd port.
list(APPEND interconnect_sizes "5 3 1 1" "2 2 256 0" "3 2 5 1" "5 2 7 0" "12 3 1 0 fast"
     "5 3 1 0 wave")
# Adders of two stages: D-levels that share one, and a fourth that has its own.
list(APPEND interconnect_sizes "2 2 1 0 two_stage" "3 3 1 0 two_stage" "4 4 1 0 two_stage" "5 2 7 1 two_stage"
     "7 3 1 0 two_stage" "12 2 1 0 two_stage" "17 2 1 0 two_stage")
