# SPDX-License-Identifier: Apache-2.0
"""Common part of all questions of the study: its machines, runs of fredsim and tables that must be whole."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..runs import Json, Runs
from ..tables import lines_of, markdown, put_into
from .points import Points

MACHINES = ["mesh", "torus", "fred_a", "fred_b", "fred_c", "fred_d"]
TITLE = {"mesh": "mesh", "torus": "torus", "fred_a": "Fred-A", "fred_b": "Fred-B", "fred_c": "Fred-C", "fred_d": "Fred-D"}
PAPER = "`--algorithm paper`, placement `paper`"  # default if a caption or a command does not say otherwise
BEST_TORUS = "torus, `auto`"
SMOKE_LAYERS = 10  # layers of a model, whose time grows with them; a multiple of the stages of its pipelines
BEST = "mesh, `auto`"  # the algorithm that is estimated to be the fastest; no placement matters to one group of all


@dataclass
class Study:
    """A run of the study. rounding: the program tb_rounding."""

    runs: Runs
    points: Points
    rounding: str
    smoke: bool  # few and small sizes, models of few layers, no search for placements
    plot: Path | None  # folder of pictures
    page: Path | None = None  # page for the tables with a name
    models: "tempfile.TemporaryDirectory[str]" = field(default_factory=tempfile.TemporaryDirectory)  # with few layers

    def fredsim(self, *arguments: str) -> list[Json]:
        """The study uses the paper's algorithms unless it names other ones; work files name their own."""
        if arguments[0] in ("run", "compare") and "--algorithm" not in arguments and "--work" not in arguments:
            arguments = (*arguments, "--algorithm", "paper")
        if self.smoke and "--workload" in arguments:
            arguments = tuple(self.shallow(word) if before == "--workload" else word for before, word in zip(("", *arguments), arguments))
        return self.points.run(*arguments)

    def shallow(self, workload: str) -> str:
        """A copy of a model's file with SMOKE_LAYERS layers."""
        text, count = re.subn(r"^  layers: \d+$", f"  layers: {SMOKE_LAYERS}", Path(workload).read_text(encoding="utf-8"), flags=re.MULTILINE)
        if count != 1:
            self.runs.fail(f"{workload}: found {count} lines with a number of layers; allowed: one")
        copy = Path(self.models.name) / Path(workload).name
        copy.write_text(text, encoding="utf-8")
        return str(copy)

    def placement(self) -> str:
        """Placement of workers: the search of `auto` takes ten times as long as a small run."""
        return "paper" if self.smoke else "auto"

    def run(self, machine: str, *arguments: str) -> Json:
        return self.fredsim("run", config(machine), *arguments)[0]

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Any]], name: str = "") -> None:
        """A table without rows or with an empty cell is an error of the study, and a page without a place for it."""
        if not rows or any(len(row) != len(head) or any(str(cell) == "" for cell in row) for row in rows):
            self.runs.fail(f"incomplete table: {head}: {rows}")
        markdown(head, rows)
        if self.page and name and not put_into(self.page, name, lines_of(head, rows, "---")):
            self.runs.fail(f"{self.page}: found no line <!-- table {name} -->")


def config(machine: str) -> str:
    return f"configs/{machine}.yaml"


def changes(result: Json) -> int:
    """Changes of phases, in all switches."""
    return sum(switch["phase_changes"] for switch in result["switches"])


def stalls(result: Json, reason: str, level: str = "l") -> int:
    """Cycles of a reason in the switches whose names begin so."""
    return sum(s["stall_cycles"].get(reason, 0) for s in result["switches"] if s["name"].startswith(level))


def over_bound(result: Json) -> str:
    return f"{result['derived']['time_over_bound']:.2f}"
