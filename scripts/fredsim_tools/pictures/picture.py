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


def page_tables(study: str, first: str) -> list[list[list[str]]]:
    """Tables of a page in docs/studies whose heads begin with the cell `first`: their cells, heads included."""
    lines = (checkout.CHECKOUT / f"docs/studies/{study}.md").read_text(encoding="utf-8").splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith(f"| {first} |")]
    if not starts:
        raise SystemExit(f"docs/studies/{study}.md: no table with the head {first}")
    tables = [list(takewhile(lambda line: line.startswith("|"), lines[start:])) for start in starts]
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in [table[0], *table[2:]]] for table in tables]


def page_table(study: str, first: str) -> list[list[str]]:
    """Cells of the first of these tables."""
    return page_tables(study, first)[0]


def sizes_on(axis: Axes, sizes: Sequence[int]) -> None:
    """Powers of two along x, powers of four labelled."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [short(n) for n in sizes])
    axis.minorticks_off()


def short(n: int) -> str:
    if n >= MIB:
        return f"{n // MIB} MiB"
    return f"{n // KIB} KiB" if n >= KIB else f"{n} B"
