#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# generators_test.sh CHECKOUT: Verilates and builds one switch size with Make and GCC and with Ninja
# and Clang 14 (all else is built with Ninja and GCC), in a folder whose name has a space, and a
# second time, when nothing must be left to do; with Clang then what is around it, fredsim_switch.
# Nothing runs: -O0. Without a generator being named, CMake's default is taken.
set -euo pipefail
checkout=$1
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
unset CMAKE_GENERATOR

fail() {
  cat "$top/log"
  echo "FAILED: $*"
  exit 1
}

for pair in "Unix Makefiles:g++" "Ninja:clang++-14"; do
  generator=${pair%:*}
  compiler=${pair#*:}
  echo "== $generator, $compiler"
  build="$top/$generator $compiler"
  cmake -S "$checkout" -B "$build" -G "$generator" -DBUILD_TESTING=OFF -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 "-DFREDSIM_SWITCHES=mesh NUM_LOCAL=1 NUM_IO=0 VC_DEPTH=5 CTRL_DEPTH=1" \
    "-DFREDSIM_PARTS=sc_models/base;sc_models/topology;sc_models/routing;sc_models/switch" >"$top/log" 2>&1 ||
    fail "it is not configured"
  cmake --build "$build" --target fredsim_rtl_models >"$top/log" 2>&1 || fail "it is not built"
  if grep -q "warning:" "$top/log"; then fail "there are warnings"; fi
  cmake --build "$build" --target fredsim_rtl_models >"$top/log" 2>&1 || fail "it is not built again"
  if grep -qE 'Building|Verilating' "$top/log"; then fail "all that is built is built once more"; fi
done
cmake --build "$build" --target fredsim_switch >"$top/log" 2>&1 || fail "what is around it is not built by Clang"
