# SPDX-License-Identifier: Apache-2.0
"""tests/mutate/survivors.json: mutants that no test can kill, or none does, each with its reason.

A list of objects: file, original, mutated and nth as in a mutant's key, and reason. `equivalent` says whether the mutant cannot be told from the original
at any output.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .site import Mutant

FILE = Path("tests") / "mutate" / "survivors.json"


@dataclass(frozen=True)
class Known:
    file: str
    original: str
    mutated: str
    nth: int
    equivalent: bool
    reason: str

    @property
    def key(self) -> str:
        return f"{self.file}: {self.original} => {self.mutated} #{self.nth}"


def read(checkout: Path) -> dict[str, Known]:
    file = checkout / FILE
    rows = [Known(**row) for row in json.loads(file.read_text())] if file.exists() else []
    return {row.key: row for row in rows}


def as_rows(mutants: Sequence[Mutant]) -> str:
    """Rows for that file, whose reasons are to be written."""
    rows = [{"file": one.file, "original": one.site.original, "mutated": one.site.mutated, "nth": one.nth, "equivalent": False, "reason": ""}
            for one in mutants]  # fmt: skip
    return json.dumps(rows, indent=1)
