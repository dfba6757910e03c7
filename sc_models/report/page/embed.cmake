# SPDX-License-Identifier: Apache-2.0
# Writes a C++ source with the text of files in it: cmake -DOUTPUT=x.cpp -DHEADER=x.h -DTEXTS=kName=path;… -P embed.cmake
# A text of several files, kName=path|path, is their concatenation.
set(code "#include \"${HEADER}\"\n\nnamespace fredsim {\n\nnamespace {\n\n")
set(views "")
foreach(text ${TEXTS})
  string(REGEX MATCH "^([^=]+)=(.+)$" unused "${text}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "|" ";" files "${CMAKE_MATCH_2}")
  set(bytes "")
  foreach(file ${files})
    file(READ ${file} hex HEX)
    string(APPEND bytes "${hex}")
  endforeach()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND code "constexpr char ${name}Text[] = {${bytes}'\\0'};\n")
  string(APPEND views "const std::string_view ${name}(${name}Text, sizeof ${name}Text - 1);\n")
endforeach()
file(WRITE ${OUTPUT} "${code}\n}  // namespace\n\n${views}\n}  // namespace fredsim\n")
