#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# own_npu_outside.sh CHECKOUT BUILD: runs the commands of docs/user/testbench.md, as they stand
# there: a copy of testbenches/tb_own_npu as a project by itself, in a folder whose path has a
# space, built against the build folder BUILD. The program calls itself by the folder's name, and
# takes the cycles that tb_own_npu takes. The CMakeLists.txt that the page shows then builds the
# same, and after its sed the program prints what the page shows. Compiler flags are taken from the
# environment, as CMake takes them.
set -euo pipefail
checkout=$1
build=$2
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
project="$top/my npu"
export project build
cd "$checkout"

fail() {
  echo "FAILED: $*"
  exit 1
}
# lines FIRST: the indented lines of the page from the first one that begins so to the end of its
# block.
lines() {
  awk -v first="    $1" '
    !/^    / {on = 0}
    index($0, first) == 1 {on = 1}
    on {print substr($0, 5)}' docs/user/testbench.md
}

# The program is named after the folder, in which a space is no letter of a target.
# shellcheck disable=SC2016  # for eval, later
here() { sed 's|/tmp/my_npu/build/my_npu|"$project"/build/my_npu|; s|/tmp/my_npu|"$project"|g; s|\$PWD/build|"$build"|g'; }
mapfile -t commands < <(lines "cp -r testbenches" | here)
((${#commands[@]} == 4)) || fail "${#commands[@]} commands on the page: $(printf '\n  %s' "${commands[@]}")"
for command in "${commands[@]}"; do
  echo "== $command"
  eval "$command" >"$top/log" 2>&1 || { cat "$top/log"; fail "$command"; }
done
grep -q "^Usage: my_npu \[OPTIONS\]" "$top/log" || { cat "$top/log"; fail "the help names another program"; }
if grep -q "tb_own_npu " "$top/log"; then cat "$top/log"; fail "the help names the example"; fi
if "$project/build/my_npu" --model verilog >"$top/log" 2>&1; then fail "a wrong model is taken"; fi
grep -q "^my_npu: " "$top/log" || { cat "$top/log"; fail "a message is by another program"; }

echo "== a project that says no build type"
env -u CMAKE_BUILD_TYPE cmake -S "$project" -B "$top/release" "-Dfredsim_DIR=$build" >"$top/log" 2>&1 || { cat "$top/log"; fail "cmake without a build type"; }
grep -q "fredsim: found no CMAKE_BUILD_TYPE; Release is taken" "$top/log" || { cat "$top/log"; fail "no word of the build type"; }
grep -q "^CMAKE_BUILD_TYPE:.*=Release$" "$top/release/CMakeCache.txt" || fail "no release"

same_table() { # PROGRAM: as tb_own_npu
  for model in tlm rtl; do
    "$build/tb_own_npu" --model "$model" >"$top/ours" 2>/dev/null
    "$1" --model "$model" >"$top/theirs" 2>/dev/null
    cmp "$top/ours" "$top/theirs" || fail "$1 --model $model prints another table"
  done
}
same_table "$project/build/my_npu"

echo "== traffic of one's own"
lines "sed -i" | here >"$top/commands"
lines "   size  cycles" >"$top/shown"
((3 == $(wc -l <"$top/commands") && 7 == $(wc -l <"$top/shown"))) || { cat "$top/commands" "$top/shown"; fail "another step on the page"; }
while read -r command; do
  eval "$command" >"$top/log" 2>&1 || { cat "$top/log"; fail "$command"; }
done <"$top/commands"
while read -r line; do
  grep -qF -- "$line" "$top/log" || { cat "$top/log"; fail "not printed: $line"; }
done <"$top/shown"

echo "== the CMakeLists.txt of the page"
lines "cmake_minimum_required" >"$top/shown"
[[ -s "$top/shown" ]] || fail "the page shows none"
# Built, it would be what has been built; so what it says is looked for in that of the folder, whose
# program is ${name}.
while read -r line; do
  grep -qF "${line//my_npu/\${name\}}" "$project/CMakeLists.txt" || fail "not in that of the folder: $line"
done <"$top/shown"
