# SPDX-License-Identifier: Apache-2.0
"""Libraries include only libraries above them, no library is one knot, and headers in `detail` belong to one library.

The order is the table's in sc_models/README.md, one row a library. Every #include "library/file.h" of sc_models/ is read, conditional
code too; templates (*.in) count as sources of their library. Headers in a folder `detail` are not installed: neither another library nor
an installed header includes one; tests may.

A knot: pairs of header and source (foo.h with foo.cpp) of which each includes every other one, directly or indirectly."""

import re
import subprocess
import sys
from pathlib import Path

from .checkout import CHECKOUT

ROW = re.compile(r"\| `(\w+)` \|")
INCLUDE = re.compile(r'\s*#\s*include "(?:\.\./)*(\w+)/[^"]*"')
PRIVATE = re.compile(r'\s*#\s*include "((\w+)/detail/[^"]*)"')
PATH = re.compile(r'\s*#\s*include "([^"]*)"')
RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
TABLE = "sc_models/README.md"
MAX_KNOT = 3


def libraries(table: str) -> list[str]:
    """Names in the order of the table."""
    return [match[1] for line in table.splitlines() if (match := ROW.match(line))]


def includes_up(order: list[str], texts: dict[str, str]) -> list[str]:
    """A line each, of the files of these names; a library without a row is one too."""
    place = {name: number for number, name in enumerate(order)}
    found = []
    for name, text in sorted(texts.items()):
        library = Path(name).parts[1]
        if library not in place:
            found.append(f"{name}: found the library '{library}'; allowed: one with a row in {TABLE}")
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if (match := INCLUDE.match(line)) and place.get(match[1], -1) > place[library]:
                allowed = ", ".join(order[: place[library]]) or "none"
                found.append(f"{name}:{number}: found '{match[1]}' in {library}; allowed: libraries above it in {TABLE} ({allowed})")
    return found


def private_includes(texts: dict[str, str]) -> list[str]:
    """A line each: an include of `detail` that only its library's sources and private headers may have."""
    found = []
    for name, text in sorted(texts.items()):
        parts = Path(name).parts
        library = parts[1] if parts[0] == "sc_models" else ""
        is_installed = name.endswith(".h") and "detail" not in parts
        for number, line in enumerate(RAW_TEXT.sub("", text).splitlines(), 1):
            if (match := PRIVATE.match(line)) and (match[2] != library or is_installed):
                found.append(f"{name}:{number}: found '{match[1]}'; allowed: from sources and private headers of {match[2]}")
    return found


def pair_of(name: str) -> str:
    """sc_models/plan/plan.cpp.in -> plan/plan"""
    path = Path(name)
    return path.relative_to("sc_models").with_name(path.name.split(".")[0]).as_posix()


def pairs_included(texts: dict[str, str]) -> dict[str, set[str]]:
    """Includes of the own library, by pair of header and source."""
    included: dict[str, set[str]] = {pair_of(name): set() for name in texts}
    for name, text in texts.items():
        pair = pair_of(name)
        for line in RAW_TEXT.sub("", text).splitlines():
            if (match := PATH.match(line)) and (other := pair_of("sc_models/" + match[1])) in included:
                if other != pair and Path(other).parts[0] == Path(pair).parts[0]:
                    included[pair].add(other)
    return included


def knots(texts: dict[str, str]) -> list[list[str]]:
    """Strongly connected components of two pairs or more, by size."""
    included = pairs_included(texts)

    def reached(start: str, edges: dict[str, set[str]]) -> set[str]:
        seen: set[str] = set()
        open_pairs = list(edges[start])
        while open_pairs:
            pair = open_pairs.pop()
            if pair not in seen:
                seen.add(pair)
                open_pairs.extend(edges[pair])
        return seen

    includers: dict[str, set[str]] = {pair: set() for pair in included}
    for pair, others in included.items():
        for other in others:
            includers[other].add(pair)
    found = {tuple(sorted(reached(pair, included) & reached(pair, includers))) for pair in included}
    return sorted((list(knot) for knot in found if len(knot) > 1), key=lambda knot: (-len(knot), knot))


def large_knots(texts: dict[str, str]) -> list[str]:
    """A line each."""
    return [f"{Path(knot[0]).parts[0]}: found a knot of {len(knot)} pairs of header and source ({', '.join(knot)}); allowed: {MAX_KNOT}"
            for knot in knots(texts) if len(knot) > MAX_KNOT]  # fmt: skip


def sources(checkout: Path) -> dict[str, str]:
    names = subprocess.run(["git", "ls-files", "sc_models/*/*.h", "sc_models/*/*.cpp", "sc_models/*/*.in", "testbenches/*.h", "testbenches/*.cpp"], cwd=checkout,
                           check=True, capture_output=True, text=True).stdout.split()  # fmt: skip
    return {name: (checkout / name).read_text(encoding="utf-8") for name in names if (checkout / name).exists()}


def libraries_of(texts: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if name.startswith("sc_models/")}


def main() -> int:
    order = libraries((CHECKOUT / TABLE).read_text(encoding="utf-8"))
    texts = sources(CHECKOUT)
    if not order or not texts:
        print(f"includes.py: found {len(order)} libraries and {len(texts)} files; allowed: some of both")
        return 1
    found = includes_up(order, libraries_of(texts)) + large_knots(libraries_of(texts)) + private_includes(texts)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
