#!/usr/bin/env bash
# Synthesises the RTL into the cells of an open library: area, memories, longest paths, clock, energy of a flit.
# Installs what is missing, then runs scripts/synth/; `scripts/synth.sh --help` says more.
#
#   scripts/synth.sh [--quick] [--energy] [--paper] [--json FILE] [MODULE…]
# shellcheck source-path=SCRIPTDIR source=lib.sh
here=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${SYNTH_PACKAGES[@]}" >&2
top=$PWD
cd "$here"
exec /usr/bin/python3 -B "$top/scripts/synth" "$@"
