# SPDX-License-Identifier: Apache-2.0
"""The line of every file that names its licence.

The first line of a file, or the second where the first has to be another, is a comment with SPDX-License-Identifier. Formats without comments are
listed in .reuse/dep5, as the REUSE specification has it."""

import argparse
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from .checkout import CHECKOUT

IDENTIFIER = "SPDX-License-Identifier: Apache-2.0"
LISTED = ".reuse/dep5"
TEXT_OF_THE_LICENCE = "LICENSE"
SLASHES = {".cpp", ".h", ".sv", ".svh", ".js", ".proto", ".vlt", ".f"}
HASHES = {".py", ".pyi", ".typed", ".sh", ".cmake", ".yaml", ".yml", ".txt", ".pc", ".supp", ""}
# Has to be the first line where it is there.
BEFORE = re.compile(r"#!|<!doctype|syntax ", re.IGNORECASE)


def comment(name: str) -> str:
    """The line of a file of this name."""
    path = Path(name.removesuffix(".in"))
    if path.suffix in SLASHES:
        return f"// {IDENTIFIER}"
    if path.suffix == ".css":
        return f"/* {IDENTIFIER} */"
    if path.suffix == ".html":
        return f"<!-- {IDENTIFIER} -->"
    if path.suffix in HASHES or path.name.startswith("."):
        return f"# {IDENTIFIER}"
    raise SystemExit(f"licences: {name}: found a format that has no comments here; allowed: one of licences.py, or a pattern in {LISTED}")


def is_listed(name: str, patterns: list[str]) -> bool:
    return name in (TEXT_OF_THE_LICENCE, LISTED) or any(fnmatchcase(name, pattern) for pattern in patterns)


def patterns(checkout: Path) -> list[str]:
    """Licences of files without a line of their own."""
    text = (checkout / LISTED).read_text(encoding="utf-8")
    return [pattern for line in re.findall(r"^Files: (.*)$", text, re.MULTILINE) for pattern in line.split()]


def with_line(name: str, text: str) -> str:
    """The text of a file with its line; the same where it is there."""
    lines = text.splitlines(keepends=True)
    if any(IDENTIFIER in line for line in lines[:2]):
        return text
    place = 1 if lines and BEFORE.match(lines[0]) else 0
    return "".join([*lines[:place], comment(name) + "\n", *lines[place:]])


def files(checkout: Path) -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=checkout, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name]


def check(checkout: Path, write: bool = False) -> list[str]:
    """Names of files that lack their line, which they have afterwards with `write`."""
    without = patterns(checkout)
    lacking = []
    for name in files(checkout):
        path = checkout / name
        if is_listed(name, without) or path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        better = with_line(name, text)
        if better == text:
            continue
        lacking.append(name)
        if write:
            path.write_text(better, encoding="utf-8")
    return lacking


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="licences", description="Checks that every file names its licence.")
    parser.add_argument("--write", action="store_true", help="add the line where it is missing")
    options = parser.parse_args(arguments)
    lacking = check(CHECKOUT, options.write)
    if lacking and not options.write:
        for name in lacking:
            print(f"{name}: found no '{comment(name)}' in its first two lines", file=sys.stderr)
        raise SystemExit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
