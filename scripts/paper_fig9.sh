#!/usr/bin/env bash
# The communication microbenchmarks of the paper (§8.1) on the mesh and on Fred-A to -D: a table next to the paper's
# figures, and bars as PNG and SVG. Installs what is missing, builds, runs scripts/paper_fig9.py; see there for its
# options:
#
#   scripts/paper_fig9.sh [--size 64MiB] [--folder build/paper] [--no-plot] [-- OPTION…]
#
# OPTIONs are those of `fredsim compare`, such as --model rtl.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${BUILD_PACKAGES[@]}" python3 python3-matplotlib
build_targets fredsim
exec /usr/bin/python3 scripts/paper_fig9.py "$@"
