# SPDX-License-Identifier: Apache-2.0
# Kinds and sizes of switches as C++ tables for a program that adds them.
#
#   fredsim_switch_library(my_switches KINDS my_kind… SOURCES my_kind.cpp my_twin.cpp… SIZES "my_kind P=4"…)
#
# makes the library my_switches for a program with further kinds: their SOURCES, and the RTL of SIZES, entries of
# any kind like in switch/sizes.cmake. A program that links it includes "my_switches.h" and begins with
# fredsim::add_my_switches(). Before it, fredsim_switch_kind() has described the kinds; in that folder are
# <kind>_kind.h and <kind>_peek.h (switch/switch_kind.h).
function(fredsim_switch_library library)
  cmake_parse_arguments(ARG "" "" "KINDS;SOURCES;SIZES" ${ARGN})
  foreach(list KINDS SOURCES SIZES)
    if(NOT ARG_${list})
      message(FATAL_ERROR "fredsim_switch_library(${library}): found no ${list}; allowed: one or more")
    endif()
  endforeach()
  get_property(kinds GLOBAL PROPERTY FREDSIM_KINDS)
  foreach(kind ${ARG_KINDS})
    if(NOT kind IN_LIST kinds OR kind IN_LIST FREDSIM_SWITCH_KINDS)
      message(FATAL_ERROR "fredsim_switch_library(${library}): found the kind '${kind}'; allowed: one of your own that "
                          "fredsim_switch_kind() has described")
    endif()
  endforeach()
  fredsim_verilated_library(${library}_models)
  fredsim_switch_classes(${library}_models ${ARG_SIZES})
  fredsim_kind_tables(${kinds})
  set(all_peeks "${peek_includes}")
  fredsim_kind_tables(${ARG_KINDS})
  set(peek_includes "${all_peeks}")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${library})
  configure_file(${fredsim_SOURCE_DIR}/sc_models/switch/switch_library.h.in ${folder}/${library}.h @ONLY)
  configure_file(${fredsim_SOURCE_DIR}/sc_models/switch/switch_library.cpp.in ${folder}/${library}.cpp @ONLY)
  add_library(${library} STATIC ${ARG_SOURCES} ${folder}/${library}.cpp)
  target_include_directories(${library} PUBLIC ${folder})
  target_link_libraries(${library} PUBLIC fredsim_switch ${library}_models)
endfunction()

# fredsim_tested_sizes(PROGRAM): the program has the switch sizes of tests, too (tests/switch/sizes.cmake).
function(fredsim_tested_sizes program)
  if(TARGET fredsim_tested_registry)
    target_link_libraries(${program} PRIVATE fredsim_tested_registry)
  endif()
endfunction()

# fredsim_switch_classes(LIBRARY ENTRY…): the Verilated classes of size entries (switch_class.cmake), each once. In the
# caller it sets registry_includes and registry_rows.
function(fredsim_switch_classes library)
  set(registry_includes "")
  set(registry_rows "")
  set(keys "")
  set(files "")
  set(entries ${ARGN})
  list(REMOVE_DUPLICATES entries)
  foreach(entry ${entries})
    fredsim_switch_size("${entry}")
    list(FIND keys "${size_key}" index)
    if(NOT index EQUAL -1)
      list(GET files ${index} before)
      if(before STREQUAL ":${size_files}")
        continue()  # another spelling of a size listed before
      endif()
      message(FATAL_ERROR "switch sizes: '${size_key}' is there twice, with different file lists; "
                          "found again in '${entry}'; allowed: one, or another name of the top module")
    endif()
    list(APPEND keys "${size_key}")
    list(APPEND files ":${size_files}")
    fredsim_switch_class(${library} "${entry}")
    string(APPEND registry_includes "${switch_includes}")
    string(APPEND registry_rows "${switch_row}")
  endforeach()
  set(registry_includes "${registry_includes}" PARENT_SCOPE)
  set(registry_rows "${registry_rows}" PARENT_SCOPE)
endfunction()

# fredsim_quoted(RESULT WORD…): the words as raw strings of C++, with commas.
function(fredsim_quoted result)
  list(TRANSFORM ARGN REPLACE "(.+)" "R\"_(\\1)_\"")
  list(JOIN ARGN ", " text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# fredsim_kind_tables(KIND…): texts of C++ about kinds, in the caller: kind_includes, peek_includes; kind_list, the
# kinds; kind_facts, what their kind.cmake say (SwitchFacts); kind_calls, which add both.
function(fredsim_kind_tables)
  set(kind_includes "")
  set(peek_includes "")
  set(kind_list "")
  set(kind_facts "")
  set(kind_calls "")
  foreach(kind ${ARGN})
    foreach(property TOP FILES ROWS BASIC PORTS_CPP FOLDER SETTINGS CLASS)
      get_property(${property} GLOBAL PROPERTY FREDSIM_KIND_${kind}_${property})
    endforeach()
    # Built-in kinds are found by the name of their folder, wherever the checkout is.
    string(REPLACE "${fredsim_SOURCE_DIR}/sc_models/" "" folder "${FOLDER}")
    set(includes "")
    set(rising true)
    if(NOT kind IN_LIST FREDSIM_SWITCH_KINDS)
      set(includes "${FOLDER}" "${PROJECT_BINARY_DIR}/rtl_packages")
      set(rising false)
    endif()
    string(REPLACE "${fredsim_SOURCE_DIR}/" "" settings "${SETTINGS}")
    fredsim_quoted(settings ${settings})
    fredsim_quoted(includes ${includes})
    string(CONCAT rtl ".rtl = {.files = R\"_(${FILES})_\",\n               .settings = {${settings}},\n"
           "               .peek = \"${CLASS}Peek\",\n               .peek_header = R\"_(${folder}/${kind}_peek.h)_\",\n"
           "               .includes = {${includes}},\n               .rising_edges_only = ${rising}}")
    string(APPEND kind_includes "#include \"${folder}/${kind}_kind.h\"\n")
    string(APPEND peek_includes "#include \"${folder}/${kind}_peek.h\"\n")
    string(APPEND kind_list "&${kind}_kind(), ")
    string(CONCAT facts "{.name = \"${kind}\",\n       .rtl_top = \"${TOP}\",\n"
           "       .parameters = {\n${ROWS}       },\n       .basic = ${BASIC},\n"
           "       .ports = [](std::span<const int> values) { return ${PORTS_CPP}; },\n       ${rtl}}")
    string(APPEND kind_facts "\n      ${facts},")
    string(APPEND kind_calls "  add_switch_kind(\n      ${facts},\n      &${kind}_kind);\n")
  endforeach()
  foreach(text kind_includes peek_includes kind_list kind_facts kind_calls)
    set(${text} "${${text}}" PARENT_SCOPE)
  endforeach()
endfunction()
