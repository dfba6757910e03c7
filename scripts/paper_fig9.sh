#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The communication microbenchmarks of the paper (§8.1) on the mesh and on Fred-A to -D: a table
# next to the paper's figures, and bars as PNG and SVG. Installs missing packages, builds; its
# options:
#
#   scripts/paper_fig9.sh [--size 64MiB] [--folder build/paper] [--no-plot] [-- OPTION…]
#
# OPTIONs are options of `fredsim compare`, such as --model rtl.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce fig9 "$@"
