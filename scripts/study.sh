#!/usr/bin/env bash
# Measures what the paper asserts and does not measure: latency of small messages, buffer sizes, serial compound steps,
# pre-emption, rounding, memory, errors on links, lost parts, inference. Installs what is missing, builds, runs scripts/study.py; see there for its options:
#
#   scripts/study.sh [--smoke] [--plot FOLDER] [QUESTION…]
#
# Tables are Markdown on standard output, those of configs/study/README.md and inference.md; the commands, as they run, are on standard
# error.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for option in "$@"; do
  case "$option" in -h | --help) exec /usr/bin/python3 scripts/study.py --help ;; esac
done
packages=(python3)
if [[ " $* " == *" --plot"* ]]; then packages+=(python3-matplotlib); fi
need_packages "${BUILD_PACKAGES[@]}" "${packages[@]}"
build_targets fredsim tb_rounding >&2
exec /usr/bin/python3 scripts/study.py "$@"
