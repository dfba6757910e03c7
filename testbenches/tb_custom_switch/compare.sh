#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh FREDSIM CONFIG: runs one flit of all-reduce with our switch and with custom_switch and
# checks the difference in cycles: one per switch on the way up, across and down.
set -euo pipefail
fredsim=$1
config=$2
cycles() {
  "$fredsim" run "$config" --size 512 --quiet --json - "$@" |
    sed -n 's/^.*"cycles": *\([0-9]*\).*$/\1/p' | head -n 1
}
ours=$(cycles)
custom=$(cycles --set switch.rtl_top=custom_switch)
echo "fred_switch $ours cycles, custom_switch $custom cycles"
[ "$((custom - ours))" -eq 3 ]
