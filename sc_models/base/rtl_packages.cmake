# SPDX-License-Identifier: Apache-2.0
# C++ headers of SystemVerilog packages: the package is the single source of constants for RTL, C++ and
# scripts.
#
#   fredsim_rtl_package(fred_pkg FILES rtl/common/noc_pkg.sv rtl/fred/fred_pkg.sv
#                       BY_PORTS levels BY_MIDDLE sel_w BY_SIZE row_words BY_ADDER stages)
#
# writes <rtl/fred_pkg.h>: every constant of the package, which is in the last of FILES, as a constexpr of
# the same name in namespace fredsim::fred_pkg, and the functions that are named: functions of a switch's
# ports, of its middle sub-networks, of both, or of ports and the stages of an adder. Verilator computes
# the values, at build time. Link fredsim_rtl_packages to include them.
# FILES are absolute or from the top of the checkout. The constants are in fred_pkg.json beside it, too, for
# scripts/fredsim_tools/rtl.py.
set(FREDSIM_RTL_PACKAGES ${CMAKE_CURRENT_LIST_DIR})
find_package(Python3 REQUIRED COMPONENTS Interpreter)  # Verilator needs it too
if(NOT TARGET fredsim_rtl_packages)  # an external project takes it from fredsim's build folder
  add_library(fredsim_rtl_packages INTERFACE)
endif()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/rtl_packages/rtl)
target_include_directories(fredsim_rtl_packages INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/rtl_packages>)
if(FREDSIM_SHARE)
  target_include_directories(fredsim_rtl_packages INTERFACE $<INSTALL_INTERFACE:${FREDSIM_SHARE}/rtl_packages>)
endif()

function(fredsim_rtl_package package)
  cmake_parse_arguments(ARG "" "" "FILES;BY_PORTS;BY_MIDDLE;BY_SIZE;BY_ADDER" ${ARGN})
  set(folder ${PROJECT_BINARY_DIR}/rtl_packages/rtl)
  set(work ${PROJECT_BINARY_DIR}/rtl_packages/${package})  # its own folder, since packages are made in parallel
  set(probe "// The functions of ${package} by size, as constants.\nmodule probe;\n")
  foreach(middle RANGE 2 4)
    foreach(name ${ARG_BY_MIDDLE})
      string(APPEND probe "  localparam int unsigned ${name}_m${middle} = ${package}::${name}(${middle});\n")
    endforeach()
  endforeach()
  foreach(ports RANGE 2 32)
    foreach(name ${ARG_BY_PORTS})
      string(APPEND probe "  localparam int unsigned ${name}_p${ports} = ${package}::${name}(${ports});\n")
    endforeach()
    foreach(stages RANGE 1 2)
      foreach(name ${ARG_BY_ADDER})
        string(APPEND probe "  localparam int unsigned ${name}_p${ports}a${stages} = "
                            "${package}::${name}(${ports}, ${stages});\n")
      endforeach()
    endforeach()
    foreach(middle RANGE 2 4)
      foreach(name ${ARG_BY_SIZE})
        string(APPEND probe "  localparam int unsigned ${name}_p${ports}m${middle} = "
                            "${package}::${name}(${ports}, ${middle});\n")
      endforeach()
    endforeach()
  endforeach()
  string(APPEND probe "endmodule\n")
  file(CONFIGURE OUTPUT ${work}/${package}_probe.sv CONTENT "${probe}" @ONLY)
  list(GET ARG_FILES -1 written_in)
  if(NOT IS_ABSOLUTE "${written_in}")  # a package of fredsim
    set_property(GLOBAL APPEND PROPERTY FREDSIM_RTL_PACKAGE_FILES ${folder}/${package}.h ${folder}/${package}.json)
  endif()
  # The files are copied, since both folders' paths may have spaces, which end a name in Verilator. --public
  # keeps a package that has constants only.
  list(TRANSFORM ARG_FILES REPLACE "^.*/" "" OUTPUT_VARIABLE names)
  set(sources "")
  foreach(file ${ARG_FILES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${fredsim_SOURCE_DIR})
    list(APPEND sources ${file})
  endforeach()
  add_custom_command(
    OUTPUT ${folder}/${package}.h ${folder}/${package}.json
    COMMAND ${CMAKE_COMMAND} -E copy ${sources} .
    COMMAND ${VERILATOR_BIN} --xml-only --xml-output ${package}.xml --Mdir . --public --top-module probe
            ${names} ${package}_probe.sv
    COMMAND Python3::Interpreter ${FREDSIM_RTL_PACKAGES}/rtl_package_header.py
            ${package} ${package}.xml ${written_in} ../rtl/${package}.h ../rtl/${package}.json
    DEPENDS ${sources} ${work}/${package}_probe.sv ${FREDSIM_RTL_PACKAGES}/rtl_package_header.py
    WORKING_DIRECTORY ${work}
    COMMENT "Constants of ${package}"
    VERBATIM)
  add_custom_target(rtl_${package} DEPENDS ${folder}/${package}.h)
  add_dependencies(fredsim_rtl_packages rtl_${package})
endfunction()
