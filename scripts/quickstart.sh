#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh checkout to the main result: installs missing packages (Debian 12, root or sudo),
# builds build/fredsim, and compares Fred-D with the baseline mesh, by the paper's algorithm and the
# best, an all-reduce over all 20 NPUs: by the switches' twins, and then with their RTL in lockstep.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat <<'EOT'
From a fresh checkout to the main result, in four steps. What is there already is not done again.

  1. Debian packages: compiler, Verilator, SystemC    1 minute    0.6 GB, of which 0.1 GB downloaded
  2. build/fredsim                                    3 minutes   0.4 GB in build/
  3. the main job: an all-reduce over 20 NPUs,        seconds
     Fred-D against two meshes: with the paper's
     algorithm, and with the best one
  4. the same job in the switches' RTL, beside their  1 minute
     C++ twins: through Verilator and a compiler, once

The table is there after some 4 minutes on a bare Debian 12 with 2 cores; 1 GB in all.

EOT

say "step 1 of 4: Debian packages"
need_packages "${BUILD_PACKAGES[@]}"
say "step 2 of 4: the program"
build_targets fredsim
say "step 3 of 4: the main job"

job=(build/fredsim compare configs/mesh.yaml configs/fred_d.yaml
  --collective all_reduce -b 4KiB -e 16MiB -f 8
  --algorithm paper --best-base)
say "${job[*]}"
"${job[@]}"

say "step 4 of 4: the same in RTL, in lockstep with the twins"
# One design of chiplet, with 12 ports, at all places, of which some use 10 or 11: the same cycles,
# and one size to build, not three.
rtl_job=(build/fredsim compare configs/mesh.yaml configs/fred_d.yaml@fabric.chiplet_ports=12
  --collective all_reduce -b 4KiB -e 16MiB -f 8
  --algorithm paper --best-base --model lockstep)
say "${rtl_job[*]}"
"${rtl_job[@]}" | grep "^RTL equals twin"
build_targets fredsim_pages fredsim_python
