# SPDX-License-Identifier: Apache-2.0
# Requirements of tests, read with BUILD_TESTING only: GoogleTest, and fredsim_test().
include(GoogleTest)
include(${CMAKE_CURRENT_LIST_DIR}/labels.cmake)
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  message(FATAL_ERROR "no GoogleTest found, which the tests need; allowed: install it (Debian: libgtest-dev), or "
                      "configure without tests: -DBUILD_TESTING=OFF")
endif()

# RTL that tests build on demand is kept in the build folder, not in the user's. CTest reads this
# file with the list of tests.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_environment.cmake @ONLY
     CONTENT "set(ENV{FREDSIM_CACHE} [==[${PROJECT_BINARY_DIR}/rtl_cache]==])\n")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/test_environment.cmake)

# fredsim_test(base SOURCES … SUPPORT … DEPS … [RTL] [PROCESSORS 2]): one folder of tests/, with
# files of tests/support/ (systemc_main: what a test needs that elaborates SystemC modules), with
# RTL the switch sizes of tests, one process per GoogleTest case. What the tests call is optimised,
# they themselves are not, for the sake of the build time; for which the largest of their headers
# are precompiled, once for all of them, in fredsim_test_headers.
set(test_options ${FREDSIM_WARNINGS} -O0 -fpch-preprocess)
file(CONFIGURE OUTPUT test_headers.cpp CONTENT "")  # a library needs a source
add_library(fredsim_test_headers STATIC ${PROJECT_BINARY_DIR}/test_headers.cpp)
target_compile_options(fredsim_test_headers PRIVATE ${test_options})
target_precompile_headers(fredsim_test_headers PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
target_link_libraries(fredsim_test_headers PRIVATE GTest::gtest nlohmann_json::nlohmann_json)

function(fredsim_test name)
  cmake_parse_arguments(ARG "RTL" "PROCESSORS" "SOURCES;SUPPORT;DEPS" ${ARGN})
  list(TRANSFORM ARG_SUPPORT REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tests/support/\\1.cpp")
  add_executable(test_${name} ${ARG_SOURCES} ${ARG_SUPPORT})
  target_compile_options(test_${name} PRIVATE ${test_options})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)  # files that tests share
  target_precompile_headers(test_${name} REUSE_FROM fredsim_test_headers)
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD ${FREDSIM_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  if(FREDSIM_UNITY)
    target_compile_options(test_${name} PRIVATE -Wno-shadow)  # names of other files
  endif()
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
  if(ARG_RTL)
    fredsim_tested_sizes(test_${name})
  endif()
  if(NOT ARG_PROCESSORS)
    set(ARG_PROCESSORS 1)
  endif()
  fredsim_discover(test_${name} ${name} PROCESSORS ${ARG_PROCESSORS})
endfunction()
