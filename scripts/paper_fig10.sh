#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Training iterations of the paper (§8.2, figure 10) on the mesh, Fred-C and -D, next to the paper's
# figures: at one compute rate fitted on ResNet-152, at a rate fitted for each workload, by the
# roofline; and ResNet-152 with overlap and with ZeRO-2. Installs missing packages, builds; its
# options:
#
#   scripts/paper_fig10.sh [--only WORKLOAD]… [--folder build/paper] [--again] [-- OPTION…]
#
# OPTIONs are options of `fredsim train`. Results as JSON: FOLDER/fig10*.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce fig10 "$@"
