# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/user/python run, and draw the pictures that the page has, byte for byte."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

NOTEBOOKS = sorted(Path("docs/user/python").glob("*.py"))


class NotebooksTest(unittest.TestCase):
    def test_pictures(self) -> None:
        self.assertTrue(NOTEBOOKS)
        names = [notebook.stem for notebook in NOTEBOOKS]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["scripts/reproduce", "pictures", *names, "--program", os.environ["FREDSIM_PROGRAM"], "--faulty", "none", "--folder", folder],
                                  capture_output=True, text=True)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name in names:
                drawn = (Path(folder) / f"user/pictures/{name}.svg").read_text(encoding="utf-8")
                kept = Path(f"docs/user/pictures/{name}.svg").read_text(encoding="utf-8")
                self.assertEqual(drawn.splitlines(), kept.splitlines(), f"scripts/reproduce pictures {name}")


if __name__ == "__main__":
    unittest.main()
