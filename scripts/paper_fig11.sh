#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Training iterations of all strategies of 20 workers (§8.3, figure 11) on the mesh and Fred-D, next
# to the paper's figures, and the mesh's by themselves (figure 2). Installs missing packages,
# builds; its options:
#
#   scripts/paper_fig11.sh [--only WORKLOAD]… [--rate 10PFLOP/s] [--folder build/paper] [--again]
#   [-- OPTION…]
#
# OPTIONs are options of `fredsim train`. Results as JSON: FOLDER/fig11*.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce fig11 "$@"
