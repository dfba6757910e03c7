# SPDX-License-Identifier: Apache-2.0
"""Libraries include only what stands above them.

The order is the table's in sc_models/README.md, one row a library. Every #include "library/file.h" of sc_models/ is read, conditional
code too; templates (*.in) count as sources of their library."""

import re
import subprocess
import sys
from pathlib import Path

from .checkout import CHECKOUT

ROW = re.compile(r"\| `(\w+)` \|")
INCLUDE = re.compile(r'\s*#\s*include "(?:\.\./)*(\w+)/[^"]*"')
TABLE = "sc_models/README.md"


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


def sources(checkout: Path) -> dict[str, str]:
    names = subprocess.run(["git", "ls-files", "sc_models/*/*.h", "sc_models/*/*.cpp", "sc_models/*/*.in"], cwd=checkout,
                           check=True, capture_output=True, text=True).stdout.split()  # fmt: skip
    return {name: (checkout / name).read_text(encoding="utf-8") for name in names if (checkout / name).exists()}


def main() -> int:
    order = libraries((CHECKOUT / TABLE).read_text(encoding="utf-8"))
    texts = sources(CHECKOUT)
    if not order or not texts:
        print(f"includes.py: found {len(order)} libraries and {len(texts)} files; allowed: some of both")
        return 1
    found = includes_up(order, texts)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
