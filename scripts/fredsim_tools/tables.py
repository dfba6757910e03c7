# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown, on standard output and in pages."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

KIB, MIB, GIB = 2**10, 2**20, 2**30


def size(n: float) -> str:
    """Bytes, in the largest unit of which there is one."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if n >= unit:
            return f"{n / unit:g} {name}"
    return f"{n} B"


def lines_of(head: Sequence[str], rows: Iterable[Sequence[Any]], rule: str = " --- ") -> list[str]:
    """A cell that is None is a dash. rule: a cell of the line below the head."""
    first, *others = (f"| {' | '.join('–' if cell is None else str(cell) for cell in row)} |" for row in (head, *rows))
    return [first, f"|{'|'.join([rule] * len(head))}|", *others]


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]], rule: str = " --- ") -> None:
    print("\n".join(lines_of(head, rows, rule)), end="\n\n")


def put_into(page: Path, name: str, table: Sequence[str]) -> bool:
    """Replaces the table that follows the page's line `<!-- table NAME -->`; False: it has no such line."""
    lines = page.read_text().splitlines()
    mark = f"<!-- table {name} -->"
    if mark not in lines:
        return False
    begin = end = lines.index(mark) + 2  # a blank line between
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    page.write_text("\n".join([*lines[:begin], *table, *lines[end:]]) + "\n")
    return True
