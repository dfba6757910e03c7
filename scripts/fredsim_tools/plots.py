# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib, without a screen: import this only to draw, since tables do not need it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

__all__ = ["COLOURS", "pyplot", "save"]

# Text stays text, in any font of the reader; equal pictures are equal files.
pyplot.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "fredsim", "font.size": 11, "axes.titlesize": 11, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.alpha": 0.3, "legend.frameon": False, "lines.linewidth": 2, "lines.markersize": 4.5,
})  # fmt: skip

# A machine has one colour in all pictures.
COLOURS = {
    "mesh": "#777777", "mesh (best)": "#222222", "torus": "#b08cc8", "fred_a": "#8fb8de", "fred_b": "#3d7ebf", "fred_c": "#f2b880", "fred_d": "#d1601e",
}  # fmt: skip


def save(figure: Figure, file: Path, drawn: IO[str] = sys.stderr, kinds: Sequence[str] = ("png", "svg")) -> None:
    """Writes PNG and SVG. file: their path without its ending, in a folder that is made; drawn: to which they are named."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        path = file.with_suffix(f".{kind}")
        figure.savefig(path, dpi=150, metadata={"Date": None} if kind == "svg" else None)
        if kind == "svg":  # no blanks at the ends of lines
            path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text(encoding="utf-8").splitlines()), encoding="utf-8")
        print(f"drawn: {path}", file=drawn)
    pyplot.close(figure)
