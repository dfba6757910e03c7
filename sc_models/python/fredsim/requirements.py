# SPDX-License-Identifier: Apache-2.0
"""Requirements of the package, checked before any of its modules is imported: an ImportError names what is missing and what to do. NumPy is asked for by
the first array (arrays.py)."""

from __future__ import annotations

import importlib.machinery
import re
import sys
from pathlib import Path

__all__ = ["check"]

_EXTENSION = "_fredsim"
_GENERATED = "records.py"


def check(package: Path = Path(__file__).resolve().parent) -> None:
    """ImportError: the package in this folder is built by half, or for another Python."""
    others = _others(package)
    if others:
        found = f"an extension for Python {' and '.join(others)}"
        allowed = f"python{others[0]}, or build the package for this one: -DPython_EXECUTABLE={sys.executable}"
    elif not _has_extension(package) or not (package / _GENERATED).is_file():
        found = f"a package that is built by half, in {package}"
        allowed = _how_to_build(package)
    else:
        return
    raise ImportError(f"import fredsim by {sys.executable}, Python {sys.version_info.major}.{sys.version_info.minor}: found {found}; allowed: {allowed}")


def _has_extension(package: Path) -> bool:
    return any((package / (_EXTENSION + suffix)).is_file() for suffix in importlib.machinery.EXTENSION_SUFFIXES)


def _others(package: Path) -> list[str]:
    """Versions of Python for which there are extensions, where there is none for this one."""
    if _has_extension(package):
        return []
    names = sorted(file.name for file in package.glob(_EXTENSION + ".cpython-*"))
    versions = [re.match(_EXTENSION + r"\.cpython-(\d)(\d+)", name) for name in names]
    return [f"{version[1]}.{version[2]}" for version in versions if version]


def _how_to_build(package: Path) -> str:
    build = package.parent.parent
    if not (build / "CMakeCache.txt").is_file():
        return "install fredsim again"
    return f"cmake --build {build} --target fredsim_python"
