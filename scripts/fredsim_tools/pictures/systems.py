# SPDX-License-Identifier: Apache-2.0
"""The study of systems: wafers beside boxes by size, and all systems at 1 GiB."""

from ..plots import COLOURS, pyplot
from ..runs import Json
from .picture import Picture, sizes_on

WAFERS = {"fred_d_16": ("16 wafers of Fred-D", "fred_d"), "mesh_16": ("16 wafers of meshes", "mesh"), "boxes_8_40": ("40 boxes of 8", "fred_a")}


def speeds(rows: list[Json]) -> dict[tuple[str, int], float]:
    """GB/s by system and bytes, of the faster algorithm; systems as their files have them."""
    found: dict[tuple[str, int], float] = {}
    for row in rows:
        if row["settings"] or not row.get("results"):
            continue
        key = (row["results"]["fabric"], row["results"]["size_bytes"])
        found[key] = max(found.get(key, 0.0), row["results"]["size_bytes"] / row["results"]["time_ns"])
    return found


def systems(picture: Picture) -> None:
    """All-reduces, bytes of a rank's vector per second: left by size, right of the largest."""
    found = speeds(picture.study("systems"))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.2, 4.4), layout="constrained")
    sizes = sorted({size for _, size in found})
    for name, (title, colour) in WAFERS.items():
        left.plot(sizes, [found[name, size] for size in sizes], marker="o", color=COLOURS[colour], label=title)
    sizes_on(left, sizes)
    left.tick_params(axis="x", rotation=60)
    left.set_yscale("log")
    left.set_ylabel("all-reduce, GB/s")
    left.set_title("320 NPUs, 50 GB/s each outwards")
    left.legend(fontsize=9)
    largest = sorted(((speed, name) for (name, size), speed in found.items() if size == sizes[-1]))
    colours = [COLOURS[WAFERS[name][1]] if name in WAFERS else COLOURS["fred_b"] for _, name in largest]
    right.barh([name for _, name in largest], [speed for speed, _ in largest], color=colours)
    right.tick_params(axis="y", labelsize=8)
    right.grid(axis="y", visible=False)
    right.set_xlabel("GB/s")
    right.set_title("1 GiB, all systems")
    picture.save(figure)
