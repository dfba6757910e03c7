# SPDX-License-Identifier: Apache-2.0
"""Heat maps of input buffers by the latency of links, from the study of the name."""

from collections.abc import Callable

from ..plots import pyplot
from .picture import Picture
from .strategies import heat_map

BUFFER, LATENCY = "switch.input_buffer", "fabric.link_latency"


def buffers(picture: Picture) -> None:
    """Time over bound of a large all-reduce on Fred-D and on the mesh, and the ratio of their times."""
    rows = [row for row in picture.study("buffers") if row["options"]["size"] == "16MiB"]
    points = {(row["results"]["fabric"], row["settings"][LATENCY], row["settings"][BUFFER]): row["results"] for row in rows}
    latencies = list(dict.fromkeys(row["settings"][LATENCY] for row in rows))
    kibs = list(dict.fromkeys(row["settings"][BUFFER].split()[0] for row in rows))

    def over_bound(machine: str) -> Callable[[str, str], float]:
        return lambda latency, kib: points[machine, latency, f"{kib} KiB"]["derived.time_over_bound"]

    def lead(latency: str, kib: str) -> float:
        mesh, tree = (points[machine, latency, f"{kib} KiB"]["time_ns"] for machine in ("mesh", "fred_d"))
        return mesh / tree

    figure, axes = pyplot.subplots(1, 3, figsize=(8.4, 2.9), layout="constrained", sharey=True)
    for axis, machine, title in zip(axes, ("fred_d", "mesh"), ("Fred-D, time / bound", "best mesh, time / bound")):
        heat_map(axis, latencies, kibs, over_bound(machine), title)
    heat_map(axes[2], latencies, kibs, lead, "time, best mesh / Fred-D")
    for axis in axes:
        axis.set_xlabel("input buffer, KiB")
    axes[0].set_ylabel("latency of a link")
    picture.save(figure)
