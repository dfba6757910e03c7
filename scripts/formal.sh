#!/usr/bin/env bash
# Proves properties of the RTL with yosys and z3, deeper than the tests of tests/formal do: where a proof is bounded, to DEPTH steps
# (default 40). Installs what is missing. What does not hold leaves a waveform in build/formal. NAME: see tests/formal/proofs.py.
#
#   scripts/formal.sh [--depth DEPTH] [--jobs N] [NAME…]
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${FORMAL_PACKAGES[@]}"
mkdir -p build/formal
exec /usr/bin/python3 -B tests/formal/prove.py --depth 40 "$@" build/formal
