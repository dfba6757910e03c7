# SPDX-License-Identifier: Apache-2.0
"""A copy of the checkout with all mutants in it, and its build.

A file is written only where its text changes, so that a second build makes little. A mutant that does not compile is left out: messages of Verilator
and of the compiler name its line, since lines equal the lines of the source.
"""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from . import schemata
from .concerns import SIZES
from .site import Mutant

VERILATOR_ERROR = re.compile(r"%Error[^:]*: (?:Internal Error: )?(\S+?):(\d+):")
NOT_CONSTANT = re.compile(r"^\s*(\S+?):(\d+):\d+: \.\.\. Location of non-constant", re.MULTILINE)  # a function that is elaborated
COMPILER_ERROR = re.compile(r"^(\S+?):(\d+):\d+: (?:fatal )?error:", re.MULTILINE)
ROUNDS = 12  # builds until nothing is left out any more


class BuildError(Exception):
    """A build that fails without a mutant to blame."""


class Tree:
    def __init__(self, checkout: Path, folder: Path) -> None:
        self.checkout = checkout
        self.root = folder / "tree"
        self.build = self.root / "build"

    def write(self, numbered: Sequence[tuple[int, Mutant]]) -> None:
        """All files of the checkout, with these mutants."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.checkout, check=True,
                                capture_output=True, text=True).stdout.split("\0")  # fmt: skip
        by_file: dict[str, list[tuple[int, Mutant]]] = {}
        for one in numbered:
            by_file.setdefault(one[1].file, []).append(one)
        for file in filter(None, listed):
            source = self.checkout / file
            if source.is_file() and not source.is_symlink():
                self._put(file, self._text(file, source.read_bytes(), by_file.get(file, [])), source.stat().st_mode)
        self._put(schemata.HEADER_FILE, schemata.HEADER.encode(), 0o644)

    def _text(self, file: str, data: bytes, numbered: Sequence[tuple[int, Mutant]]) -> bytes:
        if numbered:
            data = schemata.instrumented(file, data.decode(), numbered).encode()
        if Path(file).name == schemata.PACKAGE_FILE:
            data = schemata.with_package(data.decode()).encode()
        if file.endswith("verilator/verilate.cmake"):  # mutants give warnings
            data = data.replace(b"--x-initial fast)", b"--x-initial fast -Wno-fatal)")
        return data

    def _put(self, file: str, data: bytes, mode: int) -> None:
        path = self.root / file
        if path.exists() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode & 0o777)

    # ------------------------------------------------------------------ build
    def configure(self) -> None:
        words = ["cmake", "-G", "Ninja", "-S", str(self.root), "-B", str(self.build), "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=ON",
                 f"-DFREDSIM_SWITCHES={';'.join(SIZES)}"]  # fmt: skip
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(done.stderr[-4000:])

    def lint(self) -> str:
        """Messages of Verilator about the RTL, which are cheaper than a build."""
        said = ""
        for files in sorted((self.root / "rtl").glob("*/*.f")):
            tops = [files.with_suffix(".sv")] if files.with_suffix(".sv").exists() else sorted(files.parent.glob(f"{files.stem}_*.sv"))
            for top in tops:
                words = ["verilator", "--lint-only", "-Wno-fatal", "lint.vlt", "-F", str(files.relative_to(self.root / "rtl")), "--top-module", top.stem]
                said += subprocess.run(words, cwd=self.root / "rtl", capture_output=True, text=True).stderr
        return said

    def make(self, programs: Sequence[str], jobs: int) -> tuple[bool, str]:
        words = ["cmake", "--build", str(self.build), "--parallel", str(jobs), "--target", *programs, "--", "-k", "0"]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        return done.returncode == 0, done.stdout + done.stderr

    def blamed(self, said: str, numbered: Sequence[tuple[int, Mutant]]) -> set[str]:
        """Keys of the mutants in lines of which these messages speak."""
        lines = set()
        for pattern in (VERILATOR_ERROR, NOT_CONSTANT, COMPILER_ERROR):
            for match in pattern.finditer(said):
                for base in (self.root, self.root / "rtl", self.build):
                    path = Path(os.path.normpath(base / match[1]))
                    if path.exists() and path.is_relative_to(self.root):
                        lines.add((str(path.relative_to(self.root)), int(match[2])))
        texts: dict[str, str] = {}
        found = set()
        for _, mutant in numbered:
            text = texts.setdefault(mutant.file, (self.checkout / mutant.file).read_text())
            last = mutant.site.line + text.count("\n", mutant.site.start, mutant.site.end)
            if any((mutant.file, line) in lines for line in range(mutant.site.line, last + 1)):
                found.add(mutant.key)
        return found
