#!/usr/bin/env bash
# compare.sh FREDSIM CONFIG: runs one flit of all-reduce with our switch and with own_switch and checks the
# difference in cycles: one per switch on the way up, across and down.
set -euo pipefail
fredsim=$1
config=$2
cycles() {
  "$fredsim" run "$config" --size 512 --quiet --json - "$@" |
    sed -n 's/^.*"cycles": *\([0-9]*\).*$/\1/p' | head -n 1
}
ours=$(cycles)
own=$(cycles --set switch.rtl_top=own_switch)
echo "fred_switch $ours cycles, own_switch $own cycles"
[ "$((own - ours))" -eq 3 ]
