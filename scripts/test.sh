#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (Debian 12, root or sudo), checks the style, builds everything and runs all tests. The last
# lines are ctest's own summary, and the exit code is ctest's.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${LINT_PACKAGES[@]}"
if git rev-parse --git-dir >/dev/null 2>&1; then scripts/lint.sh --quick; fi  # files that git knows
build_targets -DBUILD_TESTING=ON all
say "testing"
exec ctest --preset release --parallel "$(nproc)" </dev/null
