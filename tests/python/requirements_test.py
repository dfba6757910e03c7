# SPDX-License-Identifier: Apache-2.0
"""A package that is built by half, or for another Python, says so in its ImportError; without NumPy the first array does.

requirements_test.py FOLDER, in which the package is."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(sys.argv[1]).resolve() / "fredsim"


def imported(folder: Path, *options: str) -> str:
    """The last line of `import fredsim` from a folder; empty: it works."""
    done = subprocess.run([sys.executable, "-B", *options, "-c", "import fredsim"], capture_output=True, text=True, cwd="/",
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder)})  # fmt: skip
    if done.returncode == 0:
        return ""
    return done.stderr.rstrip("\n").rpartition("\n")[2]


class RequirementsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name).resolve()
        self.packages = self.build / "python"
        self.package = self.packages / "fredsim"
        shutil.copytree(PACKAGE, self.package)
        (self.build / "CMakeCache.txt").touch()

    def extension(self) -> Path:
        return next(self.package.glob("_fredsim.*.so"))

    def expect(self, message: str, *parts: str) -> None:
        for part in ("ImportError: import fredsim by ", sys.executable, *parts):
            self.assertIn(part, message)

    def test_complete(self) -> None:
        self.assertEqual(imported(self.packages), "")

    def test_only_the_program_was_built(self) -> None:
        for file in list(self.package.iterdir()):
            if file.name not in ("__init__.py", "requirements.py"):
                file.unlink()
        self.expect(imported(self.packages), f"found a package that is built by half, in {self.package}; allowed: ",
                    f"cmake --build {self.build} --target fredsim_python")  # fmt: skip

    def test_records_are_missing(self) -> None:
        (self.package / "records.py").unlink()
        self.expect(imported(self.packages), "built by half", f"cmake --build {self.build} --target fredsim_python")
        (self.build / "CMakeCache.txt").unlink()
        self.expect(imported(self.packages), "built by half", "install fredsim again")

    def test_another_python(self) -> None:
        self.extension().rename(self.package / "_fredsim.cpython-39-x86_64-linux-gnu.so")
        self.expect(imported(self.packages), "found an extension for Python 3.9; allowed: python3.9")

    def test_no_numpy(self) -> None:
        self.assertEqual(imported(self.packages, "-S"), "")
        text = "import fredsim\nprint(len(fredsim.collectives()))\nfrom fredsim.record import Records, Record\nprint(Records(Record, [{'a': 1}]).column('a'))"
        done = subprocess.run([sys.executable, "-B", "-S", "-c", text], capture_output=True, text=True, cwd="/",
                              env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(self.packages)})  # fmt: skip
        self.assertGreater(int(done.stdout), 5)
        self.assertIn("found no NumPy", done.stderr)
        self.assertIn(f"allowed: install it: {sys.executable} -m pip install numpy", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
