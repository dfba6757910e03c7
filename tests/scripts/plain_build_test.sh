#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plain_build_test.sh CHECKOUT: a build without tests has no switch sizes, also where its folder has
# kept the list of before, in which tests' sizes were too; one for a package has those of the quick
# start; and what it compiles for the program is what a build with tests compiles for it, in which
# the program runs.
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
  cmake -S . -B "$build" -G Ninja -DBUILD_TESTING=OFF "$@" >"$build/log" 2>&1 ||
    fail "cmake $*"
}
# classes WANTED…: Verilated classes of the switches, by prefixes of their names.
classes() {
  local found
  found=$({ grep -o "switch/verilated/V[a-z_]*[0-9]*_" "$build/build.ninja" || true; } | sed 's|.*/V||' | sort -u | tr '\n' ' ')
  [[ "$found" == "$*${1:+ }" ]] || { echo "found $found"; fail "other sizes than $*"; }
}

configure
classes
# shellcheck disable=SC2016  # for CMake
# The former default: all sizes.
printf 'set(PROJECT_SOURCE_DIR "%s")\nset(BUILD_TESTING ON)\nset(FREDSIM_RTL_TESTS ON)\ninclude("%s/sc_models/switch/sizes.cmake")\nmessage("${linked_switches};${test_switches}")\n' \
  "$checkout" "$checkout" >"$build/all.cmake"
configure "-DFREDSIM_SWITCHES=$(cmake -P "$build/all.cmake" 2>&1)"
classes
configure -DFREDSIM_PACKAGE=ON
classes fred_10_ fred_11_ fred_12_ mesh_4_
configure -DFREDSIM_PACKAGE=OFF "-DFREDSIM_SWITCHES=mesh NUM_LOCAL=1 NUM_IO=0 VC_DEPTH=5 CTRL_DEPTH=1"
classes mesh_1_

# compilations: of the program, but for Verilated classes.
compilations() { ninja -C "$build" -t commands fredsim | grep -F -- " -c " | grep -vF verilated/V | sort; }
compilations >"$build/plain.commands"
configure -DBUILD_TESTING=ON
compilations >"$build/tested.commands"
grep -q fredsim_cli "$build/plain.commands" || fail "the program's own files are not compiled"
cmp "$build/plain.commands" "$build/tested.commands" >"$build/log" || fail "a build with tests compiles the program otherwise"
