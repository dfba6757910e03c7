#!/usr/bin/env bash
# plain_build_test.sh CHECKOUT: a build without tests has the switch sizes of the quick start and no others, also where its
# folder has kept the list of before, in which tests' sizes were too; and its libraries, which are compiled together,
# make a program. Nothing runs for long: -O0.
set -euo pipefail
checkout=$1
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
unset CMAKE_GENERATOR
cd "$checkout"

fail() {
  cat "$build/log"
  echo "FAILED: $*"
  exit 1
}
configure() {
  cmake -S . -B "$build" -G Ninja -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 "$@" >"$build/log" 2>&1 ||
    fail "cmake $*"
}
# classes WANTED…: those of the switches, by the beginnings of their names.
classes() {
  local found
  found=$(grep -o "switch/verilated/V[a-z_]*[0-9]*_" "$build/build.ninja" | sed 's|.*/V||' | sort -u | tr '\n' ' ')
  [[ "$found" == "$* " ]] || { echo "found $found"; fail "other sizes than $*"; }
}

product=(fred_10_ fred_11_ fred_12_ fred_4_ mesh_4_)
configure
classes "${product[@]}"
# shellcheck disable=SC2016  # for CMake
# What the former default was: all sizes.
printf 'set(PROJECT_SOURCE_DIR "%s")\nset(BUILD_TESTING ON)\ninclude("%s/sc_models/switch/sizes.cmake")\nmessage("${FREDSIM_SWITCHES}")\n' \
  "$checkout" "$checkout" >"$build/all.cmake"
configure "-DFREDSIM_SWITCHES=$(cmake -P "$build/all.cmake" 2>&1)"
classes "${product[@]}"
configure "-DFREDSIM_SWITCHES=mesh NUM_LOCAL=1 NUM_IO=0 VC_DEPTH=5 CTRL_DEPTH=1"
classes mesh_1_

[[ "${2-}" == sizes ]] && exit
cmake --build "$build" --target fredsim >"$build/log" 2>&1 || fail "the program is not built"
"$build/fredsim" run configs/mesh_2x2.yaml --size 4KiB --quiet >"$build/log" 2>&1 || fail "it does not run"
grep -q exact "$build/log" || fail "it does not print its result"
