# SPDX-License-Identifier: Apache-2.0
"""Pictures of docs/gallery: each from runs of the files beside its page."""

import csv
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from ..plots import COLOURS, pyplot
from ..runs import Json
from ..tables import MIB
from .picture import Picture
from .wafer import MAP, Arrow, draw_arrows, draw_nodes

FILES = "docs/gallery/files"
MACHINES = {"mesh": ("mesh", COLOURS["mesh (best)"]), "torus": ("torus", COLOURS["torus"]), "fred_d": ("Fred-D", COLOURS["fred_d"])}
GREY, GREEN = "#9aa7b5", "#2a8c5a"


def my_dgx(picture: Picture) -> None:
    """Bus bandwidth of two collectives on four boxes, by size and network card."""
    cards = {"200Gb/s": COLOURS["fred_a"], "400Gb/s": COLOURS["fred_b"], "800Gb/s": COLOURS["fred_d"]}
    machines = [f"{FILES}/my_dgx.yaml@fabric.dimensions.2.bandwidth={rate}" for rate in cards]
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    for axis, collective in zip(axes, ("all_reduce", "all_to_all")):
        runs = picture.fredsim("compare", *machines, "--collective", collective, "-b", "1MiB", "-e", "1GiB", "-f", "4", "--engine", "flow")
        for machine, (rate, colour) in zip(machines, cards.items()):
            points = [(run["size_bytes"], run["busbw_gbps"]) for run in runs if run["settings"]["fabric.dimensions.2.bandwidth"] == rate]
            dashes = (0, (4, 3)) if rate == "800Gb/s" else "-"  # shows the curve below it
            axis.plot(*zip(*points), marker="o", linestyle=dashes, color=colour, label=f"{rate.replace('G', ' G')} per GPU")
        axis.set_xscale("log", base=2)
        axis.set_xticks([MIB << k for k in (0, 4, 8)] + [1024 * MIB], ["1 MiB", "16 MiB", "256 MiB", "1 GiB"], fontsize=9)
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
        axis.set_title(collective)
        axis.set_xlabel("size")
    axes[0].set_ylabel("bus bandwidth, GB/s")
    axes[0].legend(loc="upper left", fontsize=9)
    picture.save(figure)


def grid(axis: Axes, run: Json) -> None:
    """The load of the links of a mesh, either direction."""
    places = {node["name"]: (node["x"], -node["y"]) for node in run["layout"]["nodes"] if node["kind"] == "mesh_router"}
    arrows = [Arrow(places[link["from"]], places[link["to"]], link["utilization"])
              for link in run["links"] if link["from"] in places and link["to"] in places]  # fmt: skip
    draw_arrows(axis, arrows, 0.09, 3)
    draw_nodes(axis, places.values(), "#444444", 45, "s")
    axis.set_aspect("equal")
    axis.margins(0.06)
    axis.set_axis_off()


def my_mesh(picture: Picture) -> None:
    """Load of the links during two collectives."""
    figure, axes = pyplot.subplots(1, 2, figsize=(6.6, 3.7), layout="constrained")
    for axis, collective in zip(axes, ("all_reduce", "all_to_all")):
        run = picture.fredsim("run", f"{FILES}/my_mesh.yaml", "--collective", collective, "--size", "4MiB")[0]
        grid(axis, run)
        axis.set_title(f"{collective}, {run['algorithm']}: {run['time_ns'] / 1000:.1f} µs")
    bar = figure.colorbar(ScalarMappable(Normalize(0, 100), MAP), ax=axes, location="bottom", aspect=50, shrink=0.8, pad=0.02)
    bar.set_label("busy cycles of each link and direction, %")
    bar.outline.set_visible(False)
    picture.save(figure)


def spans(picture: Picture, machine: str, words: Sequence[str]) -> list[Json]:
    """Spans of rank 0 from a timeline: kind (a track's name behind the NPU's), begin and length in µs."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "timeline.json"
        picture.fredsim("train", machine, *words, "--timeline", str(file))
        events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    return [{"kind": tracks[event["tid"]].split()[1], "begin": event["ts"], "length": event["dur"]}
            for event in events if event["ph"] == "X" and tracks[event["tid"]].startswith("npu0 ")]  # fmt: skip


def my_trace(picture: Picture) -> None:
    """Spans of the first rank, a line per machine."""
    kinds = {"compute": ("computes", GREY), "mp": ("all-reduce of a layer", COLOURS["fred_d"]), "dp": ("all-reduce of gradients", COLOURS["fred_b"])}
    words = ["--trace", f"{FILES}/my_trace", "--comm-groups", f"{FILES}/my_trace.groups.json"]
    figure, axis = pyplot.subplots(figsize=(7, 2.7), layout="constrained")
    machines = ["hgx_h200", "mesh", "fred_d"]
    for line, machine in enumerate(machines):
        found = spans(picture, machine, words)
        for row, (kind, (_, colour)) in enumerate(kinds.items()):
            bars = [(span["begin"], span["length"]) for span in found if span["kind"] == kind]
            axis.broken_barh(bars, (line + 0.27 * row - 0.4, 0.25), color=colour, linewidth=0)
        end = max(span["begin"] + span["length"] for span in found)
        axis.text(end + 40, line, f"{end:.0f} µs", va="center", fontsize=10)
    for title, colour in kinds.values():
        axis.barh(0, 0, color=colour, label=title)
    axis.set_yticks(range(len(machines)), machines)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlim(0, 5300)
    axis.set_xlabel("rank 0, µs")
    axis.legend(loc="lower center", bbox_to_anchor=(0.45, 1), ncols=3, fontsize=10)
    picture.save(figure)


def my_switch(picture: Picture) -> None:
    """Time of two works by the number of adders of a switch, beside FRED's tree."""
    adders = (1, 2, 4, 11)
    machines = ["fred_d", *(f"{FILES}/my_switch.yaml@switch.params.ADDERS={n}" for n in adders)]
    works: dict[str, list[str]] = {"one all-reduce over 20 NPUs": [], "four at once, over 5 each": ["--work", f"{FILES}/my_groups.yaml"]}
    figure, axis = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")
    for k, ((title, words), colour) in enumerate(zip(works.items(), (GREY, COLOURS["fred_d"]))):
        runs = picture.fredsim("compare", *machines, "--size", "4MiB", *words)
        bars = axis.bar([i + 0.4 * (k - 0.5) for i in range(len(runs))], [run["time_ns"] / 1000 for run in runs], 0.38, color=colour, label=title)
        axis.bar_label(bars, fmt="%.2f", padding=2, fontsize=9)
    axis.set_xticks(range(len(machines)), ["FRED", *(f"{n} adder{'s' if n > 1 else ''}" for n in adders)])
    axis.grid(axis="x", visible=False)
    axis.set_ylabel("4 MiB, µs")
    axis.legend(loc="upper right")
    picture.save(figure)


def my_algorithm(picture: Picture) -> None:
    """Steps of two schedules, and the times of the algorithms that are there."""
    files = ("my_algorithm", "my_algorithm_2")
    colours = {"reduce_scatter": COLOURS["fred_a"], "all_reduce": COLOURS["fred_b"], "all_gather": COLOURS["fred_c"]}
    figure, axis = pyplot.subplots(figsize=(7, 3.4), layout="constrained")
    names: list[str] = []
    for file in files:
        run = picture.fredsim("run", "mesh", "--work", f"{FILES}/{file}.yaml")[0]
        scale = run["time_ns"] / run["cycles"] / 1000
        axis.text(24, len(names), f"{file}.yaml: {run['time_ns'] / 1000:.1f} µs", va="center", fontsize=10)
        for name in dict.fromkeys(part["name"] for part in run["parts"]):
            own = [part for part in run["parts"] if part["name"] == name]
            begin = min(part["start_cycle"] for part in own) * scale
            end = max(part["start_cycle"] + part["cycles"] for part in own) * scale
            axis.barh(len(names), end - begin, 0.7, begin, color=colours[own[0]["collective"]])
            names.append(name)
    for name, colour in colours.items():
        axis.barh(0, 0, color=colour, label=name)
    axis.axhline(2.5, color="#999999", linewidth=1)
    for algorithm, dashes in (("auto", "-"), ("paper", "--")):
        time = picture.fredsim("run", "mesh", "--size", "15MiB", "--algorithm", algorithm)[0]["time_ns"] / 1000
        axis.axvline(time, color="#222222", linewidth=1.2, linestyle=dashes, label=f"--algorithm {algorithm}")
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlim(left=0)
    axis.set_xlabel("all-reduce of 15 MiB on the mesh, µs")
    axis.legend(loc="lower right", fontsize=9)
    picture.save(figure)


def my_traffic(picture: Picture) -> None:
    """The matrix, and the times of three machines for it and for as many bytes dealt out evenly."""
    with open(f"{FILES}/my_traffic.csv", encoding="utf-8") as file:
        matrix = [[int(cell) for cell in line] for line in csv.reader(file)]
    even = max(sum(line) for line in matrix)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.4, 3.2), layout="constrained", width_ratios=[1, 1.15])
    image = left.imshow([[cell / MIB for cell in line] for line in matrix], cmap="YlOrRd")
    left.grid(False)
    left.set_xlabel("to rank")
    left.set_ylabel("from rank")
    ends = range(0, len(matrix), 5)
    left.set_xticks(ends)
    left.set_yticks(ends)
    figure.colorbar(image, ax=left, label="MiB", shrink=0.9)
    works = {"my_traffic.csv": ["--collective", "all_to_all_v", "--matrix", f"{FILES}/my_traffic.csv"],
             "the same, evenly": ["--collective", "all_to_all", "--size", str(even)]}  # fmt: skip
    for k, ((title, words), colour) in enumerate(zip(works.items(), (COLOURS["fred_d"], GREY))):
        runs = picture.fredsim("compare", *MACHINES, *words)
        bars = right.bar([i + 0.4 * (k - 0.5) for i in range(len(runs))], [run["time_ns"] / 1000 for run in runs], 0.38, color=colour, label=title)
        right.bar_label(bars, fmt="%.1f", padding=2, fontsize=9)
    right.set_xticks(range(len(MACHINES)), [title for title, _ in MACHINES.values()])
    right.grid(axis="x", visible=False)
    right.margins(y=0.1)
    right.set_title("time, µs")
    right.legend(loc="upper right", fontsize=9)
    picture.save(figure)


def my_model(picture: Picture) -> None:
    """Parts of an iteration of training and of a token, on the mesh and on Fred-D."""
    works = {"training, ms per iteration": (1e6, ["--mp", "4", "--dp", "5", "--minibatch", "20", "--iterations", "1", "--accounting", "overlap", "--recompute", "selective"]),
             "decode, µs per token": (1e3, ["--phase", "decode", "--mp", "16", "--batch", "16"])}  # fmt: skip
    parts = {"compute": ("computing", GREY), "mp": ("exposed MP all-reduces", COLOURS["fred_d"]), "dp": ("exposed gradients", COLOURS["fred_b"])}
    figure, axes = pyplot.subplots(1, 2, figsize=(7.4, 2.4), layout="constrained")
    for axis, (title, (unit, words)) in zip(axes, works.items()):
        runs = picture.fredsim("train", "mesh", "fred_d", "--workload", f"{FILES}/my_model.yaml", *words, "--algorithm", "auto")
        left = [0.0] * len(runs)
        for part, (label, colour) in parts.items():
            values = [run["breakdown_ns"].get(part, 0) / unit for run in runs]
            axis.barh([MACHINES[run["fabric"]][0] for run in runs], values, 0.6, left, color=colour, label=label)
            left = [a + b for a, b in zip(left, values)]
        for line, total in enumerate(left):
            axis.text(total, line, f" {total:.0f}", va="center", fontsize=10)
        axis.invert_yaxis()
        axis.grid(axis="y", visible=False)
        axis.set_xlim(0, 1.2 * max(left))
        axis.set_title(title)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=3, fontsize=10)
    figure.get_layout_engine().set(rect=(0, 0.13, 1, 0.87))
    picture.save(figure)


# Failed components of my_faults.yaml, in its order, each in two lines.
FAULTS = {"fred_d": [("a link", "of an NPU"), ("an L1", "chiplet"), ("an L2", "chiplet")],
          "mesh": [("half a link", "of an NPU"), ("half a link", "at a corner"), ("half a link", "in the middle")]}  # fmt: skip


def my_faults(picture: Picture) -> None:
    """Cost of failed components in two collectives, over the whole machine."""
    with tempfile.TemporaryDirectory() as name:
        picture.runs.execute(picture.runs.program, "sweep", f"{FILES}/my_faults.yaml", "--results", f"{name}/results", "--jobs", "2", "--quiet")
        rows = [json.loads(line) for line in (Path(name) / "results/table.jsonl").read_text(encoding="utf-8").splitlines()]
    figure, axes = pyplot.subplots(1, 2, figsize=(7.6, 3.2), layout="constrained", sharey=True)
    for axis, (machine, faults) in zip(axes, FAULTS.items()):
        for k, (collective, colour) in enumerate((("all_reduce", COLOURS["fred_d"]), ("all_to_all", GREEN))):
            times = [row["results"]["time_ns"] for row in rows if row["machine"] == machine and row["options"]["collective"] == collective]
            costs = [time / times[0] for time in times[1:]]
            bars = axis.bar([i + 0.4 * (k - 0.5) for i in range(len(costs))], [cost - 1 for cost in costs], 0.38, 1, color=colour, label=collective)
            axis.bar_label(bars, [f"{cost:.2f}" for cost in costs], padding=2, fontsize=9)
        axis.set_xticks(range(len(faults)), ["\n".join(lines) for lines in faults], fontsize=9)
        axis.grid(axis="x", visible=False)
        axis.set_ylim(1, 2.15)
        axis.set_title(f"{MACHINES[machine][0]}: lost")
    axes[0].set_ylabel("16 MiB, whole machine = 1")
    axes[1].legend(loc="upper left")
    picture.save(figure)
