#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# side_by_side.sh PROGRAM FILTER: three runs of these GoogleTest cases at once pass, and nothing is
# left of them in the folder for temporary files. A filter that no case passes is an error.
set -eu
"$1" --gtest_filter="$2" --gtest_list_tests | grep -q '^  ' || { echo "no test of $1 is $2"; exit 1; }
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
runs=
for _ in 1 2 3; do
  "$1" --gtest_filter="$2" --gtest_brief=1 &
  runs="$runs $!"
done
for run in $runs; do wait "$run"; done
left=$(ls -A "$TMPDIR")
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
