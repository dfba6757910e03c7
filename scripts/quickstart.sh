#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Main result from a fresh checkout: installs missing packages (Debian 12, root or sudo), builds
# build/fredsim, and compares Fred-D with the baseline mesh in an all-reduce over 20 NPUs, with the
# algorithm of the paper and with the best one. The first run uses C++ twins of the switches, the
# second their RTL in lockstep with the twins.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat <<'EOT'
Main result from a fresh checkout, in four steps. Completed steps are skipped.

  1. Debian packages: compiler, Verilator, SystemC    1 minute    0.6 GB, of which 0.1 GB downloaded
  2. build of build/fredsim                           3 minutes   0.4 GB in build/
  3. main job: an all-reduce over 20 NPUs, Fred-D     seconds
     against the mesh with the algorithm of the
     paper and with its best algorithm
  4. the main job with the RTL of the switches in     1 minute
     lockstep with their C++ twins; the first run
     verilates and compiles the RTL

A bare Debian 12 with 2 cores prints the table after about 4 minutes. Total: 1 GB.

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

say "step 4 of 4: the main job with RTL in lockstep with the twins"
# All chiplets have 12 ports, although some use only 10 or 11: one RTL size to build instead of
# three, with the same cycles.
rtl_job=(build/fredsim compare configs/mesh.yaml configs/fred_d.yaml@fabric.chiplet_ports=12
  --collective all_reduce -b 4KiB -e 16MiB -f 8
  --algorithm paper --best-base --model lockstep)
say "${rtl_job[*]}"
"${rtl_job[@]}" | grep "^RTL equals twin"
build_targets fredsim_pages fredsim_python
