# SPDX-License-Identifier: Apache-2.0
# What others get of fredsim: find_package(fredsim) in a build folder and in an installation, pkg-config, and what `cmake --install`
# installs. A program of others has our libraries in it and anything of its own (docs/developer/switch_kind.md, docs/user/install.md);
# libraries and functions have the names that they have here.
#
# An installation is relocatable: PREFIX/share/fredsim has rtl/, sc_models/ and configs/ as a checkout has them, and rtl_packages/ as a build
# folder has it; programs and CMake find it from where they are.
if(NOT TARGET fredsim_cli)  # where only a few parts are built
  return()
endif()
include(CMakePackageConfigHelpers)

set(libraries "")
foreach(library verilated_runtime rtl_packages systemc rtl_models asan_main_stack base ranks digest perfetto_messages chakra_messages workload_files
        profile synthesis topology ethernet import routing switch_kinds switch links config results energy version plan schedule_files collective systems placement
        operations report study flow nic npu fabric trace traffic engine experts schedules workload optimize program file_uses runner cli)
  foreach(target ${library} fredsim_${library})
    if(TARGET ${target})
      list(APPEND libraries ${target})
    endif()
  endforeach()
endforeach()

# All of them under one name, here as in projects of others.
set(public_libraries "")
foreach(library ${libraries})
  if(library MATCHES "^fredsim_")
    list(APPEND public_libraries ${library})
  endif()
endforeach()
list(REVERSE public_libraries)  # users before what they use
add_library(fredsim_libraries INTERFACE)
target_link_libraries(fredsim_libraries INTERFACE ${public_libraries})
add_library(fredsim::fredsim ALIAS fredsim_libraries)

get_target_property(ranks_links fredsim_ranks LINK_LIBRARIES)
set(config_mpi OFF)
set(mpi_libs "")
if("MPI::MPI_CXX" IN_LIST ranks_links)
  set(config_mpi ON)
  set(mpi_libs "-lmpi")
endif()

# ---- in the build folder
set(version_file ${PROJECT_BINARY_DIR}/fredsim-config-version.cmake)
write_basic_package_version_file(${version_file} COMPATIBILITY ExactVersion)
export(TARGETS ${libraries} FILE ${PROJECT_BINARY_DIR}/fredsim-targets.cmake)
set(config_source ${PROJECT_SOURCE_DIR})
set(config_program "\${CMAKE_CURRENT_LIST_DIR}/fredsim")
set(config_installed OFF)
configure_file(${CMAKE_CURRENT_LIST_DIR}/fredsim-config.cmake.in ${PROJECT_BINARY_DIR}/fredsim-config.cmake @ONLY)

# ---- installed
if(FREDSIM_SANITIZE)  # its flags are those of a build folder
  return()
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fredsim)
if(FREDSIM_PORTABLE)
  # lib/fredsim has what is not in every GNU/Linux of this age or younger (glibc and libstdc++ are). DT_RPATH, not DT_RUNPATH: libraries there
  # find each other by it too. The Python package is beside the program's prefix, or below it in lib/pythonX.Y/site-packages.
  set(FREDSIM_BUNDLED lib/fredsim)
  set_target_properties(fredsim PROPERTIES INSTALL_RPATH "$ORIGIN/../${FREDSIM_BUNDLED}")
  target_link_options(fredsim PRIVATE LINKER:--disable-new-dtags)
  install(TARGETS fredsim RUNTIME_DEPENDENCY_SET fredsim_needs RUNTIME COMPONENT program)
  if(TARGET _fredsim)
    set_target_properties(_fredsim PROPERTIES INSTALL_RPATH "$ORIGIN/../../../../${FREDSIM_BUNDLED}:$ORIGIN/../${FREDSIM_BUNDLED}")
    target_link_options(_fredsim PRIVATE LINKER:--disable-new-dtags)
  endif()
  install(RUNTIME_DEPENDENCY_SET fredsim_needs DESTINATION ${FREDSIM_BUNDLED} COMPONENT program
          POST_EXCLUDE_REGEXES "/lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so[.0-9]*$" "/ld-linux[^/]*$")
else()
  install(TARGETS fredsim RUNTIME COMPONENT program)
endif()
install(TARGETS ${libraries} EXPORT fredsim-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/fredsim COMPONENT development)
install(EXPORT fredsim-targets DESTINATION ${package_folder} COMPONENT development)
# Relative, so that both may move together.
cmake_path(RELATIVE_PATH FREDSIM_SHARE BASE_DIRECTORY ${package_folder} OUTPUT_VARIABLE share_from_package)
set(bin_folder ${CMAKE_INSTALL_BINDIR})
cmake_path(RELATIVE_PATH bin_folder BASE_DIRECTORY ${package_folder} OUTPUT_VARIABLE bin_from_package)
set(config_source "\${CMAKE_CURRENT_LIST_DIR}/${share_from_package}")
set(config_program "\${CMAKE_CURRENT_LIST_DIR}/${bin_from_package}/fredsim")
set(config_installed ON)
configure_file(${CMAKE_CURRENT_LIST_DIR}/fredsim-config.cmake.in ${PROJECT_BINARY_DIR}/package/fredsim-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/fredsim-config.cmake ${version_file} DESTINATION ${package_folder} COMPONENT development)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/rtl_locations.cpp.in DESTINATION ${FREDSIM_SHARE}/sc_models COMPONENT development)

# RTL of any size is built from these, by the program too.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/rtl DESTINATION ${FREDSIM_SHARE} COMPONENT program FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.f")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sc_models DESTINATION ${FREDSIM_SHARE} COMPONENT program
        FILES_MATCHING PATTERN "*.h" PATTERN "*.vlt" PATTERN "detail" EXCLUDE PATTERN "cli" EXCLUDE)
# The command line is for programs, no library: what testbenches of others have of it.
set(cli_headers command_line.h fredsim_main.h program_options.h)
list(TRANSFORM cli_headers PREPEND ${CMAKE_CURRENT_LIST_DIR}/cli/)
install(FILES ${cli_headers} DESTINATION ${FREDSIM_SHARE}/sc_models/cli COMPONENT program)
get_property(package_files GLOBAL PROPERTY FREDSIM_RTL_PACKAGE_FILES)
install(FILES ${package_files} DESTINATION ${FREDSIM_SHARE}/rtl_packages/rtl COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${FREDSIM_SHARE} COMPONENT program)
# The functions of CMake, and what they run.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sc_models DESTINATION ${FREDSIM_SHARE} COMPONENT development
        FILES_MATCHING PATTERN "*.cmake" PATTERN "*.in" PATTERN "rtl_package_header.py" PATTERN "fst_writer.cpp")
install(FILES ${PROJECT_BINARY_DIR}/kinds.json DESTINATION ${FREDSIM_SHARE} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# Manual pages and completion, from the help of the program.
set(pages fredsim)
foreach(command run compare calibrate train astra sweep optimize traffic new import info doctor route conflicts strategies report schema trace)
  list(APPEND pages fredsim-${command})
endforeach()
set(made "")
foreach(page ${pages})
  string(REGEX REPLACE "^fredsim-?" "" topic ${page})
  list(APPEND made ${PROJECT_BINARY_DIR}/package/${page}.1.gz)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/package/${page}.1.gz
                     COMMAND sh -c "\"$0\" help --man ${topic} | gzip -9n > \"$1\"" $<TARGET_FILE:fredsim>
                             ${PROJECT_BINARY_DIR}/package/${page}.1.gz
                     DEPENDS fredsim VERBATIM)
endforeach()
foreach(shell bash zsh fish)
  list(APPEND made ${PROJECT_BINARY_DIR}/package/completion.${shell})
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/package/completion.${shell}
                     COMMAND sh -c "\"$0\" help --completion ${shell} > \"$1\"" $<TARGET_FILE:fredsim>
                             ${PROJECT_BINARY_DIR}/package/completion.${shell}
                     DEPENDS fredsim VERBATIM)
endforeach()
add_custom_target(fredsim_pages ALL DEPENDS ${made})
# The first step of `cmake --install` builds what is missing, before anything is copied (CMakeLists.txt).
get_property(installed_targets GLOBAL PROPERTY FREDSIM_INSTALLED_TARGETS)
get_property(installed_files GLOBAL PROPERTY FREDSIM_INSTALLED_FILES)
add_custom_target(fredsim_installed DEPENDS fredsim fredsim_pages ${installed_targets})
set(files $<TARGET_FILE:fredsim> ${made} ${installed_files})
foreach(target ${libraries})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    add_dependencies(fredsim_installed ${target})
    list(APPEND files $<TARGET_FILE:${target}>)
  endif()
endforeach()
list(JOIN files "\"\n    \"" files)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/package/complete.cmake CONTENT
"foreach(file
    \"${files}\")
  if(NOT EXISTS \"\${file}\")
    message(STATUS \"Building: \${file} and whatever else is not there\")
    execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target fredsim_installed COMMAND_ERROR_IS_FATAL ANY)
    break()
  endif()
endforeach()
")
foreach(page ${pages})
  install(FILES ${PROJECT_BINARY_DIR}/package/${page}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/package/completion.bash RENAME fredsim
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/package/completion.zsh RENAME _fredsim
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/package/completion.fish RENAME fredsim.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

# pkg-config: static libraries in the order in which a linker wants them, users before what they use.
set(archives "")
foreach(target ${libraries})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    list(APPEND archives "-l${target}")
  endif()
endforeach()
list(REVERSE archives)
list(JOIN archives " " archives)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE prefix_from_pc)
configure_file(${CMAKE_CURRENT_LIST_DIR}/fredsim.pc.in ${PROJECT_BINARY_DIR}/package/fredsim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/fredsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(NOT FREDSIM_PACKAGE)
  return()
endif()
# A Debian package: cpack -G DEB (scripts/package.sh).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fredsim)
set(CPACK_PACKAGE_VENDOR "fredsim")
set(CPACK_PACKAGE_CONTACT "fredsim developers <fredsim@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-accurate model of a wafer-scale interconnect")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "SystemC models of NPUs, wafer links, mesh routers and FRED switches,
co-simulated with Verilated RTL of the switches: collectives, training and
synthetic traffic, with their latency and the load of every link, against a
two-dimensional mesh.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME fredsim)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "g++, verilator, zlib1g-dev")
set(mpi_packages "")
if(config_mpi)
  set(mpi_packages ", libopenmpi-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME fredsim-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "fredsim (= ${PROJECT_VERSION}), g++, cmake, pkg-config, verilator, libsystemc-dev, libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev, libcli11-dev, zlib1g-dev, libprotobuf-dev, libssl-dev, libmetis-dev, libnlopt-dev, libglpk-dev, libpugixml-dev, libbz2-dev${mpi_packages}, python3")
set(debian_names fredsim fredsim-dev)
set(debian_components program development)
get_property(python_minor GLOBAL PROPERTY FREDSIM_PYTHON_MINOR)
if(python_minor)
  list(APPEND CPACK_COMPONENTS_ALL python)
  list(APPEND debian_names python3-fredsim)
  list(APPEND debian_components python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-fredsim)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  math(EXPR next_python "${python_minor} + 1")  # the extension is of one version of Python
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "fredsim (= ${PROJECT_VERSION}), python3 (>= 3.${python_minor}), python3 (<< 3.${next_python})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib")
endif()
# What Debian wants in every package: licence and changes.
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md release REGEX "^## [0-9.]+ \\(" LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+" release_date "${release}")
execute_process(COMMAND date -u -R -d "${release_date}" OUTPUT_VARIABLE release_date OUTPUT_STRIP_TRAILING_WHITESPACE)
file(WRITE ${PROJECT_BINARY_DIR}/package/changelog
  "fredsim (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${release_date}\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/copyright
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: fredsim\n\n"
  "Files: *\nCopyright: 2026 the fredsim developers\nLicense: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n")
execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/package/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(package_name component IN ZIP_LISTS debian_names debian_components)
  install(FILES ${PROJECT_BINARY_DIR}/package/changelog.gz ${PROJECT_BINARY_DIR}/package/copyright
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_name} COMPONENT ${component})
endforeach()
include(CPack)
