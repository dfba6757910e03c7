#!/bin/sh
# side_by_side.sh PROGRAM FILTER: three runs of these GoogleTest cases at once pass, and nothing is left of them in the
# folder for temporary files.
set -eu
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
