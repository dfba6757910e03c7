# SPDX-License-Identifier: Apache-2.0
"""The load of links on the wafer: a mesh beside one slice of a FRED tree."""

from collections.abc import Iterable
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize

from ..plots import pyplot
from ..runs import Json
from .picture import Picture

MAP = LinearSegmentedColormap.from_list("load", ["#dcdcdc", "#fdd49e", "#fc8d59", "#d7301f", "#7f0000"])
Point = tuple[float, float]


class Arrow(NamedTuple):
    """One direction of a link, and the share of cycles in which it is busy."""

    begin: Point
    end: Point
    load: float


def aside(begin: Point, end: Point, by: float) -> tuple[Point, Point]:
    """Parallel arrow to the right of it, so that two directions do not overlap."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    length = (dx * dx + dy * dy) ** 0.5
    shift = (by * dy / length, -by * dx / length)
    return (begin[0] + shift[0], begin[1] + shift[1]), (end[0] + shift[0], end[1] + shift[1])


def draw_arrows(axis: Axes, arrows: Iterable[Arrow], gap: float, width: float) -> None:
    arrows = sorted(arrows, key=lambda arrow: arrow.load)
    lines = LineCollection([aside(arrow.begin, arrow.end, gap) for arrow in arrows], cmap=MAP, norm=Normalize(0, 100), linewidths=width)
    lines.set_array([100 * arrow.load for arrow in arrows])
    axis.add_collection(lines)


def draw_nodes(axis: Axes, places: Iterable[Point], colour: str, size: float, marker: str) -> None:
    x, y = zip(*places)
    axis.scatter(x, y, s=size, c=colour, marker=marker, zorder=3, linewidths=0)


def mesh(axis: Axes, run: Json) -> None:
    places = {node["name"]: (node["x"], -node["y"]) for node in run["layout"]["nodes"] if node["kind"] == "mesh_router"}
    arrows = [Arrow(places[link["from"]], places[link["to"]], link["utilization"])
              for link in run["links"] if link["from"] in places and link["to"] in places]  # fmt: skip
    draw_arrows(axis, arrows, 0.07, 4)
    draw_nodes(axis, places.values(), "#444444", 130, "s")
    axis.set_xlim(-0.5, 4.5)
    axis.set_ylim(-3.6, 0.6)


def tree(axis: Axes, run: Json) -> None:
    """Its first slice, the L2 chiplets in the middle, as they lie on a wafer between the L1 switches."""
    places: dict[str, Point] = {}
    for name in sorted({end for link in run["links"] for end in (link["from"], link["to"])}):
        if name.startswith("npu"):
            n = int(name[3:])
            places[name] = (n // 4 + 0.27 * (n % 4 - 1.5), -2.0)
        elif name.startswith("l1_") and name.endswith(".s0"):
            places[name] = (int(name[3:-3]), -1.0)
        elif name.startswith("l2.s0."):
            places[name] = (1.0 + 2.0 * int(name[-1]), 0.15)
    pairs: dict[tuple[str, str], list[float]] = {}
    for link in run["links"]:
        if link["from"] in places and link["to"] in places:
            pairs.setdefault((link["from"], link["to"]), []).append(link["utilization"])
    spread = 0.11  # between links of the same two ends
    arrows = []
    for (begin, end), loads in pairs.items():
        for k, load in enumerate(loads):
            by = spread * (k - (len(loads) - 1) / 2)
            (x, y), (u, v) = places[begin], places[end]
            arrows.append(Arrow((x + by, y), (u + by, v), load))
    draw_arrows(axis, arrows, 0.03, 2.6)
    draw_nodes(axis, (place for name, place in places.items() if name.startswith("npu")), "#444444", 40, "s")
    draw_nodes(axis, (place for name, place in places.items() if not name.startswith("npu")), "#3d7ebf", 150, "o")
    for text, y in (("L2", 0.15), ("L1", -1.0), ("NPUs", -2.0)):
        axis.text(-1.15, y, text, ha="left", va="center")
    axis.set_xlim(-1.2, 4.6)
    axis.set_ylim(-2.4, 0.6)


WORKS = [("all-reduce", ["--algorithm", "paper", "--best-base"]), ("all-to-all", ["--collective", "all_to_all"])]


def wafer(picture: Picture) -> None:
    """The mesh with its best algorithm beside FRED, for a collective a row."""
    figure, axes = pyplot.subplots(len(WORKS), 2, figsize=(7.6, 5.4), layout="constrained", width_ratios=[1, 1.15])
    for row, (title, words) in zip(axes, WORKS):
        runs = picture.fredsim("compare", "configs/mesh.yaml", "configs/fred_d.yaml", "--size", "16MiB", *words)
        mesh(row[0], runs[-2])
        tree(row[1], runs[-1])
        for axis, machine, run in zip(row, ("mesh", "FRED"), runs[-2:]):
            axis.set_title(f"16 MiB {title}, {machine}: {run['time_ns'] / 1000:.1f} µs", fontsize=13)
            axis.set_axis_off()
    bar = figure.colorbar(ScalarMappable(Normalize(0, 100), MAP), ax=axes, location="bottom", aspect=50, shrink=0.8, pad=0.02)
    bar.set_label("busy cycles of each link and direction, % (FRED: one of 5 slices)", fontsize=12)
    bar.outline.set_visible(False)
    picture.save(figure)
