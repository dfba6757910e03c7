# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown on standard output."""

from collections.abc import Iterable, Sequence
from typing import Any

KIB, MIB, GIB = 2**10, 2**20, 2**30


def size(n: float) -> str:
    """Bytes, in the largest unit of which there is one."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if n >= unit:
            return f"{n / unit:g} {name}"
    return f"{n} B"


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]], rule: str = " --- ") -> None:
    """A cell that is None is a dash. rule: a cell of the line below the head."""
    for row in (head, *rows):
        print("|", " | ".join("–" if cell is None else str(cell) for cell in row), "|")
        if row is head:
            print(f"|{'|'.join([rule] * len(head))}|")
    print()
