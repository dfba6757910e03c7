# SPDX-License-Identifier: Apache-2.0
"""Parts that all pictures share: runs, the file of each, and how sizes are written on an axis."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import checkout
from ..plots import save
from ..runs import Json, Runs
from ..tables import KIB, MIB

TITLE = {"mesh": "mesh, paper's", "mesh (best)": "mesh, best", "torus": "torus", "fred_a": "Fred-A", "fred_b": "Fred-B", "fred_c": "Fred-C",
         "fred_d": "Fred-D"}  # fmt: skip
BEST_TORUS = "torus, best"  # by `auto`


@dataclass
class Picture:
    """A picture and what it is drawn with. file: its path without its ending; faulty: fredsim with the fault of docs/user/debugging.md."""

    runs: Runs
    file: Path
    faulty: str

    def fredsim(self, *arguments: str) -> list[Json]:
        return self.runs.fredsim(*arguments)["runs"]

    def study(self, name: str) -> list[Json]:
        """Rows of the table of a study in configs/studies. Points that are in build/studies are not run again; one that fails is a row."""
        folder = Path("build/studies") / name
        command = [self.runs.program, "sweep", f"configs/studies/{name}.yaml", "--results", str(folder), "--quiet"]
        print("==", *command, file=self.runs.announced, flush=True)
        done = subprocess.run(command)
        if done.returncode not in (0, 1):
            self.runs.fail(f"{' '.join(command)}: exit code {done.returncode}")
        return [json.loads(line) for line in (folder / "table.jsonl").read_text(encoding="utf-8").splitlines()]

    def save(self, figure: Figure) -> None:
        save(figure, self.file, sys.stdout, ["svg"])


def page_table(study: str, first: str) -> list[list[str]]:
    """Cells of the table of a page in docs/studies whose head begins with the cell `first`, head included."""
    lines = (checkout.CHECKOUT / f"docs/studies/{study}.md").read_text(encoding="utf-8").splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith(f"| {first} |")), None)
    if start is None:
        raise SystemExit(f"docs/studies/{study}.md: no table with the head {first}")
    table = list(takewhile(lambda line: line.startswith("|"), lines[start:]))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [table[0], *table[2:]]]


def sizes_on(axis: Axes, sizes: Sequence[int]) -> None:
    """Powers of two along x, those of 4^n named."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [short(n) for n in sizes])
    axis.minorticks_off()


def short(n: int) -> str:
    if n >= MIB:
        return f"{n // MIB} MiB"
    return f"{n // KIB} KiB" if n >= KIB else f"{n} B"
