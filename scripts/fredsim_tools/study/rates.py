# SPDX-License-Identifier: Apache-2.0
"""Rates that exist: inference by the share of the peak that is reached, by what each collective costs an NPU, and by microbatches that overlap."""

from collections.abc import Callable, Sequence

from ..runs import Json
from .study import TITLE, Study

EFFICIENCIES = ("1", "0.5", "0.35")
OVERHEADS = (0, 5, 20, 38)  # µs: none, what a fast library may reach, 18 measured with graphs, 38 without, on 8 × H200
OVERLAPS = ("none", "microbatches=2")
MACHINES = ("mesh", "torus", "fred_d")

Runs = Callable[..., list[Json]]  # arguments: options, and machines=


def at_efficiency(efficiency: str) -> tuple[str, ...]:
    return () if efficiency == "1" else ("--set", f"npu.efficiency={efficiency}")


def lead(runs: Sequence[Json], key: str, base: int = 0) -> str:
    return f"{runs[base][key] / runs[-1][key]:.3f}"


def head_with_efficiencies(head: Sequence[str]) -> list[str]:
    """The last column is the exposed time; leads are before it."""
    return [*head[:-1], *(f"at efficiency {efficiency}" for efficiency in EFFICIENCIES[1:]), head[-1]]


def row_with_efficiencies(row: Sequence[str], runs_of: Runs, key: str) -> list[str]:
    """With leads of Fred-D over the mesh below the peak."""
    leads = [lead(runs_of(*at_efficiency(efficiency), machines=("mesh", "fred_d")), key) for efficiency in EFFICIENCIES[1:]]
    return [*row[:-1], *leads, row[-1]]


def table(study: Study, name: str, runs_of: Runs, key: str, exposed: Callable[[Json], float], efficiencies: Sequence[str] = EFFICIENCIES) -> None:
    """Times at the lowest of these efficiencies, leads at all of them, and over the torus."""
    last = efficiencies[-1]
    head = ["overhead", "`--overlap`", *(f"{TITLE[machine]}, efficiency {last}" for machine in MACHINES),
            *(f"Fred-D over the mesh, {efficiency}" for efficiency in efficiencies), f"over the torus, {last}"]  # fmt: skip
    rows = []
    for overlap in OVERLAPS:
        for overhead in OVERHEADS[:1] if study.smoke else OVERHEADS:
            more = ["--overlap", overlap] + (["--set", f"npu.collective_overhead={overhead}us"] if overhead else [])
            below = [runs_of(*more, *at_efficiency(efficiency), machines=("mesh", "fred_d")) for efficiency in efficiencies[:-1]]
            runs = runs_of(*more, *at_efficiency(last), machines=MACHINES)
            times = [f"{run[key] / 1e6:.2f} ({100 * exposed(run) / run['iteration_ns']:.1f} %)" for run in runs]
            rows.append([f"{overhead} µs", overlap, *times, *(lead(own, key) for own in (*below, runs)), lead(runs, key, 1)])
    study.table(head, rows, name)
