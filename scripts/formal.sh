#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves properties of the RTL with yosys and z3, deeper than the tests of tests/formal do: where a
# proof is bounded, to as many steps as tests/formal/proofs.py says, or to DEPTH, if that is more.
# Installs missing packages. A failed property leaves a waveform in build/formal.
#
#   scripts/formal.sh [--depth DEPTH] [--jobs N] [NAME…]
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${FORMAL_PACKAGES[@]}"
mkdir -p build/formal
exec /usr/bin/python3 -B tests/formal/prove.py --deep "$@" build/formal
