# SPDX-License-Identifier: Apache-2.0
# fredsim_switch_class(LIBRARY "fred P=4" [OPTIMISE -O1]): Verilates the switch of a size entry (sizes.cmake) into a
# library (verilator/verilate.cmake); its file list is read by fredsim_rtl_files(). In the caller it sets
# switch_prefix, the class; switch_key, the entry as the program writes it; and switch_row, what the registry
# (switch_registry.cpp.in) says of it, with switch_includes.
#
# Sizes that are built on demand (switch/on_demand) have the same arguments, settings and optimisation.
# The loops over ports must unroll, at 32 ports too: --unroll-stmts.
set(FREDSIM_SWITCH_ARGUMENTS -O3 --output-split 20000 --unroll-stmts 1000000 -Wno-fatal --trace-fst)
set(FREDSIM_SWITCH_OPTIMISE -O1)  # -O2 took twice as long to compile, and the wafer was not faster
set(FREDSIM_SWITCH_SETTINGS peek.vlt switch.vlt)
set(FREDSIM_SHARED_ADDER_LANES 16)  # limit of lanes, above which shared_adder.vlt is used

function(fredsim_switch_class library entry)
  cmake_parse_arguments(ARG "" "OPTIMISE" "" ${ARGN})
  fredsim_switch_size("${entry}")
  foreach(property TOP FILES SETTINGS CLASS)
    get_property(kind_${property} GLOBAL PROPERTY FREDSIM_KIND_${size_kind}_${property})
  endforeach()
  set(top ${kind_TOP})
  set(files "${kind_FILES}")
  if(size_top)
    set(top ${size_top})
    set(files "${size_files}")
  endif()
  cmake_path(ABSOLUTE_PATH files BASE_DIRECTORY ${fredsim_SOURCE_DIR})
  if(NOT EXISTS "${files}")
    message(FATAL_ERROR "switch size '${entry}': no file list '${files}'; allowed: the path of one, "
                        "absolute or from the source folder")
  endif()
  set(arguments "")
  foreach(name value IN ZIP_LISTS size_names size_values)
    list(APPEND arguments -G${name}=${value})
  endforeach()
  fredsim_rtl_files(sources ${files})
  list(TRANSFORM FREDSIM_SWITCH_SETTINGS PREPEND ${FREDSIM_VERILATOR}/ OUTPUT_VARIABLE settings)
  list(APPEND settings ${kind_SETTINGS})
  if(size_lanes GREATER FREDSIM_SHARED_ADDER_LANES)
    list(APPEND settings ${FREDSIM_VERILATOR}/shared_adder.vlt)
  endif()
  if(NOT ARG_OPTIMISE)
    set(ARG_OPTIMISE ${FREDSIM_SWITCH_OPTIMISE})
  endif()
  fredsim_verilate(${library}
    PREFIX ${size_prefix} TOP ${top} SOURCES ${settings} ${sources}
    ARGUMENTS ${arguments} ${FREDSIM_SWITCH_ARGUMENTS}
    OPTIMISE ${ARG_OPTIMISE})
  set(switch_prefix ${size_prefix} PARENT_SCOPE)
  set(switch_key "${size_key}" PARENT_SCOPE)
  set(switch_includes "#include <${size_prefix}/${size_prefix}.h>\n#include <${size_prefix}/${size_prefix}___024root.h>\n"
      PARENT_SCOPE)
  # A user's RTL may use the falling edge.
  set(edges kBoth)
  if(size_kind IN_LIST FREDSIM_SWITCH_KINDS AND NOT size_top)
    set(edges kRising)
  endif()
  set(arguments "${size_prefix}, ${kind_CLASS}Peek, ${size_ports}, ${size_lanes}, ClockEdges::${edges}")
  set(own_files "")
  if(size_top)
    set(own_files ", R\"_(${files})_\"")
  endif()
  set(switch_row "    {\"${size_key}\", make_verilated<${arguments}>${own_files}},\n" PARENT_SCOPE)
endfunction()
