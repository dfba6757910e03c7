#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates every kind of switch from unknown state with iverilog, all of it unknown before the
# reset, under random work: does anything unknown come out, is a flit lost? Installs missing
# packages; `scripts/xcheck.sh --help` says more.
#
#   scripts/xcheck.sh [--seeds N] [--packets N] [SIZE…]
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce xcheck "$@"
