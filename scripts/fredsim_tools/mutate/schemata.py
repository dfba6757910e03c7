# SPDX-License-Identifier: Apache-2.0
"""All mutants of a source in one text: at each site a choice by the number of the mutant, which a process has from its environment.

Lines stay where they are, so messages of compilers name lines of the source.
"""

import itertools
from collections.abc import Sequence

from .site import Mutant

VARIABLE = "FREDSIM_MUTANT"
PACKAGE_FILE = "noc_pkg.sv"  # the first one of every list of files
PACKAGE = (f'package mutant_pkg; int id = $c32("(std::getenv(\\"{VARIABLE}\\") ? std::atoi(std::getenv(\\"{VARIABLE}\\")) : 0)"); endpackage')
# Warnings that mutants give, off from there on: other flags for all of the build would miss what
# ccache has.
WARNINGS = "\n".join(f'#pragma GCC diagnostic ignored "-W{name}"' for name in (
    "parentheses", "conversion", "float-conversion", "sign-compare", "tautological-compare", "logical-not-parentheses", "bool-compare", "bool-operation",
    "int-in-bool-context", "type-limits", "unused-value", "unused-variable", "unused-but-set-variable", "unused-parameter", "empty-body", "address",
    "maybe-uninitialized", "array-bounds", "stringop-overflow", "stringop-overread", "nonnull", "shift-count-overflow", "overflow", "extra"))
HEADER = f"""// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
{WARNINGS}
namespace fredsim_mutant {{
inline const int id = std::getenv("{VARIABLE}") != nullptr ? std::atoi(std::getenv("{VARIABLE}")) : 0;
}}
"""
HEADER_FILE = "sc_models/base/mutant_id.h"
INCLUDE = '#include "base/mutant_id.h"'


def is_rtl(file: str) -> bool:
    return file.endswith(".sv")


def disjoint(chosen: Sequence[Mutant]) -> list[Mutant]:
    """Leaves out mutants whose place overlaps with that of an earlier one."""
    kept: list[Mutant] = []
    for mutant in chosen:
        here = mutant.site
        if all((one.site.start, one.site.end) == (here.start, here.end) or one.site.end <= here.start or here.end <= one.site.start for one in kept):
            kept.append(mutant)
    return kept


def instrumented(file: str, text: str, numbered: Sequence[tuple[int, Mutant]]) -> str:
    """The text with these mutants, all of it as it was for any other number."""
    variable = "mutant_pkg::id" if is_rtl(file) else "fredsim_mutant::id"

    def place(one: tuple[int, Mutant]) -> tuple[int, int]:
        return one[1].site.start, one[1].site.end

    for (start, end), here in itertools.groupby(sorted(numbered, key=place, reverse=True), key=place):
        original = text[start:end]
        choice = f"({original})"
        for number, mutant in here:
            wrapped = f"{mutant.site.wrap}({original})" if choice == f"({original})" else choice
            choice = f"({variable} == {number} ? ({mutant.site.mutated}) : {wrapped})"
        text = text[:start] + choice + text[end:]
    return text if is_rtl(file) else _first_line(text, INCLUDE)


def with_package(text: str) -> str:
    return _first_line(text, PACKAGE)


def _first_line(text: str, line: str) -> str:
    """Header in place of the licence line, which every file has."""
    return line + text[text.index("\n") :]
