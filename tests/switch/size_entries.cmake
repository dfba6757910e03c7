# SPDX-License-Identifier: Apache-2.0
# Entries of the size list, as CMake reads them (sc_models/switch/verilator/switch_kind.cmake):
# result of each, and refusals with a message that gives the value found.
cmake_minimum_required(VERSION 3.25)
get_filename_component(top ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
include(${top}/sc_models/switch/verilator/switch_kind.cmake)
include(${top}/sc_models/switch/kinds.cmake)
foreach(kind ${FREDSIM_SWITCH_KINDS})
  include(${top}/sc_models/switch/${kind}/kind.cmake)
endforeach()

if(DEFINED ENTRY)  # one that is refused, by this script run once more
  fredsim_switch_size("${ENTRY}")
  return()
endif()

macro(expect what found wanted)
  if(NOT "${found}" STREQUAL "${wanted}")
    message(SEND_ERROR "${what}: found '${found}', wanted '${wanted}'")
  endif()
endmacro()

function(expect_size entry key prefix ports)
  fredsim_switch_size("${entry}")
  expect("${entry}, key" "${size_key}" "${key}")
  expect("${entry}, class" "${size_prefix}" "${prefix}")
  expect("${entry}, ports" "${size_ports}" "${ports}")
  if(ARGC GREATER 4)
    expect("${entry}, top" "${size_top}" "${ARGV4}")
    expect("${entry}, files" "${size_files}" "${ARGV5}")
  endif()
endfunction()

set(rest "M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0")
expect_size("fred P=4" "fred P=4 ${rest}" Vfred_4_3_1_48_4_24_0 4 "" "")
expect_size("fred 4 3 1 48 4 24 0" "fred P=4 ${rest}" Vfred_4_3_1_48_4_24_0 4)
expect_size("fred OUT_DEPTH=9 M=2 FORMAT=1 P=5" "fred P=5 M=2 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=9 FORMAT=1"
            Vfred_5_2_1_48_4_9_1 5)
expect_size("fred P=4 my_switch rtl/my switch.f" "fred P=4 ${rest} my_switch" Vfred_4_3_1_48_4_24_0_my_switch 4
            my_switch "rtl/my switch.f")
expect_size("fred 4 3 1 48 4 24 0 mine m.f" "fred P=4 ${rest} mine" Vfred_4_3_1_48_4_24_0_mine 4 mine m.f)
expect_size("fred P=4 WAYS=2 DEEP=7 mine m.f" "fred P=4 ${rest} DEEP=7 WAYS=2 mine" Vfred_4_3_1_48_4_24_0_DEEP7_WAYS2_mine
            4 mine m.f)
expect_size("mesh" "mesh NUM_LOCAL=4 NUM_IO=2 LANES=1 VC_DEPTH=80 CTRL_DEPTH=4" Vmesh_4_2_1_80_4 10)
expect_size("mesh NUM_IO=0" "mesh NUM_LOCAL=4 NUM_IO=0 LANES=1 VC_DEPTH=80 CTRL_DEPTH=4" Vmesh_4_0_1_80_4 8)
expect_size("reducing_crossbar P=4" "reducing_crossbar P=4 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0"
            Vreducing_crossbar_4_1_48_4_24_0 4)
expect_size("mesh_reducing NUM_IO=0"
            "mesh_reducing NUM_LOCAL=4 NUM_IO=0 LANES=1 VC_DEPTH=80 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0"
            Vmesh_reducing_4_0_1_80_4_24_0 8)
expect_size("aggregator P=4 ADDERS=7" "aggregator P=4 ADDERS=7 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 FORMAT=0"
            Vaggregator_4_7_1_48_4_24_0 4)
expect_size("voq_crossbar P=5 ITERATIONS=1" "voq_crossbar P=5 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24 ITERATIONS=1"
            Vvoq_crossbar_5_1_48_4_24_ITERATIONS1 5)
expect_size("fred P=4 VC_ORDER=45" "fred P=4 ${rest} VC_ORDER=45" Vfred_4_3_1_48_4_24_0_VC_ORDER45 4)
expect_size("fred P=4 VC_ORDER=147" "fred P=4 ${rest}" Vfred_4_3_1_48_4_24_0 4)

function(expect_refused entry text)
  execute_process(COMMAND ${CMAKE_COMMAND} "-DENTRY=${entry}" -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
                  RESULT_VARIABLE result ERROR_VARIABLE words)
  string(REGEX REPLACE "[ \n]+" " " words "${words}")
  string(FIND "${words}" "${text}" at)
  if(result EQUAL 0 OR at EQUAL -1)
    message(SEND_ERROR "'${entry}' is refused with '${words}', wanted: ${text}")
  endif()
endfunction()

expect_refused("ring P=4"
               "found the kind 'ring'; allowed: fred, mesh, mesh_reducing, reducing_crossbar, aggregator, voq_crossbar")
expect_refused("fred 4 3 1 48 4 24" "found 6 numbers without names; allowed: 7 or none")
expect_refused("fred P=4 WAYS=2" "found the parameter WAYS; allowed of the kind fred: P, M, LANES")
expect_refused("fred P=4 P=5" "found P twice")
expect_refused("fred 4 3 1 48 4 24 0 M=2" "found M twice")
expect_refused("fred P=x" "found what is no entry")
expect_refused("fred P=4 top" "found what is no entry")
