#!/usr/bin/env bash
# From a fresh checkout to the main result: installs what is missing (Debian 12, root or sudo), builds
# build/fredsim, and compares Fred-D with the baseline mesh, an all-reduce over all 20 NPUs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${BUILD_PACKAGES[@]}"
build_targets fredsim

job=(build/fredsim compare configs/mesh.yaml configs/fred_d.yaml
  --collective all_reduce -b 4KiB -e 16MiB -f 8 --model rtl)
say "${job[*]}"
"${job[@]}"
