# SPDX-License-Identifier: Apache-2.0
"""Latency and saturation of meshes beside BookSim2: the tables and the picture of docs/studies/beside_booksim.md.

BookSim2 is not part of this; give the path of its program. Loads and terms are those of booksim.py. The knee is the offered rate at which the
mean latency is three times that of single packets, to 1 % of the rate at which the busiest link is full. Commands go to standard error.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import checkout
from .booksim import BookSim, Fredsim, Kept, Load, Simulator, capacity, mean_hops
from .runs import Runs
from .tables import lines_of, put_into

PAGE = Path("docs/studies/beside_booksim.md")
PICTURE = Path("docs/studies/pictures/beside_booksim.svg")
SIDES = (4, 8)
PATTERNS = ("uniform", "transpose", "bit_complement")
SINGLE = 0.01  # rate of single packets
STRETCH = 4  # times as long a window for single packets
KNEE = 3  # mean latency over that of single packets
CLOSE = 0.01  # share of the capacity
LENGTHS = (2, 4, 8)  # flits of a packet
BUFFERS = (8, 16, 32, 64)  # flits of an input
SEEDS = (1, 2, 3, 4, 5)
OVERLOAD = 0.9


@dataclass(frozen=True)
class Table:
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class Study:
    def __init__(self, fredsim: str, booksim: str, keep: Path | None, sides: Sequence[int], patterns: Sequence[str]) -> None:
        self.sides, self.patterns = sides, patterns
        runs, kept = Runs("beside_booksim", fredsim), Kept(keep)
        self.ours = Fredsim(runs, kept)
        self.four = BookSim(booksim, runs, kept)
        self.one = replace(self.four, vcs=1, vc_flits=32)
        self.speculative = replace(self.one, settings=(("speculative", "1"),))
        self.four_stages = replace(self.four, settings=(("routing_delay", "1"),))

    def cases(self) -> list[tuple[int, str]]:
        return [(side, pattern) for side in self.sides for pattern in self.patterns]


def single(simulator: Simulator, side: int, pattern: str, flits: int = 1, seed: int = 1) -> float:
    """Mean latency of single packets."""
    return simulator.point(Load(side, pattern, SINGLE, flits, seed, STRETCH)).latency


def knee(simulator: Simulator, side: int, pattern: str, flits: int = 1, seed: int = 1) -> float:
    full = capacity(side, pattern)
    limit = KNEE * single(simulator, side, pattern, flits, seed)
    low, high = 0.0, full
    while high - low > CLOSE * full:
        rate = (low + high) / 2
        if simulator.point(Load(side, pattern, rate, flits, seed)).latency > limit:
            high = rate
        else:
            low = rate
    return (low + high) / 2


def mesh(side: int) -> str:
    return f"{side} × {side}"


def beside(ours: float, other: float) -> str:
    return f"{ours / other:.2f}"


def single_packets(study: Study) -> Table:
    head = ["mesh", "pattern", "mean hops", "fredsim", "BookSim2, 3 stages", "4 stages", "speculative, 2 stages"]
    simulators: list[Simulator] = [study.ours, study.four, study.four_stages, study.speculative]
    return Table(head, [[mesh(side), f"`{pattern}`", f"{mean_hops(side, pattern):.2f}", *(f"{single(s, side, pattern):.1f}" for s in simulators)]
                        for side, pattern in study.cases()])  # fmt: skip


def knees(study: Study) -> Table:
    head = ["mesh", "pattern", "busiest link full", "fredsim, one VC", "BookSim2, four VCs", "ratio", "one VC, speculative", "ratio", "one VC", "ratio"]
    rows = []
    for side, pattern in study.cases():
        ours = knee(study.ours, side, pattern)
        row = [mesh(side), f"`{pattern}`", f"{capacity(side, pattern):.3f}", f"{ours:.3f}"]
        for simulator in (study.four, study.speculative, study.one):
            theirs = knee(simulator, side, pattern)
            row += [f"{theirs:.3f}", beside(ours, theirs)]
        rows.append(row)
    return Table(head, rows)


def lengths(study: Study) -> Table:
    """Buffers of BookSim2 hold a packet per VC, so that theirs is cut-through as well."""
    head = ["packets", "pattern", "fredsim, one VC", "BookSim2, four VCs", "ratio", "one VC, speculative", "ratio", "one VC", "ratio", "link share left by one VC"]
    rows: list[list[object]] = []
    side = study.sides[0]
    for flits in LENGTHS:
        for pattern in study.patterns:
            ours = knee(study.ours, side, pattern, flits)
            row = [f"{flits} flits", f"`{pattern}`", f"{ours:.3f}"]
            for simulator in (study.four, study.speculative, study.one):
                theirs = knee(simulator, side, pattern, flits)
                row += [f"{theirs:.3f}", beside(ours, theirs)]
            rows.append([*row, f"{flits / (flits + 1):.2f}"])
    return Table(head, rows)


def buffers(study: Study) -> Table:
    head = ["buffer of an input", "pattern", "fredsim", "BookSim2, four VCs", "ratio", "one VC, speculative", "ratio"]
    rows: list[list[object]] = []
    side = study.sides[0]
    for flits in BUFFERS:
        for pattern in study.patterns:
            ours = knee(replace(study.ours, buffer=flits), side, pattern)
            four = knee(replace(study.four, vc_flits=flits // 4), side, pattern)
            one = knee(replace(study.speculative, vc_flits=flits), side, pattern)
            rows.append([f"{flits} flits", f"`{pattern}`", f"{ours:.3f}", f"{four:.3f}", beside(ours, four), f"{one:.3f}", beside(ours, one)])
    return Table(head, rows)


def seeds(study: Study) -> Table:
    """Smallest and largest knee of all seeds."""
    head = ["pattern", "fredsim", "BookSim2, four VCs", "one VC, speculative"]
    side = study.sides[0]
    simulators: list[Simulator] = [study.ours, study.four, study.speculative]
    rows = []
    for pattern in study.patterns:
        found = [[knee(s, side, pattern, seed=seed) for seed in SEEDS] for s in simulators]
        rows.append([f"`{pattern}`", *(f"{min(values):.3f} to {max(values):.3f}" for values in found)])
    return Table(head, rows)


def ports(study: Study) -> Table:
    head = ["mesh", "pattern", "four NIC ports", "one NIC port", "BookSim2, four VCs", "one VC, speculative"]
    simulators: list[Simulator] = [study.ours, replace(study.ours, ports=1), study.four, study.speculative]
    return Table(head, [[mesh(side), f"`{pattern}`", *(f"{knee(s, side, pattern):.3f}" for s in simulators)]
                        for side, pattern in study.cases()])  # fmt: skip


def overload(study: Study) -> Table:
    head = ["mesh", "pattern", "fredsim, four NIC ports", "one NIC port", "BookSim2, four VCs", "one VC, speculative"]
    simulators: list[Simulator] = [study.ours, replace(study.ours, ports=1), replace(study.four, drains=False), replace(study.speculative, drains=False)]
    return Table(head, [[mesh(side), f"`{pattern}`", *(f"{s.point(Load(side, pattern, OVERLOAD)).accepted:.3f}" for s in simulators)]
                        for side, pattern in study.cases()])  # fmt: skip


TABLES: Mapping[str, Callable[[Study], Table]] = {
    "single packets": single_packets, "knees": knees, "packets": lengths, "buffers": buffers, "seeds": seeds, "ports": ports, "overload": overload,
}  # fmt: skip
RULES = "---"


def curves(study: Study, file: Path) -> None:
    """Mean latency by rate, up to what the axis has."""
    from .plots import pyplot, save  # needs matplotlib

    colours = {"uniform": "#d1601e", "transpose": "#3d7ebf", "bit_complement": "#777777"}
    lines: list[tuple[Simulator, str, str]] = [(study.ours, "-", "o"), (study.four, "--", ""), (study.one, ":", "")]
    figure, axes = pyplot.subplots(1, len(study.sides), figsize=(6.6, 3.6), layout="constrained", squeeze=False)
    for axis, side in zip(axes[0], study.sides):
        highest = 5 * single(study.ours, side, "bit_complement")
        for pattern in study.patterns:
            full = capacity(side, pattern)
            for simulator, style, marker in lines:
                shares = [0.1 * k for k in range(1, 10)] + [knee(simulator, side, pattern) / full]
                loads = [Load(side, pattern, share * full) for share in sorted(shares)]
                points = [(load.rate, simulator.point(load).latency) for load in loads]
                stable = [(rate, latency) for rate, latency in points if math.isfinite(latency)]
                axis.plot(*zip(*stable), linestyle=style, marker=marker, color=colours[pattern])
        axis.set_ylim(0, highest)
        axis.set_xlim(left=0)
        axis.set_title(f"mesh of {mesh(side)}")
        axis.set_xlabel("flits per cycle and node")
    axes[0][0].set_ylabel("mean latency, cycles")
    save(figure, file.with_suffix(""), kinds=("svg",))


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/reproduce beside_booksim", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("booksim", metavar="BOOKSIM", type=Path, help="program of BookSim2")
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES, metavar="NAME", help=f"{', '.join(TABLES)} (default: all)")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="points are kept there, and not measured again: of one pair of programs")
    parser.add_argument("--write", action="store_true", help=f"puts the tables into {PAGE}")
    parser.add_argument("--plot", action="store_true", help=f"draws {PICTURE}")
    parser.add_argument("--smoke", action="store_true", help="the smallest part, for tests")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    options = arguments(words)
    booksim = options.booksim.resolve()
    keep = options.keep and options.keep.resolve()
    checkout.enter()
    program = checkout.programs({"fredsim": options.program}, "beside_booksim", ["python3-matplotlib"] if options.plot else [])["fredsim"]
    study = Study(program, str(booksim), keep, SIDES[:1] if options.smoke else SIDES, PATTERNS[:1] if options.smoke else PATTERNS)
    for name in options.tables:
        table = TABLES[name](study)
        lines = lines_of(table.head, table.rows, RULES)
        print(f"{name}:\n", *lines, "", sep="\n", flush=True)
        if options.write and not put_into(PAGE, name, lines):
            study.ours.runs.fail(f"{PAGE}: no line <!-- table {name} -->")
    if options.plot:
        curves(study, PICTURE)
    return 0
