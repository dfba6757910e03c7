# SPDX-License-Identifier: Apache-2.0
"""rtl_modules_test.py: docs/reference/rtl_modules.md is what the RTL's comments say, and has every module with all parameters that are explained."""

import re
import sys
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "scripts"))

from fredsim_tools import rtl_modules  # noqa: E402
from fredsim_tools.rtl import text_of  # noqa: E402

PAGE = (CHECKOUT / "docs/reference/rtl_modules.md").read_text(encoding="utf-8")
SOURCES = sorted((CHECKOUT / "rtl").glob("*/*.sv"))


class RtlModules(unittest.TestCase):
    maxDiff = 2000

    def test_is_that_of_the_sources(self):
        self.assertEqual(PAGE, rtl_modules.page(CHECKOUT / "rtl"), "stale; renew it: scripts/reference.sh")

    def test_has_every_module(self):
        self.assertEqual(sorted(file.stem for file in SOURCES), sorted(re.findall(r"^### (.*)", PAGE, re.M)))

    def test_has_every_parameter_that_is_explained(self):
        for file in SOURCES:
            explained = re.findall(r"///.*\n\s*(?:parameter|localparam)\s", text_of(file))
            with self.subTest(module=file.stem):
                self.assertEqual(len(explained), len(rtl_modules.read(file).parameters))
                self.assertTrue(all(meaning for _, _, meaning in rtl_modules.read(file).parameters))


unittest.main()
