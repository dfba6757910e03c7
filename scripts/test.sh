#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (Debian 12, root or sudo), checks the style, builds everything and runs all tests. The last
# lines are ctest's own summary, and the exit code is ctest's.
#   --quick [COMMIT]  builds and runs what concerns the files that differ from a commit (default: HEAD); --quick --help says how it is chosen
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case "${1-}" in
--quick)
  shift
  need_packages git "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}"
  cd scripts
  exec python3 -B -m fredsim_tools.quick_tests "$@"
  ;;
--help)
  sed -n '3,/^#   --quick/s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
"") ;;
*)
  printf "test.sh: found '%s'; allowed: nothing, --quick or --help\n" "$1" >&2
  exit 2
  ;;
esac
need_packages "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${LINT_PACKAGES[@]}"
if git rev-parse --git-dir >/dev/null 2>&1; then scripts/lint.sh --quick; fi  # files that git knows
build_targets -DBUILD_TESTING=ON all
say "testing"
# One test more than cores: tests of browsers, clusters and several processes wait most of their time.
exec ctest --preset release --parallel "$(($(nproc) + 1))" </dev/null
