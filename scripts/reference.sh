#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews the generated files of the tree: the schemas of results and machine files and the pages of
# docs/reference.
set -eu
cd "$(dirname "$0")/.."
cmake --preset release > /dev/null
cmake --build --preset release --target test_reference fredsim
FREDSIM_RENEW=1 build/test_reference --gtest_brief=1
build/fredsim schema study > docs/reference/study.schema.json
build/fredsim schema study --markdown > docs/reference/studies.md
build/fredsim schema model --markdown > docs/reference/model_files.md
build/fredsim schema work --markdown > docs/reference/work_files.md
build/fredsim schema placement --markdown > docs/reference/placement_files.md
build/fredsim schema router --markdown > docs/reference/router_files.md
build/fredsim schema expert_placement --markdown > docs/reference/expert_placement_files.md
build/fredsim schema graph --markdown > docs/reference/graph_files.md
build/fredsim help --markdown > docs/reference/options.md
scripts/reproduce modules > docs/reference/rtl_modules.md
scripts/reproduce libraries > docs/reference/libraries.md
