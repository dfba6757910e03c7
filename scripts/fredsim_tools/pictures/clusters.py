# SPDX-License-Identifier: Apache-2.0
"""Systems of several dimensions: Themis on its six systems, memories of a cluster of boxes, and what bandwidth between wafers costs."""

import re
from dataclasses import dataclass

from matplotlib.axes import Axes

from ..plots import COLOURS, pyplot
from .picture import Picture, page_table
from .strategies import NS_PER_S, heat_map

GREY = "#9aa7b5"
# Order of dimensions and of chunks: title, colour, mean use of bandwidth in the paper (Rashidi et
# al., ISCA 2022), percent.
ORDERS = {
    ("baseline", "fifo"): ("baseline", GREY, 56.3),
    ("themis", "fifo"): ("Themis, FIFO", COLOURS["fred_b"], 87.7),
    ("themis", "scf"): ("Themis, SCF", COLOURS["fred_d"], 95.1),
}


def themis(picture: Picture) -> None:
    """Use of bandwidth by all-reduces of 1 GB on six systems and on average, beside the paper's means."""
    rows = picture.study("themis")
    names = list(dict.fromkeys(row["machine"] for row in rows))
    figure, axis = pyplot.subplots(figsize=(8.4, 3.9), layout="constrained")
    for k, (order, (title, colour, paper)) in enumerate(ORDERS.items()):
        own = [row for row in rows if (row["options"]["dimension-order"], row["options"]["chunk-order"]) == order]
        use = {row["machine"]: 100 * row["results"]["system.utilization"] for row in own}
        values = [use[name] for name in names]
        values += [sum(values) / len(values), paper]
        bars = axis.bar([i + 0.27 * (k - 1) for i in range(len(values))], values, 0.25, color=colour, label=title)
        axis.bar_label(bars, fmt="%.0f", padding=2, fontsize=8)
    axis.axvline(len(names) - 0.5, color="#999999", linewidth=1)
    labels = [re.sub("_(?=h)", "\n", name.removeprefix("themis_").replace("_", "\n", 1)) for name in names]
    axis.set_xticks(range(len(names) + 2), [*labels, "mean", "paper,\nmean"], fontsize=8)
    axis.grid(axis="x", visible=False)
    axis.set_ylim(0, 118)
    axis.set_yticks(range(0, 101, 20))
    axis.set_ylabel("use of bandwidth, %")
    axis.legend(loc="upper left", ncols=3, fontsize=10)
    picture.save(figure)


def memory_cluster(picture: Picture) -> None:
    """Iterations of GPT-3 on 64 NPUs by strategy and memory, from the table of the page: the study takes long."""
    head, *lines = page_table("memory_cluster", "strategy, activations")
    memories = [index for index, cell in enumerate(head) if "GB/s" in cell or cell.startswith("+ ")]
    columns, own = {}, ""
    for index in memories:
        own, _, behind = head[index].partition("+ ") if "GB + " in head[index] else (own, "", head[index].removeprefix("+ "))
        columns[f"{own.strip()}\n+ {behind.removesuffix(' GB/s')}"] = index
    times = {line[0]: line for line in lines if line[0].startswith("MP")}

    def value(strategy: str, memory: str) -> float | None:
        cell = times[strategy][columns[memory]]
        return None if cell == "-" else float(cell)

    figure, axis = pyplot.subplots(figsize=(7.2, 4), layout="constrained")
    heat_map(axis, list(times), list(columns), value, "GPT-3, 64 NPUs, seconds per iteration")
    axis.set_xlabel("own memory + GB/s of the memory behind it")
    picture.save(figure)


# GB/s of an NPU between wafers.
BETWEEN = (1, 2, 3, 5, 8, 12.5, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 400, 800)
ON_WAFER = 3000  # GB/s of an NPU
WAFERS = {16: COLOURS["fred_a"], 32: COLOURS["fred_b"], 64: COLOURS["fred_d"]}


@dataclass
class Point:
    between: float  # GB/s
    cost: float  # millions of dollars
    seconds: float


def front_of(picture: Picture, wafers: int, accounting: str) -> list[Point]:
    """A point per bandwidth between wafers, that on the wafer held."""
    points = []
    for between in BETWEEN:
        found = picture.runs.fredsim(
            "optimize", f"fred_d_16@fabric.dimensions.2.size={wafers}", "--total", f"{ON_WAFER + between}GB/s", "--at-least",
            f"wafer={ON_WAFER}GB/s", "--at-most", f"wafer={ON_WAFER}GB/s", "--workload", "gpt3", "--mp", "20", "--dp", str(wafers),
            "--minibatch", "1280", "--accounting", accounting, "--for", "time_cost")["optimum"]  # fmt: skip
        points.append(Point(between, found["cost"] / 1e6, found["time_ns"] / NS_PER_S))
    return points


def draw_front(picture: Picture, axis: Axes, accounting: str) -> None:
    """A curve for each number of wafers, with its least time x cost."""
    for wafers, colour in WAFERS.items():
        points = front_of(picture, wafers, accounting)
        axis.plot([p.cost for p in points], [p.seconds for p in points], marker="o", color=colour, label=f"{wafers} wafers")
        knee = min(points, key=lambda p: p.seconds * p.cost)
        axis.scatter(knee.cost, knee.seconds, s=90, facecolors="none", edgecolors="#222222", linewidths=1.5, zorder=3)
        axis.annotate(f"{knee.between:g} GB/s", (knee.cost, knee.seconds), xytext=(5, 7), textcoords="offset points", fontsize=9)


def wafer_front(picture: Picture) -> None:
    """Time of GPT-3 and cost of the network by the bandwidth between wafers, 1 to 800 GB/s per NPU."""
    figure, axes = pyplot.subplots(1, 2, figsize=(8.4, 3.9), layout="constrained", sharey=True)
    for axis, accounting in zip(axes, ("serial", "overlap")):
        draw_front(picture, axis, accounting)
        axis.set_title(f"--accounting {accounting}")
        axis.set_xscale("log")
        axis.set_xticks([16, 32, 64, 128], ["16", "32", "64", "128"])
        axis.set_yscale("log")
        axis.set_yticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
        axis.minorticks_off()
        axis.set_xlabel("network, millions of dollars")
    axes[0].set_ylabel("seconds per iteration")
    axes[0].legend(loc="lower left", fontsize=10)
    picture.save(figure)
