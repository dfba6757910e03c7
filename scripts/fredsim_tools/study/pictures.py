# SPDX-License-Identifier: Apache-2.0
"""Pictures of the study, each as PNG and SVG. `file`: their path without its ending, in a folder that is made."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..plots import pyplot, save


def curves(times: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]], file: Path) -> None:
    """Plots the time of each machine over errors per bit, by size; without errors at the left end."""
    rates = sorted({rate for sizes in times.values() for points in sizes.values() for rate, _ in points})
    places = {rate: rate or rates[1] / 10 for rate in rates}
    figure, axes = pyplot.subplots(1, len(times), figsize=(5 * len(times), 4), layout="constrained", sharey=True, squeeze=False)
    for axis, (machine, sizes) in zip(axes[0], times.items()):
        for name, points in sizes.items():
            axis.plot([places[rate] for rate, _ in points], [slower for _, slower in points], marker="o", markersize=4, label=name)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(list(places.values()), [f"{rate:g}" for rate in rates])
        axis.minorticks_off()
        axis.set_xlabel("errors per bit")
        axis.set_title(f"{machine}, all-reduce", fontsize=10)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("time, perfect links without retransmission = 1")
    axes[0][0].legend(frameon=False)
    save(figure, file)


def chiplets(works: Sequence[tuple[str, Sequence[str]]], slower: Mapping[tuple[str, tuple[str, ...]], float | None], file: Path) -> None:
    """A field for every chiplet: the cost of its failure."""
    figure, axes = pyplot.subplots(1, len(works), figsize=(4.5 * len(works), 4), layout="constrained", squeeze=False)
    for axis, (title, _) in zip(axes[0], works):
        found = {}
        for (of, faults), times in slower.items():
            if of != title or len(faults) > 1 or not faults[0].startswith("switch:") or times is None:
                continue
            words = faults[0].removeprefix("switch:").split(".")  # l1_0.s3 or l2.s3.c1
            found[next(word for word in words if word[0] == "s"), " ".join(word for word in words if word[0] != "s")] = times
        rows, columns = (sorted({key[k] for key in found}) for k in (0, 1))
        image = axis.imshow([[found[row, column] for column in columns] for row in rows], vmin=1, vmax=1.5, cmap="OrRd")
        axis.set_xticks(range(len(columns)), columns, rotation=45)
        axis.set_yticks(range(len(rows)), rows)
        axis.set_title(f"{title}: a failed chiplet", fontsize=10)
        for y, row in enumerate(rows):
            for x, column in enumerate(columns):
                axis.text(x, y, f"{found[row, column]:.2f}", ha="center", va="center", fontsize=8)
        figure.colorbar(image, ax=axis, shrink=0.7, label="times as long")
    save(figure, file)
