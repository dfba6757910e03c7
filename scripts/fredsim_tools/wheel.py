# SPDX-License-Identifier: Apache-2.0
"""A wheel with the package for Python and the program inside, from an installation: `python3 -m fredsim_tools.wheel PREFIX FOLDER`.

PREFIX is what `cmake --install` has made of a build with FREDSIM_PORTABLE and FREDSIM_PYTHON, FOLDER where the wheel goes; its name is printed.
`pip install` then puts the program into bin/, its files into share/fredsim and the libraries that it needs into lib/fredsim, all below the environment.

The wheel is of the Python that the extension was built for, and of the glibc of this machine or a younger one."""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .checkout import CHECKOUT

PACKAGES = Path("lib/python3/dist-packages")
DATA = ("lib/fredsim", "share/fredsim", "share/man", "share/bash-completion", "share/zsh", "share/fish")


def version() -> str:
    found = re.search(r"^project\(fredsim VERSION ([0-9.]+)", (CHECKOUT / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert found, "CMakeLists.txt has no version"
    return found[1]


def tag(package: Path) -> str:
    """Interpreter, ABI and platform, as a wheel names them."""
    extension, = package.glob("_fredsim.cpython-*.so")
    interpreter = "cp" + extension.name.split("-")[1]
    glibc = os.confstr("CS_GNU_LIBC_VERSION")
    assert glibc, "no glibc"
    return f"{interpreter}-{interpreter}-manylinux_{glibc.split()[1].replace('.', '_')}_{platform.machine()}"


def metadata(name: str) -> str:
    return "\n".join([
        "Metadata-Version: 2.1", "Name: fredsim", f"Version: {name}", "Summary: cycle-accurate model of a wafer-scale interconnect",
        "License: Apache-2.0", "Classifier: Operating System :: POSIX :: Linux", "Classifier: Topic :: Scientific/Engineering",
        "Requires-Python: >=3.11", "Provides-Extra: arrays", "Requires-Dist: numpy>=1.24; extra == 'arrays'",
        "Provides-Extra: frames", "Requires-Dist: pandas>=1.5; extra == 'frames'", "Description-Content-Type: text/markdown", "",
        (CHECKOUT / "README.md").read_text()])  # fmt: skip


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="fredsim_tools.wheel", description="A wheel from an installation.")
    parser.add_argument("prefix", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args(words)
    package = given.prefix / PACKAGES / "fredsim"
    if not package.is_dir():
        parser.error(f"PREFIX: found no {package}; allowed: an installation with the package for Python")
    with tempfile.TemporaryDirectory() as made:
        name = version()
        root, data, info = Path(made), Path(made, f"fredsim-{name}.data"), Path(made, f"fredsim-{name}.dist-info")
        shutil.copytree(package, root / "fredsim")
        (data / "scripts").mkdir(parents=True)
        shutil.copy2(given.prefix / "bin/fredsim", data / "scripts")
        for folder in DATA:
            shutil.copytree(given.prefix / folder, data / "data" / folder)
        info.mkdir()
        wheel_tag = tag(package)
        (info / "METADATA").write_text(metadata(name))
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: fredsim_tools.wheel\nRoot-Is-Purelib: false\nTag: {wheel_tag}\n")
        shutil.copy2(CHECKOUT / "LICENSE", info)
        given.folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", given.folder, made], capture_output=True, text=True, check=False)
        if packed.returncode:
            print(packed.stderr, file=sys.stderr)
            return 1
        print(f"fredsim-{name}-{wheel_tag}.whl")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
