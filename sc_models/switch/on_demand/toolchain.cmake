# SPDX-License-Identifier: Apache-2.0
# Data that a program needs to build the RTL of a switch size like this build (rtl_toolchain.h, rtl_size.h):
# rtl_toolchain.cpp, tools and flags, and source_digests.cpp, files and their digests, which the build writes.
execute_process(COMMAND ${VERILATOR_BIN} --version OUTPUT_VARIABLE verilator_version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^Verilator [0-9.]+" verilator_version "${verilator_version}")
set(compiler_version ${CMAKE_CXX_COMPILER_VERSION})
set(version_flag -dumpversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(version_flag -dumpfullversion)
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${VERILATOR_BIN} ${CMAKE_CXX_COMPILER})

string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
separate_arguments(compile UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
separate_arguments(link UNIX_COMMAND "${CMAKE_SHARED_LINKER_FLAGS}")
# A library exports one symbol, so that calls inside it are direct.
list(APPEND compile ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} -fPIC -fvisibility=hidden -fno-semantic-interposition)
fredsim_quoted(verilate_words ${FREDSIM_VERILATOR_ARGUMENTS} ${FREDSIM_SWITCH_ARGUMENTS} ${FREDSIM_VERILATOR_LAST_ARGUMENTS})
list(TRANSFORM FREDSIM_SWITCH_SETTINGS PREPEND sc_models/switch/verilator/ OUTPUT_VARIABLE settings)
fredsim_quoted(settings_words ${settings})
set(shared_adder sc_models/switch/verilator/shared_adder.vlt)
fredsim_quoted(include_words ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
fredsim_quoted(compile_words ${compile})
fredsim_quoted(fast_words ${FREDSIM_SWITCH_OPTIMISE} ${fewer_passes})
fredsim_quoted(slow_words -O0)
set(around_words "")
fredsim_quoted(link_words -shared ${link})
configure_file(on_demand/rtl_toolchain.cpp.in rtl_toolchain.cpp @ONLY)

set(patterns rtl/*/*.sv rtl/*/*.svh rtl/*/*.f sc_models/switch/*/*.vlt sc_models/base/*.h sc_models/routing/*.h sc_models/topology/*.h
    sc_models/switch/*.h sc_models/switch/*/*.h)
list(TRANSFORM patterns PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
file(GLOB sources ${sources})
list(JOIN patterns "|" patterns)
add_custom_command(
  OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/source_digests.cpp
  COMMAND ${CMAKE_COMMAND} -D root=${PROJECT_SOURCE_DIR} -D patterns=${patterns}
          -D output=${CMAKE_CURRENT_BINARY_DIR}/source_digests.cpp -P ${CMAKE_CURRENT_SOURCE_DIR}/on_demand/source_digests.cmake
  DEPENDS ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/on_demand/source_digests.cmake
  COMMENT "Digests of RTL and headers"
  VERBATIM)
