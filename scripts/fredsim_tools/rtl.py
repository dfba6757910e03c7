# SPDX-License-Identifier: Apache-2.0
"""The RTL as files: what file lists and included files name; and constants of its packages (rtl/*/*_pkg.sv), where they are written and nowhere else.

The build writes them as JSON beside the headers that C++ has of them (sc_models/base/rtl_packages.cmake). Where that file is missing or older
than a package, Verilator reads the packages here, which needs no build folder.
"""

import functools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .checkout import CHECKOUT

WRITER = CHECKOUT / "sc_models" / "base" / "rtl_package_header.py"
MADE = CHECKOUT / "build" / "rtl_packages" / "rtl"


INCLUDED = re.compile(r'^[ \t]*`include "([^"]+)"\n', re.MULTILINE)


def listed(file_list: Path) -> list[Path]:
    """Sources of a file list (.f), with the sources of the lists in it (-F LIST) in place, each once."""
    found: list[Path] = []
    for line in file_list.read_text(encoding="utf-8").splitlines():
        if line.startswith("-F "):
            found += listed(file_list.parent / line.removeprefix("-F ").strip())
        elif line.endswith(".sv"):
            found.append((file_list.parent / line).resolve())
    return list(dict.fromkeys(found))


def text_of(source: Path) -> str:
    """A source with its included files in place."""
    return INCLUDED.sub(lambda match: text_of(source.parent / match[1]), source.read_text(encoding="utf-8"))


@functools.cache
def constants(package: str) -> Mapping[str, int]:
    """Name -> value. Errors: OSError where they are not there and cannot be read."""
    sources = {path.stem: path for path in CHECKOUT.glob("rtl/*/*_pkg.sv")}
    file = MADE / f"{package}.json"
    if not file.exists() or file.stat().st_mtime < max(path.stat().st_mtime for path in sources.values()):
        _write(package, sources, file)
    return json.loads(file.read_text())


def _write(package: str, sources: Mapping[str, Path], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".constants-", dir=file.parent) as name:
        folder = Path(name)
        needed = _in_order(package, sources)
        for one in needed:  # separate folder: Verilator ends names of files at a space in their path
            shutil.copy(sources[one], folder)
        (folder / "probe.sv").write_text("module probe;\nendmodule\n")
        steps = [["verilator", "--xml-only", "--xml-output", "xml", "--Mdir", ".", "--public", "--top-module", "probe",
                  *(f"{one}.sv" for one in needed), "probe.sv"],
                 [sys.executable, str(WRITER), package, "xml", sources[package].name, "header.h", file.name]]  # fmt: skip
        for step in steps:
            done = subprocess.run(step, cwd=folder, capture_output=True, text=True)
            if done.returncode:
                raise OSError(f"{file}: {step[0]}: exit code {done.returncode}: {done.stderr.strip()}")
        (folder / file.name).replace(file)


def _in_order(package: str, sources: Mapping[str, Path]) -> list[str]:
    """Packages in the order of their dependencies."""
    used = dict.fromkeys(re.findall(r"\b(\w+_pkg)::", sources[package].read_text()))
    return list(dict.fromkeys([*(before for one in used if one in sources and one != package for before in _in_order(one, sources)), package]))
