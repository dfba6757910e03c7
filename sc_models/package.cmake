# SPDX-License-Identifier: Apache-2.0
# find_package(fredsim) for a project of others: fredsim-config.cmake in the build folder, for a program with our
# libraries in it and anything of its own (docs/developer/switch_kind.md). Libraries and functions have the names
# that they have here. There is no installation: the project builds against this build folder and this checkout.
if(TARGET fredsim_cli)  # not where only a few parts are built
  set(libraries "")
  foreach(library verilated_runtime rtl_packages systemc rtl_models asan_main_stack base digest topology routing switch_kinds
          switch links config results version report study collective nic npu fabric trace traffic engine chakra_messages workload_files workload program file_uses cli)
    foreach(target ${library} fredsim_${library})
      if(TARGET ${target})
        list(APPEND libraries ${target})
      endif()
    endforeach()
  endforeach()
  export(TARGETS ${libraries} FILE ${PROJECT_BINARY_DIR}/fredsim-targets.cmake)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/fredsim-config.cmake.in ${PROJECT_BINARY_DIR}/fredsim-config.cmake @ONLY)
endif()
