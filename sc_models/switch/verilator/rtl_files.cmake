# SPDX-License-Identifier: Apache-2.0
# fredsim_rtl_files(RESULT LIST): the sources that a file list (.f) names, as absolute paths, each once, those of the lists in it
# (-F LIST) where it names them. ${FREDSIM_RTL} stands for our rtl/. CMake is run again when a list changes.
# +incdir+FOLDER is for tools that read the list themselves: included files are found from the file that includes them.
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
