#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews what is made from the sources and kept in the tree: the schemas of results and machine files and the pages of docs/reference.
set -eu
cd "$(dirname "$0")/.."
cmake --preset release > /dev/null
cmake --build --preset release --target test_reference fredsim
FREDSIM_RENEW=1 build/test_reference --gtest_brief=1
build/fredsim schema study > docs/reference/study.schema.json
build/fredsim schema study --markdown > docs/reference/studies.md
for files in model work placement router expert_placement graph; do
  build/fredsim schema $files --markdown > docs/reference/${files}_files.md
done
build/fredsim help --markdown > docs/reference/options.md
scripts/reproduce modules > docs/reference/rtl_modules.md
