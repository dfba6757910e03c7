# SPDX-License-Identifier: Apache-2.0
"""Curves of the study of uplinks: all-reduces by bandwidth between the switches, trees beside mesh and torus."""

from collections.abc import Iterable

from ..plots import COLOURS, pyplot
from ..runs import Json
from .picture import BEST_TORUS, TITLE, Picture

UPLINKS, BANDWIDTH = "fabric.uplinks", "fabric.uplink_bandwidth"
# Group of an all-reduce: its strategy, and how panels name it.
GROUPS = {"mp1-dp20-pp1": "all 20 NPUs", "mp4-dp5-pp1": "four DP groups of five at once"}


def tb_per_s(row: Json) -> float:
    return float(row["settings"][BANDWIDTH].removesuffix(" TB/s"))


def times(rows: Iterable[Json]) -> list[tuple[float, float]]:
    """Bandwidth and µs, by bandwidth."""
    return sorted((tb_per_s(row), row["results"]["time_ns"] / 1000) for row in rows)


def uplinks(picture: Picture) -> None:
    """Time of all-reduces of 16 MiB by the bandwidth of an L1 switch upwards."""
    rows = [row for row in picture.study("uplinks") if row["options"]["size"] == "16MiB" and row["options"]["dimension"] == "dp"]
    figure, axes = pyplot.subplots(1, 2, figsize=(7.2, 4.4), layout="constrained", sharey=True)
    for axis, (strategy, title) in zip(axes, GROUPS.items()):
        own = [row for row in rows if row["options"]["strategy"] == strategy]
        trees = {name: [row for row in own if row["machine"] == name] for name in ("fred_c", "fred_d")}
        for name, found in trees.items():
            four = times(row for row in found if row["settings"][UPLINKS] == "4")
            axis.plot(*zip(*four), marker="o", color=COLOURS[name], label=f"{TITLE[name]}, four uplinks")
        wide = times(row for row in trees["fred_d"] if row["settings"][UPLINKS] != "4")
        axis.plot(*zip(*wide), marker="s", linestyle=":", color=COLOURS["fred_d"], label="Fred-D, one and two of 600 GB/s")
        for row in own:
            if row["machine"] in ("mesh", "torus"):
                name = "mesh (best)" if row["machine"] == "mesh" and row["options"]["algorithm"] == "auto" else row["machine"]
                base = BEST_TORUS if name == "torus" else TITLE[name]
                axis.axhline(row["results"]["time_ns"] / 1000, color=COLOURS[name], linestyle="--", label=base)
        axis.set_xscale("log", base=2)
        axis.set_xticks([1.5, 3, 6, 12], ["1.5", "3", "6", "12"])
        axis.set_yscale("log")
        axis.set_yticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
        axis.minorticks_off()
        axis.set_ylim(5, 180)
        axis.set_xlabel("uplinks of an L1 switch, TB/s")
        axis.set_title(title)
    axes[0].set_ylabel("all-reduce of 16 MiB, µs")
    axes[0].legend(loc="upper left", fontsize=9)
    picture.save(figure)
