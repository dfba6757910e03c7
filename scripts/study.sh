#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what the paper asserts and does not measure: latency of small messages, buffer sizes, serial compound steps,
# pre-emption, rounding, memory, errors on links, failed components, inference, experts. Installs what is missing, builds; its options:
#
#   scripts/study.sh [--smoke] [--plot FOLDER] [QUESTION…]
#
# Tables are Markdown on standard output, those of docs/studies; the commands, as they run, are on standard
# error.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce study "$@"
