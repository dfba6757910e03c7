# SPDX-License-Identifier: Apache-2.0
# Run after Verilator (verilate.cmake), which ran in the folder `source`: gathers the C++ files of the class `prefix`,
# which are in `folder`, in fast.cpp and slow.cpp, and all of them in all.cpp; and lists in sources.d what they were made
# from, so that files which the Verilog includes count too.
include(${folder}/${prefix}.cmake)

function(gather part)
  list(TRANSFORM ARGN REPLACE "^.*/" "#include \"")
  list(TRANSFORM ARGN APPEND "\"\n")
  file(WRITE ${folder}/${part} ${ARGN})
endfunction()

set(fast ${${prefix}_CLASSES_FAST} ${${prefix}_SUPPORT_FAST})
set(trace ${fast})
list(FILTER trace INCLUDE REGEX "__Trace__[0-9]+\\.cpp$")
list(FILTER fast EXCLUDE REGEX "__Trace__[0-9]+\\.cpp$")
gather(fast.cpp ${fast})
gather(slow.cpp ${trace} ${${prefix}_CLASSES_SLOW} ${${prefix}_SUPPORT_SLOW})
gather(all.cpp ${folder}/fast.cpp ${folder}/slow.cpp)

# Ninja 1.11 cannot read an apostrophe here, and Verilator cuts a path at a space, which then is of no file; without
# those paths ninja misses an included file at worst.
set(sources "")
foreach(name ${${prefix}_DEPS})
  cmake_path(ABSOLUTE_PATH name BASE_DIRECTORY "${source}")
  if(EXISTS "${name}")
    list(APPEND sources ${name})
  endif()
endforeach()
list(FILTER sources EXCLUDE REGEX "'")
list(TRANSFORM sources REPLACE " " "\\\\ ")
list(JOIN sources " " sources)
string(REPLACE " " "\\ " first "${folder}/${prefix}.h")
file(WRITE ${folder}/sources.d "${first}: ${sources}\n")
