# SPDX-License-Identifier: Apache-2.0
"""Pictures of studies whose runs take long, from the tables of their pages."""

import re
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..plots import COLOURS, pyplot
from ..tables import KIB, MIB
from .picture import Picture, page_table, page_tables

GREY = "#9aa7b5"
PALETTE = [GREY, COLOURS["fred_b"], COLOURS["fred_d"], COLOURS["fred_c"], COLOURS["torus"], COLOURS["fred_a"], COLOURS["mesh (best)"]]


def number(cell: str) -> float:
    return float(cell.replace("*", "").replace("−", "-").replace(" %", "").replace(" ", ""))


def plain(cell: str) -> str:
    return cell.replace("`", "")


def short_size(n: int) -> str:
    return next(f"{n / unit:.3g} {name}" for unit, name in ((MIB, "MiB"), (KIB, "KiB"), (1, "B")) if n >= unit)


def grouped(axis: Axes, names: Sequence[str], series: dict[str, list[float]], form: str) -> None:
    """A group of bars for each name, a bar in it for each series."""
    width = 0.8 / len(series)
    for k, (title, values) in enumerate(series.items()):
        places = [i + width * (k - (len(series) - 1) / 2) for i in range(len(names))]
        bars = axis.bar(places, values, 0.92 * width, color=PALETTE[k], label=title)
        axis.bar_label(bars, fmt=form, padding=2, fontsize=7)
    axis.set_xticks(range(len(names)), names, fontsize=9)
    axis.grid(axis="x", visible=False)


def stacked(axis: Axes, names: Sequence[str], parts: dict[str, list[float]]) -> None:
    """A bar from left to right for each name, the first one on top."""
    left = [0.0] * len(names)
    for k, (title, values) in enumerate(parts.items()):
        axis.barh(names, values, 0.7, left=left, color=PALETTE[k], label=title)
        left = [a + b for a, b in zip(left, values)]
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.tick_params(axis="y", labelsize=9)


def legend_above(figure: Figure, axis: Axes) -> None:
    """One legend above all axes, which share it."""
    handles, titles = axis.get_legend_handles_labels()
    if engine := figure.get_layout_engine():
        engine.set(rect=(0, 0, 1, 0.92))
    figure.legend(handles, titles, loc="upper center", ncols=len(titles), fontsize=9)


def energy(picture: Picture) -> None:
    """Energy of an all-reduce by component, 4 KiB and 1 MiB."""
    figure, axes = pyplot.subplots(1, 2, figsize=(8.8, 4), layout="constrained")
    for axis, size, unit in zip(axes, ("4 KiB", "1 MiB"), ("nJ", "µJ")):
        head, *lines = page_table("energy", f"all-reduce, {unit}")
        first, last = head.index("adders"), head.index("sums at NPUs")
        per_bit = [number(line[head.index("pJ/bit")]) / number(line[head.index("all")]) for line in lines]
        parts = {head[k]: [number(line[k]) * scale for line, scale in zip(lines, per_bit)] for k in range(first, last + 1)}
        stacked(axis, [line[0] for line in lines], parts)
        axis.set_title(size)
        axis.set_xlabel("pJ per bit of the vector")
    legend_above(figure, axes[0])
    picture.save(figure)


def eflops(picture: Picture) -> None:
    """Time over bytes / rate by the NPUs that share a NIC."""
    head, *lines = page_table("eflops", "NPUs to a NIC")
    figure, axis = pyplot.subplots(figsize=(7.2, 3.8), layout="constrained")
    for k in range(1, len(head)):
        points = [(number(line[0]), number(line[k])) for line in lines if line[k] != "–"]
        axis.plot(*zip(*points), marker="o", color=PALETTE[k % len(PALETTE)], label=plain(head[k]))
    axis.set_xscale("log", base=2)
    axis.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axis.minorticks_off()
    axis.set_xlabel("NPUs to a NIC")
    axis.set_ylabel("time over bytes / rate")
    axis.legend(loc="upper left", fontsize=9)
    picture.save(figure)


def gradients(picture: Picture) -> None:
    """Iterations at 10 Gbit/s by schedule, over the time of computing."""
    head, *lines = page_table("gradients", "10 Gbit/s")
    schedules = [k for k, cell in enumerate(head) if plain(cell) in ("layer", "bucket", "dear", "priority")]
    computing = head.index("computing")
    figure, axis = pyplot.subplots(figsize=(8.4, 3.8), layout="constrained")
    grouped(axis, [line[0] for line in lines], {plain(head[k]): [number(line[k]) / number(line[computing]) for line in lines] for k in schedules}, "%.2f")
    axis.axhline(1, color="#222222", linewidth=1)
    axis.set_ylabel("iteration over computing alone")
    axis.legend(loc="upper right", ncols=4, fontsize=9)
    axis.margins(y=0.15)
    picture.save(figure)


def libra(picture: Picture) -> None:
    """Optima by objective: the share of the bandwidth that each dimension gets."""
    head, *lines = page_table("libra", "workload")
    figure, axes = pyplot.subplots(1, 2, figsize=(8.8, 4), layout="constrained", sharey=True)
    workloads: list[str] = []
    for line in lines:
        workloads.append(line[0] or workloads[-1])
    for axis, objective in zip(axes, ("time", "time × cost")):
        rows = [(f"{workload}, {line[1]}", line[head.index("ours")].split(" / ")) for workload, line in zip(workloads, lines)
                if line[head.index("objective")] == objective]  # fmt: skip
        parts = {f"dimension {d}": [number(shares[d]) if d < len(shares) else 0 for _, shares in rows] for d in range(4)}
        stacked(axis, [name for name, _ in rows], parts)
        axis.set_title(f"least {objective}")
        axis.set_xlabel("GB/s of 100")
    axes[1].invert_yaxis()  # both axes share it
    legend_above(figure, axes[0])
    picture.save(figure)


def own_networks(picture: Picture) -> None:
    """Time over the formula by network and size."""
    head, *lines = page_table("own_networks", "network")
    names = list(dict.fromkeys(line[0].split(":")[0] for line in lines))
    sizes = list(dict.fromkeys(line[1] for line in lines))
    column = head.index("over formula")
    found = {(line[0].split(":")[0], line[1]): number(line[column]) for line in lines}
    figure, axis = pyplot.subplots(figsize=(8.4, 4.2), layout="constrained")
    for k, size in enumerate(sizes):
        axis.plot([found[name, size] for name in names], range(len(names)), "o", markersize=7, color=PALETTE[k], label=size)
    axis.axvline(1, color="#222222", linewidth=1)
    axis.set_yticks(range(len(names)), [plain(name) for name in names], fontsize=9)
    axis.invert_yaxis()
    axis.set_xlabel("time over the formula")
    axis.legend(loc="lower left", fontsize=9)
    picture.save(figure)


def pytorch(picture: Picture) -> None:
    """Exposed communication of a recorded and simulated step of DLRM, and its collectives once the last rank has come."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.8, 3.6), layout="constrained")
    lines = {line[0]: line for line in page_table("pytorch", "DLRM, 8 ranks")}
    rows = {"recorded": "recorded", "hybrid cube": "as recorded, hybrid cube", "mesh": "as recorded, mesh", "Fred-D": "as recorded, Fred-D"}
    exposed, carried = ([number(lines[row][k]) / 1e3 for row in rows.values()] for k in (3, 4))
    stacked(left, list(rows), {"waits for the last rank": [a - b for a, b in zip(exposed, carried)], "after its arrival": carried})
    left.set_xlabel("exposed communication, ms")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=2, fontsize=9)
    head, *collectives = page_table("pytorch", "collective")
    names = [f"{line[0].replace('all-to-all', 'A2A').replace('all-reduce', 'AR')}\n{short_size(int(line[1]))}" for line in collectives]
    for k, (title, column) in enumerate((("recorded", 3), ("hybrid cube, 7 µs of software", 5), ("mesh", 6), ("Fred-D", 7))):
        right.plot(range(len(names)), [number(line[column]) for line in collectives], "o", color=PALETTE[(0, 1, 6, 2)[k]], label=title)
    right.set_yscale("log")
    right.set_xticks(range(len(names)), names, fontsize=7)
    right.set_ylabel("µs after the last arrival")
    right.legend(fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.22))
    picture.save(figure)


def rounding(picture: Picture) -> None:
    """Sums that equal the exact sum rounded once, by format, data and order."""
    _, *lines = page_table("rounding_and_memory", "format, data")
    names = [line[0] for line in lines if line[0]]
    orders = list(dict.fromkeys(line[1] for line in lines))
    figure, axis = pyplot.subplots(figsize=(7.2, 3.6), layout="constrained")
    grouped(axis, names, {plain(order): [number(line[2]) for line in lines if line[1] == order] for order in orders}, "%.1f")
    axis.set_ylabel("sums rounded to nearest, %")
    axis.legend(loc="upper left", ncols=3, fontsize=9)
    axis.margins(y=0.2)
    picture.save(figure)


def silicon(picture: Picture) -> None:
    """Errors of all rows, by the machine and how it runs the collective."""
    rows: dict[str, list[float]] = {}
    for head, *lines in page_tables("silicon", "machine"):
        for line in lines:
            how = re.split("[;,] (?!packets)", line[head.index("how")])[0]
            name = f"{re.sub('^[0-9]+ (× )?', '', line[0]).replace(', no ring', '').replace('elements in a row', 'WSE-2 row')}: {how}"
            if line[head.index("size")].endswith("KiB") or line[head.index("size")] == "1 MiB":
                name += ", up to 1 MiB"
            rows.setdefault(name, []).append(number(line[head.index("error")].lstrip("+")))
    figure, axis = pyplot.subplots(figsize=(8.4, 3.6), layout="constrained")
    for place, errors in enumerate(rows.values()):
        axis.plot(errors, [place] * len(errors), "o", color=COLOURS["fred_d"], alpha=0.7, markersize=7)
    axis.axvline(0, color="#222222", linewidth=1)
    axis.set_yticks(range(len(rows)), list(rows), fontsize=9)
    axis.invert_yaxis()
    axis.set_xlabel("simulated over measured, error in %")
    picture.save(figure)


def topoopt(picture: Picture) -> None:
    """All-reduces over 128 NPUs by network and size."""
    head, *lines = page_table("topoopt", "network")
    figure, axes = pyplot.subplots(1, 2, figsize=(8.8, 3.8), layout="constrained", sharey=True)
    sizes = [cell.removesuffix(", ms") for cell in head[1:]]
    for axis, own in zip(axes, (lines[:3], lines[3:])):
        grouped(axis, sizes, {("rings, " if line[0].startswith("degree") else "") + line[0]: [number(cell) for cell in line[1:]] for line in own}, "%.3g")
        axis.set_yscale("log")
        axis.margins(y=0.25)
        axis.legend(loc="upper left", fontsize=9)
    axes[0].set_ylabel("all-reduce, ms")
    picture.save(figure)
