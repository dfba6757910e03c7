# SPDX-License-Identifier: Apache-2.0
"""labels_test.py CTEST BUILD_FOLDER: every test has one label (tests/labels.cmake)."""

import json
import subprocess
import sys
import unittest

LABELS = {"unit", "system", "rtl", "slow"}
CTEST, BUILD = sys.argv[1:]
del sys.argv[1:]


class Labels(unittest.TestCase):
    def test_one_each(self):
        shown = subprocess.run([CTEST, "--test-dir", BUILD, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
        tests = json.loads(shown[shown.index("{") :])["tests"]
        self.assertTrue(tests)
        wrong = {}
        for test in tests:
            labels = next((entry["value"] for entry in test.get("properties", []) if entry["name"] == "LABELS"), [])
            if not test["name"].endswith("_NOT_BUILT") and (len(labels) != 1 or labels[0] not in LABELS):
                wrong[test["name"]] = labels
        self.assertEqual(wrong, {})


unittest.main()
