"""Pictures with matplotlib, without a screen: import this only to draw, since tables do not need it."""

import sys
from pathlib import Path
from typing import IO

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

__all__ = ["pyplot", "save"]


def save(figure: Figure, file: Path, drawn: IO[str] = sys.stderr) -> None:
    """As PNG and SVG. file: their path without its ending, in a folder that is made; drawn: to which they are named."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for kind in ("png", "svg"):
        path = file.with_suffix(f".{kind}")
        figure.savefig(path, dpi=150, metadata={"Date": None} if kind == "svg" else None)
        print(f"drawn: {path}", file=drawn)
