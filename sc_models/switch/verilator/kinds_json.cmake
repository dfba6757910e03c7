# SPDX-License-Identifier: Apache-2.0
# The kinds of switches as a JSON file, for programs in other languages than C++:
#
#   fredsim_write_kinds(FILE KIND…)
#
# writes {"kinds": [{"name", "top", "files", "ports", "basic", "parameters": [{"name", "default", "min", "max",
# "meaning"}], "synthesis": {"files", "parts", "deep", "wires", "line"}, "energy": {"module", "addition"}}]}: the
# arguments of fredsim_switch_kind(). Files are relative to the checkout; "synthesis" has all file lists; "addition"
# is null for kinds that do not add. The build folder has it as kinds.json. Without one:
#
#   cmake -DFREDSIM_KINDS_JSON=FILE -P sc_models/switch/verilator/kinds_json.cmake
function(fredsim_json_strings result)
  set(text "")
  foreach(word ${ARGN})
    string(REGEX REPLACE "([\\\"])" "\\\\\\1" word "${word}")
    list(APPEND text "\"${word}\"")
  endforeach()
  list(JOIN text ", " text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(fredsim_write_kinds file)
  set(kinds "")
  foreach(kind ${ARGN})
    foreach(property TOP FILES PORTS BASIC PARAMETERS ENERGY SYNTHESIS_FILES SYNTHESIS_PARTS SYNTHESIS_DEEP SYNTHESIS_WIRES
            SYNTHESIS_LINE)
      get_property(${property} GLOBAL PROPERTY FREDSIM_KIND_${kind}_${property})
    endforeach()
    set(parameters "")
    foreach(row ${PARAMETERS})
      string(REGEX MATCH "^(.+) \\| ([0-9]+) \\| ([0-9]+) \\| ([0-9]+) \\| (.+)$" row "${row}")
      set(numbers "\"default\": ${CMAKE_MATCH_2}, \"min\": ${CMAKE_MATCH_3}, \"max\": ${CMAKE_MATCH_4}")
      set(name "${CMAKE_MATCH_1}")
      fredsim_json_strings(meaning "${CMAKE_MATCH_5}")
      list(APPEND parameters "\n     {\"name\": \"${name}\", ${numbers}, \"meaning\": ${meaning}}")
    endforeach()
    list(JOIN parameters "," parameters)
    foreach(part PARTS DEEP WIRES LINE)
      fredsim_json_strings(${part} ${SYNTHESIS_${part}})
    endforeach()
    fredsim_json_strings(lists ${FILES} ${SYNTHESIS_FILES})
    set(addition null)
    if(ENERGY MATCHES ":")
      set(addition "\"${ENERGY}\"")
    endif()
    string(REGEX REPLACE ":.*" "" module "${ENERGY}")
    string(CONCAT text
      "\n  {\"name\": \"${kind}\", \"top\": \"${TOP}\", \"files\": \"${FILES}\", \"ports\": \"${PORTS}\", \"basic\": ${BASIC},\n"
      "   \"parameters\": [${parameters}],\n"
      "   \"synthesis\": {\n     \"files\": [${lists}],\n     \"parts\": [${PARTS}],\n     \"deep\": [${DEEP}],\n"
      "     \"wires\": [${WIRES}],\n     \"line\": [${LINE}]},\n"
      "   \"energy\": {\"module\": \"${module}\", \"addition\": ${addition}}}")
    list(APPEND kinds "${text}")
  endforeach()
  list(JOIN kinds "," kinds)
  file(WRITE ${file} "{\"kinds\": [${kinds}\n]}\n")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE AND CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(switch ${CMAKE_CURRENT_LIST_DIR}/..)
  include(${CMAKE_CURRENT_LIST_DIR}/switch_kind.cmake)
  include(${switch}/kinds.cmake)
  foreach(kind ${FREDSIM_SWITCH_KINDS})
    include(${switch}/${kind}/kind.cmake)
  endforeach()
  fredsim_write_kinds("${FREDSIM_KINDS_JSON}" ${FREDSIM_SWITCH_KINDS})
endif()
