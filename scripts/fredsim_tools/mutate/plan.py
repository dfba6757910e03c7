# SPDX-License-Identifier: Apache-2.0
"""Plan of mutants: a number per file, chosen by a seed, the kinds of operators in turn."""

import random
from collections.abc import Collection, Sequence
from pathlib import Path

from . import cpp, schemata, verilog
from .site import Mutant, mutants


def of_file(file: str, text: str) -> list[Mutant]:
    found = verilog.sites(text) if schemata.is_rtl(file) else cpp.sites(text)
    return mutants(file, found)


def chosen(file: str, text: str, count: int, seed: int, left_out: Collection[str] = ()) -> list[Mutant]:
    """At most `count`, none of the keys in left_out, none that changes nothing. The same text and seed give the same ones; a key that is left out moves no other."""
    source = random.Random(f"{seed} {file}")
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in of_file(file, text):
        by_operator.setdefault(mutant.site.operator, []).append(mutant)
    for group in by_operator.values():
        source.shuffle(group)
    operators = sorted(by_operator)
    source.shuffle(operators)
    in_turn = []
    while any(by_operator.values()):
        in_turn += [by_operator[operator].pop() for operator in operators if by_operator[operator]]
    return schemata.disjoint([one for one in in_turn if one.key not in left_out and one.site.original != one.site.mutated])[:count]


def all_chosen(tree: Path, files: Sequence[str], rtl: int, twins: int, seed: int, left_out: Collection[str] = ()) -> list[Mutant]:
    return [mutant for file in files
            for mutant in chosen(file, (tree / file).read_text(), rtl if schemata.is_rtl(file) else twins, seed, left_out)]  # fmt: skip
