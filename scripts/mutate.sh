#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts mutants into every RTL module and every twin, and runs the tests that concern each: which
# mutants survive? Installs missing packages; `scripts/mutate.sh --help` says more. A second call
# goes on where the first one was stopped.
#
#   scripts/mutate.sh [--only PATTERN]… [--rtl N] [--twins N] [--seed N] [--again] [--list]
#   [--build] [--jobs N] [--folder FOLDER]
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce mutate "$@"
