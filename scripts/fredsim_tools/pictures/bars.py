# SPDX-License-Identifier: Apache-2.0
"""Bars: figure 9, training, inference, streaming, pre-emption, failed components; kinds of switches."""

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .. import fig9
from ..plots import COLOURS, pyplot
from ..runs import exposed_ns
from ..tables import MIB
from .picture import BEST_TORUS, TITLE, Picture, page_table


def paper_fig9(picture: Picture) -> None:
    with tempfile.TemporaryDirectory() as name, open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        fig9.run(picture.runs, Path(name), "64MiB", [])
        relative = fig9.print_table(Path(name))
    picture.save(fig9.figure_of(relative))


def training(picture: Picture) -> None:
    """ResNet-152: computing and exposed communication."""
    runs = picture.fredsim("train", "configs/paper/mesh.yaml", "configs/fred_c.yaml", "configs/fred_d.yaml", "--dp", "20", "--compute-rate",
                           "10.09PFLOP/s", "--algorithm", "paper", "--best-base")  # fmt: skip
    figure, axis = pyplot.subplots(figsize=(6, 2.8), layout="constrained")
    names = [TITLE[run["fabric"]] for run in runs]
    compute = [run["breakdown_ns"]["compute"] / 1000 for run in runs]
    exposed = [exposed_ns(run) / 1000 for run in runs]
    axis.barh(names, compute, color="#9aa7b5", label="computing")
    bars = axis.barh(names, exposed, left=compute, color="#d1601e", label="exposed all-reduces")
    axis.bar_label(bars, [f" {run['iteration_ns'] / 1000:.0f} µs" for run in runs])
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlim(0, 330)
    axis.set_xlabel("an iteration of ResNet-152, µs")
    axis.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=2)
    picture.save(figure)


def inference(picture: Picture) -> None:
    """Decode: time per token by bandwidth of the memory."""
    words = ["train", "configs/mesh.yaml", "configs/torus.yaml", "configs/fred_d.yaml", "--workload", "configs/models/llama3_70b.yaml", "--phase", "decode", "--mp", "16", "--batch",
             "16", "--context", "2048", "--placement", "auto"]  # fmt: skip
    figure, axis = pyplot.subplots(figsize=(6, 3.4), layout="constrained")
    rates = (3, 12, 48)
    by_rate = [{run["fabric"]: run for run in picture.fredsim(*words, "--set", f"npu.memory_bandwidth={rate}TB/s")} for rate in rates]
    for k, (machine, title) in enumerate((("mesh", TITLE["mesh (best)"]), ("torus", BEST_TORUS), ("fred_d", "Fred-D"))):
        shares = [100 * exposed_ns(runs[machine]) / runs[machine]["iteration_ns"] for runs in by_rate]
        bars = axis.bar([i + 0.28 * (k - 1) for i in range(len(rates))], shares, 0.26, color=COLOURS["mesh (best)" if machine == "mesh" else machine], label=title)
        axis.bar_label(bars, fmt="%.1f %%", padding=2, fontsize=9)
    axis.set_xticks(range(len(rates)), [f"{rate} TB/s" for rate in rates])
    axis.grid(axis="x", visible=False)
    axis.set_ylim(0, 31)
    axis.set_title("decode of Llama-3-70B over 16 NPUs, 16 sequences")
    axis.set_xlabel("memory bandwidth of an NPU")
    axis.set_ylabel("exposed communication, %")
    axis.legend(loc="upper left")
    picture.save(figure)


def failed_components(picture: Picture) -> None:
    """Cost of one failed component, by its kind: the least and the most."""
    works: Sequence[tuple[str, Sequence[str]]] = [
        ("all-reduce", ["--size", "4MiB", "--algorithm", "paper"]),
        ("all-to-all", ["--collective", "all_to_all", "--size", "640KiB", "--algorithm", "paper"]),
        ("DP of MP2-DP5-PP2", ["--work", "configs/paper/mp2_dp5_pp2_dp.yaml", "--size", "4MiB", "--on-conflict", "later"]),
    ]
    parts = [("an L1 chiplet", "switch:l1_"), ("an L2 chiplet", "switch:l2."), ("a link of an NPU", "link:npu"), ("a link L1 to L2", "link:l1_")]
    names = picture.runs.execute(picture.runs.program, "info", "configs/fred_d.yaml", "--parts").split()
    figure, axis = pyplot.subplots(figsize=(6, 3.4), layout="constrained")
    for k, (title, work) in enumerate(works):
        whole = picture.fredsim("run", "configs/fred_d.yaml", *work)[0]["time_ns"]
        for i, (_, begin) in enumerate(parts):
            group = [name for name in names if name.startswith(begin) and (begin != "link:l1_" or "->l2." in name)]
            times = [picture.fredsim("run", "configs/fred_d.yaml", *work, "--fault", name)[0]["time_ns"] / whole for name in group]
            place = i + 0.26 * (k - 1)
            colour = (COLOURS["fred_d"], "#2a8c5a", COLOURS["fred_b"])[k]
            axis.bar(place, max(times) - 1, 0.24, 1, color=colour, label=title if i == 0 else None)
            axis.text(place, max(times) + 0.005, f"{max(times):.2f}", ha="center", va="bottom", fontsize=9)
    axis.set_xticks(range(len(parts)), [title for title, _ in parts], fontsize=10)
    axis.grid(axis="x", visible=False)
    axis.set_ylim(1, 1.36)
    axis.set_ylabel("time, whole Fred-D = 1")
    axis.set_xlabel("lost")
    axis.legend(loc="upper center", ncols=3, fontsize=10, columnspacing=1)
    picture.save(figure)


STREAMS = 18  # I/O controllers
MIB_EACH = 4


def streaming(picture: Picture) -> None:
    """Weights and gradients, alone and at once: GB/s of each controller."""
    machines = [("mesh", "mesh"), ("fred_c", "Fred-C"), ("fred_d", "Fred-D"), ("fred_d.yaml@switch.phases_in_use=2", "Fred-D,\ntwo phases")]
    words = ["--group", "io:all,all", "--roots", str(STREAMS), "--size", f"{STREAMS * MIB_EACH}MiB", "--algorithm", "paper"]
    rates: dict[str, list[float]] = {"weights alone": [], "gradients alone": [], "the slower, both at once": []}
    for machine, _ in machines:
        config = f"configs/{machine}" if "@" in machine else f"configs/{machine}.yaml"
        times = [picture.fredsim("run", config, "--collective", collective, *words)[0]["time_ns"] for collective in ("multicast", "reduce")]
        both = picture.fredsim("run", config, "--work", "configs/paper/streaming.yaml", "--size", f"{STREAMS * MIB_EACH}MiB", "--on-conflict", "later")
        for title, time in zip(rates, [*times, both[0]["time_ns"]]):
            rates[title].append(MIB_EACH * MIB / time)
    figure, axis = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
    for k, ((title, values), colour) in enumerate(zip(rates.items(), ("#9aa7b5", COLOURS["fred_b"], COLOURS["fred_d"]))):
        bars = axis.bar([i + 0.27 * (k - 1) for i in range(len(machines))], values, 0.25, color=colour, label=title)
        axis.bar_label(bars, fmt="%.0f", padding=2, fontsize=9)
    axis.axhline(128, color="#999999", linewidth=1, linestyle=":")
    axis.set_xticks(range(len(machines)), [title for _, title in machines])
    axis.grid(axis="x", visible=False)
    axis.set_ylim(0, 175)
    axis.set_ylabel("GB/s of a controller, of 128")
    axis.legend(loc="upper center", ncols=3, fontsize=10, columnspacing=1, handlelength=1.2)
    picture.save(figure)


def preemption(picture: Picture) -> None:
    """MP all-reduces that start during DP all-reduces: cycles alone and beside them."""
    machines = [("fred_d", "Fred-D"), ("fred_c", "Fred-C"), ("paper/mesh", "mesh")]
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.3), layout="constrained")
    cycles: dict[tuple[str, str], list[int]] = {}
    for machine, _ in machines:
        config = f"configs/{machine}.yaml"
        both = picture.fredsim("run", config, "--work", "configs/works/mp_interrupts_dp.yaml", "--size", "256KiB")[0]["parts"]
        for priority, size in (("mp", "256KiB"), ("dp", "4MiB")):
            alone = picture.fredsim("run", config, "--work", f"configs/paper/mp2_dp5_pp2_{priority}.yaml", "--size", size)[0]["cycles"]
            cycles.setdefault((priority, "alone"), []).append(alone)
            cycles.setdefault((priority, "beside"), []).append(max(part["cycles"] for part in both if part["priority"] == priority))
    for axis, priority, size in zip(axes, ("mp", "dp"), ("256 KiB", "4 MiB")):
        for k, (when, title, colour) in enumerate((("alone", "alone", "#9aa7b5"), ("beside", "beside the other", COLOURS["fred_d"]))):
            bars = axis.bar([i + 0.4 * (k - 0.5) for i in range(len(machines))], cycles[priority, when], 0.38, color=colour, label=title)
            axis.bar_label(bars, padding=2, fontsize=8)
        axis.set_xticks(range(len(machines)), [title for _, title in machines])
        axis.grid(axis="x", visible=False)
        axis.margins(y=0.35)
        axis.set_title(f"{priority.upper()} all-reduces, {size}")
    axes[0].set_ylabel("cycles")
    axes[0].legend(loc="upper left")
    picture.save(figure)


AREAS = {"Fred_2": "fabric.middle=2", "Fred_3": "", "Fred_4": "fabric.middle=4", "reducing crossbar": "switch.kind=reducing_crossbar",
         "1 adder": "switch.kind=aggregator,switch.params.ADDERS=1", "2 adders": "switch.kind=aggregator,switch.params.ADDERS=2",
         "4 adders": "switch.kind=aggregator,switch.params.ADDERS=4", "11 adders": "switch.kind=aggregator,switch.params.ADDERS=11",
         "VOQ crossbar": "switch.kind=voq_crossbar,fabric.in_switch=false"}  # fmt: skip


def area_of(row: str) -> float:
    """mm² of a switch of 12 ports, out of the table that synthesis filled."""
    found = [cells for cells in page_table("switch_kinds", "12 ports") if cells[0].removeprefix("aggregator, ") == row]
    if not found:
        raise SystemExit(f"docs/studies/switch_kinds.md: no row {row}")
    return float(found[0][5].replace(" ", ""))


def switch_kinds(picture: Picture) -> None:
    """Time and area of the kinds of switches for trees."""
    figure, axis = pyplot.subplots(figsize=(6, 3.8), layout="constrained")
    places = {"VOQ crossbar": (0, 9, "left"), "4 adders": (7, -2, "left"), "11 adders": (4, -15, "left"), "Fred_2": (0, -15, "right"),
              "reducing crossbar": (0, 9, "center"), "Fred_4": (0, -16, "center")}  # fmt: skip
    for row, settings in AREAS.items():
        config = "configs/fred_d.yaml" + (f"@{settings}" if settings else "")
        time = picture.fredsim("run", config, "--work", "configs/paper/mp2_dp5_pp2_dp.yaml", "--size", "64MiB", "--on-conflict",
                               "later")[0]["time_ns"] / 1000  # fmt: skip
        area = area_of(row)
        axis.scatter(area, time, s=45, color=COLOURS["fred_d"] if row.startswith("Fred") else COLOURS["fred_b"], zorder=3)
        x, y, side = places.get(row, (7, -4, "left"))
        axis.annotate(row, (area, time), xytext=(x, y), textcoords="offset points", ha=side, fontsize=10)
    axis.set_xlim(4, 20.5)
    axis.set_ylim(0, 150)
    axis.set_xlabel("area of a switch of 12 ports, mm² at 14 to 16 nm")
    axis.set_ylabel("four DP groups, 64 MiB, µs")
    picture.save(figure)
