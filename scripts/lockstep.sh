#!/usr/bin/env bash
# Compares the RTL of the switches with their C++ twins, cycle by cycle, under random work:
#
#   scripts/lockstep.sh [CYCLES] [FIRST_SEED]     default: 10000000 cycles of each switch, from seed 1
#
# Prints the seeds and the cycles compared; at the first difference the seed, the cycle, the port, the field
# and both values, and ends with exit code 1.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cycles="${1:-10000000}"
seed="${2:-1}"
[[ "$cycles" =~ ^[1-9][0-9]*$ ]] || die "CYCLES: found '$cycles'; allowed: a whole number from 1 on"
[[ "$seed" =~ ^[0-9]+$ ]] || die "FIRST_SEED: found '$seed'; allowed: a whole number from 0 on"

need_packages "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}"
build_targets -DBUILD_TESTING=ON tb_fred_switch tb_mesh_router tb_voq_crossbar
say "lockstep"
build/tb_fred_switch --lockstep "$cycles" "$seed"
build/tb_mesh_router --lockstep "$cycles" "$seed"
build/tb_voq_crossbar --lockstep "$cycles" "$seed"
