# SPDX-License-Identifier: Apache-2.0
# Verilated classes: fredsim_verilated_library(LIBRARY [NONE]) makes a library for them, and
#
#   fredsim_verilate(LIBRARY PREFIX … TOP … SOURCES … ARGUMENTS … OPTIMISE -O2 [TRACE])
#
# adds one class to it, included as "PREFIX/PREFIX.h". OPTIMISE is for what runs every cycle, -O0 compiles
# fastest; TRACE: the class can write waves. Passes that g++ 12 spends long in on these long functions, with -fno-gcse
# 70 % of its time at -O2, and whose gain is not seen, are left out.
# Verilator's own verilate() runs Verilator when CMake configures, one class after the other, and again
# at the first build. Here it runs at build time, beside all other jobs. Only then are the names of the
# generated files known, so parts.cmake gathers them in files whose names are known before; which also
# compiles Verilator's headers twice instead of twenty times.
# Assertions are on, in every class; parameters out of range stop the build.
set(FREDSIM_VERILATOR ${CMAKE_CURRENT_LIST_DIR})
# Verilator's arguments for all classes, before and behind those of a class.
set(FREDSIM_VERILATOR_ARGUMENTS --cc --relative-includes --assert --x-assign fast --x-initial fast)
set(FREDSIM_VERILATOR_LAST_ARGUMENTS -Werror-USERFATAL)

# fredsim_without_sanitizers(TARGET): takes the options of FREDSIM_SANITIZE from a target that has just been added.
# Generated code is built without our warnings, and without sanitizers: they would take most of the
# build, and Verilator's own code for waves reads and writes at unaligned addresses, which x86 and ARM
# allow.
function(fredsim_without_sanitizers target)
  get_property(options TARGET ${target} PROPERTY COMPILE_OPTIONS)
  list(REMOVE_ITEM options ${FREDSIM_SANITIZE_OPTIONS})
  set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS ${options})
endfunction()

set(fewer_passes "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(fewer_passes -fno-gcse -fno-tree-sra -fno-tree-dominator-opts)
endif()

# Verilator's runtime, once for all classes; a project of others has that of our build folder. Waves need zlib.
find_package(ZLIB REQUIRED)
if(NOT TARGET verilated_runtime)
  set(runtime verilated.cpp verilated_cov.cpp verilated_dpi.cpp verilated_threads.cpp)
  list(TRANSFORM runtime PREPEND ${VERILATOR_ROOT}/include/)
  cmake_path(GET FREDSIM_VERILATOR PARENT_PATH switch_folder)
  add_library(verilated_runtime STATIC ${runtime} ${switch_folder}/fst_writer.cpp)  # which includes verilated_fst_c.cpp
  fredsim_without_sanitizers(verilated_runtime)
  # Messages of the RTL, failed assertions first of all, go to stderr: stdout may be a JSON document.
  target_compile_options(verilated_runtime PRIVATE -O2 "-DVL_PRINTF(...)=std::fprintf(stderr, __VA_ARGS__)"
                         -include cstdio)
  target_include_directories(verilated_runtime PRIVATE ${switch_folder}/..)
  target_include_directories(verilated_runtime SYSTEM PUBLIC ${VERILATOR_ROOT}/include
                                                             ${VERILATOR_ROOT}/include/vltstd)
  target_link_libraries(verilated_runtime PUBLIC Threads::Threads ZLIB::ZLIB)
endif()

# The precompiled header fits what is not optimised, which is most of the files. NONE: there are no classes, and nothing to compile.
function(fredsim_verilated_library library)
  if("NONE" IN_LIST ARGN)
    add_library(${library} INTERFACE)
    target_include_directories(${library} SYSTEM INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/verilated>)
    target_link_libraries(${library} INTERFACE verilated_runtime)
    return()
  endif()
  add_library(${library} STATIC)
  fredsim_without_sanitizers(${library})
  target_compile_options(${library} PRIVATE -O0 -fpch-preprocess)
  target_precompile_headers(${library} PRIVATE <verilated.h>)
  # One folder for all classes: with one more, nobody else's command line changes.
  target_include_directories(${library} SYSTEM PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/verilated>)
  target_link_libraries(${library} PUBLIC verilated_runtime)
endfunction()

function(fredsim_verilate library)
  cmake_parse_arguments(ARG "TRACE" "PREFIX;TOP;OPTIMISE" "SOURCES;ARGUMENTS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/verilated/${ARG_PREFIX})
  if(ARG_TRACE)
    list(APPEND ARG_ARGUMENTS --trace-fst)
  endif()
  if(ARG_OPTIMISE STREQUAL "-O0")
    set(parts ${folder}/all.cpp)
  else()
    # slow: reset, initial state, and waves, which -O1 would write in 14 % less time.
    set(parts ${folder}/fast.cpp ${folder}/slow.cpp)
  endif()
  set_source_files_properties(${folder}/fast.cpp PROPERTIES
                              COMPILE_OPTIONS "${ARG_OPTIMISE};${fewer_passes}" SKIP_PRECOMPILE_HEADERS ON)
  # Verilator ends the name of a source at a space: file patterns in its settings would not fit, and messages be wrong.
  # From the top of the checkout names have none, whatever the path to it.
  # The folder of a file that includes others is such a name, so folders are given, too.
  set(names "")
  set(folders "")
  foreach(source ${ARG_SOURCES})
    cmake_path(IS_PREFIX fredsim_SOURCE_DIR "${source}" NORMALIZE inside)
    if(inside)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${fredsim_SOURCE_DIR})
    endif()
    list(APPEND names ${source})
    cmake_path(GET source PARENT_PATH source_folder)
    if(source_folder MATCHES " ")
      list(APPEND folders "-I${source_folder}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  add_custom_command(
    OUTPUT ${folder}/${ARG_PREFIX}.h ${parts}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}  # Verilator makes only the last folder of a path
    COMMAND ${VERILATOR_BIN} --make cmake --Mdir ${folder} --prefix ${ARG_PREFIX} --top ${ARG_TOP}
            ${FREDSIM_VERILATOR_ARGUMENTS} ${ARG_ARGUMENTS} ${FREDSIM_VERILATOR_LAST_ARGUMENTS} ${folders} ${names}
    COMMAND ${CMAKE_COMMAND} -D folder=${folder} -D prefix=${ARG_PREFIX} -D source=${fredsim_SOURCE_DIR}
            -P ${FREDSIM_VERILATOR}/parts.cmake
    DEPENDS ${ARG_SOURCES} ${VERILATOR_BIN} ${FREDSIM_VERILATOR}/parts.cmake
    DEPFILE ${folder}/sources.d
    WORKING_DIRECTORY ${fredsim_SOURCE_DIR}
    COMMENT "Verilating ${ARG_PREFIX}"
    VERBATIM)
  target_sources(${library} PRIVATE ${parts})
endfunction()
