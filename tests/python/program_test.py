# SPDX-License-Identifier: Apache-2.0
"""The package finds the program of its build folder, and of the installation that it is in.

program_test.py FOLDER PROGRAM: the folder in which the package is, and the program beside it."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGES, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def found(packages: Path, path: str = "/usr/bin:/bin", **variables: str) -> str:
    """The program that a package in a folder finds, or why none."""
    code = "import fredsim\ntry: print(fredsim.program())\nexcept fredsim.BadInput as error: print(error)"
    return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True,
                          env={"PATH": path, "PYTHONPATH": str(packages), **variables}).stdout.rstrip("\n")  # fmt: skip


class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = Path(folder.name).resolve()
        self.packages = self.prefix / "lib/python3/dist-packages"
        shutil.copytree(PACKAGES / "fredsim", self.packages / "fredsim")
        self.program = self.prefix / "bin/fredsim"
        self.program.parent.mkdir()

    def test_of_the_build_folder(self) -> None:
        self.assertEqual(found(PACKAGES), str(PROGRAM))

    def test_of_an_installation(self) -> None:
        self.program.symlink_to(PROGRAM)
        self.assertEqual(found(self.packages), str(self.program))

    def test_in_the_path(self) -> None:
        other = self.prefix / "elsewhere"
        other.mkdir()
        (other / "fredsim").symlink_to(PROGRAM)
        self.assertEqual(found(self.packages, f"{other}:/usr/bin"), str(other / "fredsim"))

    def test_of_the_variable(self) -> None:
        self.program.symlink_to(PROGRAM)
        self.assertEqual(found(self.packages, FREDSIM_PROGRAM=os.fspath(PROGRAM)), str(PROGRAM))

    def test_nowhere(self) -> None:
        self.assertEqual(found(self.packages, "/nowhere"), f"fredsim: found no program beside {self.packages / 'fredsim'} or in PATH; allowed: "
                                                           "FREDSIM_PROGRAM=PATH in the environment")  # fmt: skip


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
