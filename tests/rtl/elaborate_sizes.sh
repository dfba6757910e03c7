#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Elaborates and lints all 93 sizes of fred_interconnect: P = 2 … 32, M = 2 … 4.
#
#   elaborate_sizes.sh VERILATOR RTL_FOLDER
# --xml-only stops after elaboration, width and usage checks, before the network is flattened: a
# full --lint-only of the largest sizes takes seconds each. Warnings are errors. Stops at the first
# bad size.
set -eu
verilator=$1
cd "$2"
count=0
for middle in 2 3 4; do
  ports=2
  while [ "$ports" -le 32 ]; do
    "$verilator" --xml-only --xml-output /dev/null -Wall lint.vlt \
      -F fred/fred_interconnect.f --top-module fred_interconnect -GP="$ports" -GM="$middle" || {
      echo "FAIL P=$ports M=$middle" >&2
      exit 1
    }
    count=$((count + 1))
    ports=$((ports + 1))
  done
done
echo "$count sizes elaborated without a warning"
