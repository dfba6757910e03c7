#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Synthesises the RTL into the cells of an open library: area, memories, longest paths, clock,
# energy of a flit, a floorplan sketch. Installs missing packages; `scripts/synth.sh --help` says
# more.
#
#   scripts/synth.sh [--quick] [--energy] [--paper] [--floorplan FILE.svg] [--json FILE] [MODULE…]
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce synth "$@"
