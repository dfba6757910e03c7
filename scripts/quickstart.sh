#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh checkout to the main result: installs what is missing (Debian 12, root or sudo), builds
# build/fredsim, and compares Fred-D with the baseline mesh, by the paper's algorithm and the best, an all-reduce over all 20 NPUs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat <<'EOT'
From a fresh checkout to the main result, in three steps. What is there already is not done again.

  1. Debian packages: compiler, Verilator, SystemC    1 minute    0.6 GB, of which 0.1 GB downloaded
  2. build/fredsim: the switches' RTL through         3 minutes   0.5 GB in build/
     Verilator into C++, which is then compiled
  3. the main job: an all-reduce over 20 NPUs,        seconds
     Fred-D against two meshes: with the paper's
     algorithm, and with the best one

Together some 3 to 4 minutes on a bare Debian 12 with 2 cores, and 1.1 GB.

EOT

say "step 1 of 3: Debian packages"
need_packages "${BUILD_PACKAGES[@]}"
say "step 2 of 3: the program"
build_targets fredsim
say "step 3 of 3: the main job"

job=(build/fredsim compare configs/mesh.yaml configs/fred_d.yaml
  --collective all_reduce -b 4KiB -e 16MiB -f 8
  --algorithm paper --best-base --model rtl)
say "${job[*]}"
"${job[@]}"
