#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_targets of scripts/lib.sh with a cmake of its own: what is printed of a build that succeeds
# and of one that fails.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/scripts"
cp scripts/lib.sh "$folder/scripts" # build/ is beside it

fail() {
  printf 'progress_test.sh: %s\n%s\n' "$1" "$(cat -v "$folder/output")" >&2
  exit 1
}

cat >"$folder/bin/cmake" <<'END'
#!/bin/bash
[[ "$1" == --build ]] || { echo "-- a long line of the configuration"; exit 0; }
for ((i = 1; i <= 200; i++)); do echo "[$i/200] Building CXX object $(printf 'x%.0s' {1..120}).o"; done
[[ -z "$FAILS" ]] || { echo "FAILED: x.o"; echo "x.cpp:1: error: no"; exit 3; }
END
chmod +x "$folder/bin/cmake"
# shellcheck disable=SC2016  # for the script
printf '%s\n' 'source "$(dirname "$0")/lib.sh"' 'build_targets fredsim' 'echo "and then the rest"' >"$folder/scripts/run.sh"
export PATH="$folder/bin:$PATH" FAILS=

bash "$folder/scripts/run.sh" >"$folder/output" 2>&1 || fail "it fails"
(($(wc -l <"$folder/output") <= 12)) || fail "more than a line for each tenth, one before and one after"
if grep -q '.\{81\}' "$folder/output"; then fail "a line of more than 80 columns"; fi
grep -q "step 200 of 200" "$folder/output" || fail "no word of the end"
grep -q "and then the rest" "$folder/output" || fail "it does not go on"

script -qec "bash '$folder/scripts/run.sh'" /dev/null </dev/null >"$folder/output" 2>&1 || fail "it fails on a terminal"
(($(wc -l <"$folder/output") == 3)) || fail "more than one line of progress on a terminal"

export FAILS=yes
code=0
bash "$folder/scripts/run.sh" >"$folder/output" 2>&1 || code=$?
((code == 3)) || fail "exit code $code of a build that fails, not its own"
grep -q "^x.cpp:1: error: no" "$folder/output" || fail "the error is lost"
if grep -q "and then the rest" "$folder/output"; then fail "it goes on after a failure"; fi
echo "ok"
