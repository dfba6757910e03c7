#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures claims that the paper does not measure: latency of small messages, buffer sizes, serial
# compound steps, pre-emption, rounding, memory, errors on links, failed components, inference,
# experts. Installs missing packages, builds; its options:
#
#   scripts/study.sh [--smoke] [--plot FOLDER] [QUESTION…]
#
# Tables are Markdown on standard output, as in docs/studies; the commands, as they run, are on
# standard error.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" && reproduce study "$@"
