# SPDX-License-Identifier: Apache-2.0
# fredsim_rtl_files(RESULT LIST): sources of a file list (.f) as absolute paths, each once, with the sources
# of nested lists (-F LIST) in their place. ${FREDSIM_RTL} stands for fredsim's rtl/. CMake runs again when a
# list changes. +incdir+FOLDER is for tools that read the list themselves: included files are found relative
# to the including file.
function(fredsim_rtl_files result list)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  get_filename_component(folder ${list} DIRECTORY)
  file(STRINGS ${list} lines REGEX "^([^/+]|/[^/])")
  set(files "")
  foreach(line ${lines})
    string(REPLACE "\${FREDSIM_RTL}" "${fredsim_SOURCE_DIR}/rtl" line "${line}")
    string(REGEX REPLACE "^-F +" "" name "${line}")
    cmake_path(ABSOLUTE_PATH name BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE path)
    if(line MATCHES "^-F ")
      fredsim_rtl_files(listed ${path})
      list(APPEND files ${listed})
    else()
      list(APPEND files ${path})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${result} ${files} PARENT_SCOPE)
endfunction()
