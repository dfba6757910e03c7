#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares kinds of switches on the wafer: times, rates and conflicts from simulation, area, clock
# and energy from synthesis. Installs missing packages, builds; its options:
#
#   scripts/microarchitectures.sh [--smoke] [--no-synthesis] [--folder build/microarchitectures]
#   [KIND…]
#
# Synthesis of all kinds at 12 ports and 256 lanes takes by far the longest: 70 minutes of processor
# time and 2.6 GB from nothing. What is done is kept in build/synth. The rest takes three minutes of
# processor time. The table is Markdown on standard output; the commands, as they run, are on
# standard error. In the folder: microarchitectures.json and the page report.html with the Pareto
# front.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce kinds "$@"
