# SPDX-License-Identifier: Apache-2.0
"""A mutant as text: an expression of a source, and another one that stands in for it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def one_line(text: str) -> str:
    """Without comments, blanks as one."""
    return " ".join(COMMENT.sub(" ", text).split())


@dataclass(frozen=True)
class Site:
    """Replacement of text[start:end] by `mutated`. wrap: what stands around a choice of both, or empty, where a choice is an
    expression in brackets."""

    operator: str  # relational, logical, arithmetic, bit, constant, condition, drop
    start: int
    end: int
    line: int
    original: str
    mutated: str
    wrap: str = ""


@dataclass(frozen=True)
class Mutant:
    """file: from the top of the checkout; nth: of sites of the file with the same text, from 0."""

    file: str
    site: Site
    nth: int

    @property
    def key(self) -> str:
        """Stays the same when lines move."""
        return f"{self.file}: {self.site.original} => {self.site.mutated} #{self.nth}"


def mutants(file: str, sites: Iterable[Site]) -> list[Mutant]:
    seen: dict[tuple[str, str], int] = {}
    made = []
    for site in sorted(sites, key=lambda one: (one.start, one.end, one.operator, one.mutated)):
        pair = site.original, site.mutated
        made.append(Mutant(file, site, seen.get(pair, 0)))
        seen[pair] = seen.get(pair, 0) + 1
    return made
