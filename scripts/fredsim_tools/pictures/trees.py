# SPDX-License-Identifier: Apache-2.0
"""All-reduces on Fred trees and on square meshes by the number of NPUs, from the study of the name."""

from ..plots import COLOURS, pyplot
from .picture import Picture

COUNTS = (20, 64, 256, 1024)
LEVELS = {2: ("#e8a87c", "s"), 3: (COLOURS["fred_d"], "o"), 4: ("#8c3a0c", "^")}


def fred_trees(picture: Picture) -> None:
    """Time of a small and of a large all-reduce by the number of NPUs."""
    times = {(row["settings"]["name"], row["options"]["size"], row["options"]["algorithm"]): row["results"]["time_ns"] for row in picture.study("fred_trees")}
    figure, axes = pyplot.subplots(1, 2, figsize=(7.6, 3.8), layout="constrained")
    for axis, size, title in zip(axes, ("64KiB", "16MiB"), ("64 KiB", "16 MiB")):
        for algorithm, label, colour in (("paper", "mesh, paper's", COLOURS["mesh"]), ("auto", "mesh, best", COLOURS["mesh (best)"])):
            axis.plot(COUNTS, [times[f"mesh_{n}", size, algorithm] for n in COUNTS], marker="o", color=colour, label=label)
        for levels, (colour, marker) in LEVELS.items():
            points = [(n, times[f"tree_{n}_{levels}", size, "auto"]) for n in COUNTS if (f"tree_{n}_{levels}", size, "auto") in times]
            axis.plot(*zip(*points), marker=marker, color=colour, label=f"Fred tree, {levels} levels")
        axis.set_xscale("log", base=2)
        axis.set_xticks(COUNTS, map(str, COUNTS))
        axis.set_title(f"all-reduce of {title}")
        axis.set_xlabel("NPUs")
    axes[0].set_yscale("log")
    axes[0].set_yticks([100, 300, 1000, 3000, 10000], ["100", "300", "1000", "3000", "10000"])
    axes[0].set_ylim(80, 60000)
    axes[0].minorticks_off()
    axes[1].set_ylim(0, 30000)
    axes[0].set_ylabel("time, ns")
    axes[0].legend(loc="upper left", fontsize=9)
    picture.save(figure)
