# SPDX-License-Identifier: Apache-2.0
"""Heat maps of training: iterations by strategy and machine, and by the bandwidth of expanded memory, from studies (fredsim sweep)."""

from collections.abc import Callable, Iterable, Sequence
from math import isnan, log, nan

from matplotlib.axes import Axes

from ..plots import pyplot
from ..runs import Json
from .picture import Picture

NS_PER_S = 1e9


Row = Json  # a row of a study's table
STREAMED = "weights streamed"


def strategy_of(row: Row) -> str:
    options = row["options"]
    return f"MP{options['mp']}-DP{options['dp']}-PP{options['pp']}"


def strategies_of(rows: Iterable[Row]) -> list[str]:
    """Each once, in their order."""
    return list(dict.fromkeys(map(strategy_of, rows)))


def seconds(rows: Iterable[Row]) -> float | None:
    """The shortest iteration; none: all failed."""
    times = [row["results"]["iteration_ns"] for row in rows if row["status"] == "done"]
    return min(times) / NS_PER_S if times else None


def heat_map(axis: Axes, lines: Sequence[str], columns: Sequence[str], value: Callable[[str, str], float | None], title: str) -> None:
    """A cell per line and column with its number, shaded by its logarithm; "–" where there is none."""
    numbers = [[value(line, column) for column in columns] for line in lines]
    shades = [[nan if number is None else log(number) for number in line] for line in numbers]
    known = [shade for line in shades for shade in line if not isnan(shade)]
    low, high = min(known), max(known)
    axis.imshow(shades, cmap="YlOrRd", aspect="auto", vmin=low, vmax=high + (high - low) / 3)
    for y, line in enumerate(numbers):
        for x, number in enumerate(line):
            axis.text(x, y, "–" if number is None else f"{number:.3g}", ha="center", va="center", fontsize=9)
    axis.set_xticks(range(len(columns)), columns, fontsize=9)
    axis.set_yticks(range(len(lines)), lines, fontsize=9)
    axis.grid(False)
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    axis.set_title(title)


def strategies(picture: Picture) -> None:
    """Iterations of two models by strategy, on the mesh at the paper's and at its best, and on Fred-D."""
    rows = picture.study("strategies")
    machines = {"mesh,\npaper's": ("mesh", "paper"), "mesh,\nbest": ("mesh", "auto"), "Fred-D": ("fred_d", "auto")}
    figure, axes = pyplot.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    for axis, model, title in zip(axes, ("transformer_17b", "transformer_1t"), ("Transformer-17B, s", "Transformer-1T, streamed, s")):
        own = [row for row in rows if row["options"]["workload"] == model]

        def value(strategy: str, machine: str, own: list[Row] = own) -> float | None:
            return seconds(
                row for row in own if strategy_of(row) == strategy and (row["machine"], row["options"]["algorithm"]) == machines[machine]
            )

        heat_map(axis, strategies_of(own), list(machines), value, title)
    picture.save(figure)


def memory_of(row: Row) -> str:
    settings = row["settings"]
    return "none" if settings["npu.expanded_memory"] == "0 GB" else settings["npu.expanded_memory_bandwidth"]


def memory(picture: Picture) -> None:
    """Iterations on Fred-D by strategy and bandwidth of expanded memory, in NPUs of 80 GB."""
    figure, axes = pyplot.subplots(1, 2, figsize=(8.4, 4.6), layout="constrained", sharey=True)
    for axis, study, title in zip(axes, ("memory", "memory_1t"), ("Transformer-17B", "Transformer-1T")):
        rows = [row for row in picture.study(study) if row["settings"]["npu.memory"] == "80 GB"]

        def column(row: Row) -> str:
            return STREAMED.replace(" ", "\n") if row["options"]["execution"] == "streaming" else memory_of(row).replace(" ", "\n")

        for row in rows:
            row["options"].setdefault("execution", "stationary")

        def value(strategy: str, memory: str, rows: list[Row] = rows) -> float | None:
            return seconds(row for row in rows if strategy_of(row) == strategy and column(row) == memory)

        heat_map(axis, strategies_of(rows), list(dict.fromkeys(map(column, rows))), value, f"{title}, s")
        axis.set_xlabel("expanded memory of an NPU, its bandwidth")
    picture.save(figure)
