#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the RTL of the switches with their C++ twins, cycle by cycle, under random work: all kinds and sizes that are
# built, with stalls, register accesses, misprogrammed rows of the phase store and resets in mid-traffic:
#
#   scripts/lockstep.sh [CYCLES] [FIRST_SEED] [TESTBENCH…]     default: 10000000 cycles of each testbench, from seed 1
#
# Testbenches: tb_fred_switch (all kinds with phases), tb_mesh_router, tb_voq_crossbar.
# Prints the seeds and the cycles compared; at the first difference the seed, the cycle, the port, the field
# and both values, and ends with exit code 1. Interrupted, it says how to go on, and ends with exit code 130.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cycles="${1:-10000000}"
seed="${2:-1}"
[[ "$cycles" =~ ^[1-9][0-9]*$ ]] || die "CYCLES: found '$cycles'; allowed: a whole number from 1 on"
[[ "$seed" =~ ^[0-9]+$ ]] || die "FIRST_SEED: found '$seed'; allowed: a whole number from 0 on"
known=(tb_fred_switch tb_mesh_router tb_voq_crossbar)
benches=("${@:3}")
for bench in "${benches[@]}"; do
  [[ " ${known[*]} " == *" $bench "* ]] || die "TESTBENCH: found '$bench'; allowed: ${known[*]}"
done
if ((${#benches[@]} == 0)); then benches=("${known[@]}"); fi

need_packages "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}"
build_targets -DBUILD_TESTING=ON "${benches[@]}"
say "lockstep"
for bench in "${benches[@]}"; do
  code=0
  "build/$bench" --lockstep "$cycles" "$seed" || code=$?
  if ((code == 130)); then say "to go on: scripts/lockstep.sh with that CYCLES and FIRST_SEED and $bench; then what comes after it"; fi
  ((code == 0)) || exit "$code"
done
