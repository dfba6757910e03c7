# SPDX-License-Identifier: Apache-2.0
"""generated_test.py: the files that .gitattributes marks as generated are made by scripts/reference.sh, and each is held against the sources by a test."""

import re
import subprocess
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
HOLDING = ("tests/reference/reference_test.cpp", "tests/cli/schema_test.cpp", "tests/reference/rtl_modules_test.py", "tests/reference/libraries_test.py")


def text(name):
    return (CHECKOUT / name).read_text(encoding="utf-8")


def git(*words, given=""):
    return subprocess.run(["git", *words], cwd=CHECKOUT, check=True, capture_output=True, text=True, input=given).stdout


@unittest.skipUnless((CHECKOUT / ".git").exists(), "no checkout of git")
class Generated(unittest.TestCase):
    def setUp(self):
        files = git("ls-files", "*.json", "*.md", "*.py", "*.cmake", "sc_models/results").splitlines()
        marked = git("check-attr", "--stdin", "linguist-generated", given="\n".join(files)).splitlines()
        self.marked = {line.rpartition(": linguist-generated: ")[0] for line in marked if line.endswith(": set")}

    def test_each_is_held_against_the_sources(self):
        self.assertGreater(len(self.marked), 5)
        held = {word for name in HOLDING for word in re.findall(r'"((?:docs/reference|sc_models)/[\w./]+\.(?:json|md))"', text(name))}
        self.assertEqual(self.marked, held)

    def test_each_is_renewed_by_the_script(self):
        written = set(re.findall(r"> (docs/reference/\S+)", text("scripts/reference.sh")))
        written |= set(re.findall(r'"((?:docs/reference|sc_models)/[\w./]+\.(?:json|md))"', text("tests/reference/reference_test.cpp")))
        self.assertEqual(self.marked, written)


unittest.main()
