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

from . import booksim
from .booksim import KNEE, BookSim, Fredsim, Kept, Load, Simulator, capacity, mean_hops
from .runs import Runs
from .tables import lines_of, put_into

PAGE = Path("docs/studies/beside_booksim.md")
PICTURE = Path("docs/studies/pictures/beside_booksim.svg")
SIDES = (4, 8)
PATTERNS = ("uniform", "transpose", "bit_complement")
SINGLE = 0.01  # rate of single packets
STRETCH = 4  # times as long a window for single packets
CLOSE = 0.01  # share of the capacity
LENGTHS = (2, 4, 8)  # flits of a packet
BUFFERS = (8, 32)  # flits of an input
SEEDS = (1, 2)
LIMITS = (2, 3, 6)  # in place of KNEE
OVERLOAD = 0.9


@dataclass(frozen=True)
class Table:
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class Study:
    def __init__(self, runs: Runs, kept: Kept, program: str, sides: Sequence[int], patterns: Sequence[str]) -> None:
        self.sides, self.patterns = sides, patterns
        self.ours = Fredsim(runs, kept)
        self.four = BookSim(program, runs, kept)
        self.one = replace(self.four, vcs=1, vc_flits=32)
        self.speculative = replace(self.one, settings=(("speculative", "1"),))
        self.four_stages = replace(self.four, settings=(("routing_delay", "1"),))

    def cases(self) -> list[tuple[int, str]]:
        return [(side, pattern) for side in self.sides for pattern in self.patterns]


def single(simulator: Simulator, side: int, pattern: str, flits: int = 1, seed: int = 1) -> float:
    """Mean latency of single packets."""
    return simulator.point(Load(side, pattern, SINGLE, flits, seed, STRETCH)).latency


def knee(simulator: Simulator, side: int, pattern: str, flits: int = 1, seed: int = 1, times: float = KNEE) -> float:
    full = capacity(side, pattern)
    limit = times * single(simulator, side, pattern, flits, seed)
    return booksim.knee(lambda rate: simulator.point(Load(side, pattern, rate, flits, seed)).latency, full, limit, CLOSE)


def mesh(side: int) -> str:
    return f"{side} × {side}"


def single_packets(study: Study) -> Table:
    head = ["mesh", "pattern", "mean hops", "fredsim", "BookSim2, 3 stages", "4 stages", "speculative, 2 stages"]
    simulators: list[Simulator] = [study.ours, study.four, study.four_stages, study.speculative]
    return Table(head, [[mesh(side), f"`{pattern}`", f"{mean_hops(side, pattern):.2f}", *(f"{single(s, side, pattern):.1f}" for s in simulators)]
                        for side, pattern in study.cases()])  # fmt: skip


PAIRS = ["fredsim", "BookSim2, four VCs", "ratio", "fredsim, one port", "BookSim2, speculative", "ratio"]


def pairs(study: Study, case: tuple[int, str], flits: int = 1, buffer: int = 32) -> list[object]:
    """Cells of PAIRS: as they are, and with as many virtual channels and NIC ports. buffer: flits of an input, all channels together."""
    side, pattern = case
    ours = replace(study.ours, buffer=buffer)
    found: list[object] = []
    sides: list[tuple[Simulator, Simulator]] = [(ours, replace(study.four, vc_flits=buffer // study.four.vcs)),
                                                (replace(ours, ports=1), replace(study.speculative, vc_flits=buffer))]  # fmt: skip
    for one, other in sides:
        here, there = knee(one, side, pattern, flits), knee(other, side, pattern, flits)
        found += [f"{here:.3f}", f"{there:.3f}", f"{here / there:.2f}"]
    return found


def share(study: Study, case: tuple[int, str], flits: int = 1) -> list[object]:
    """Cells: the knee of one virtual channel, and what it is of that of a speculative router."""
    side, pattern = case
    found = knee(study.one, side, pattern, flits)
    return [f"{found:.3f}", f"{found / knee(study.speculative, side, pattern, flits):.2f}"]


def knees(study: Study) -> Table:
    head = ["mesh", "pattern", "busiest link full", *PAIRS, "BookSim2, one VC", "share"]
    return Table(head, [[mesh(side), f"`{pattern}`", f"{capacity(side, pattern):.3f}", *pairs(study, (side, pattern)), *share(study, (side, pattern))]
                        for side, pattern in study.cases()])  # fmt: skip


def lengths(study: Study) -> Table:
    """Buffers of BookSim2 hold a packet per VC, so that theirs is cut-through as well."""
    head = ["packets", "pattern", *PAIRS, "BookSim2, one VC", "share", "n / (n + 1)"]
    cases = [(flits, (study.sides[0], pattern)) for flits in LENGTHS for pattern in study.patterns]
    return Table(head, [[f"{flits} flits", f"`{case[1]}`", *pairs(study, case, flits), *share(study, case, flits), f"{flits / (flits + 1):.2f}"]
                        for flits, case in cases])  # fmt: skip


def buffers(study: Study) -> Table:
    cases = [(buffer, (study.sides[0], pattern)) for buffer in BUFFERS for pattern in study.patterns]
    return Table(["buffer of an input", "pattern", *PAIRS],
                 [[f"{buffer} flits", f"`{case[1]}`", *pairs(study, case, buffer=buffer)] for buffer, case in cases])  # fmt: skip


def seeds(study: Study) -> Table:
    """Smallest and largest knee of all seeds."""
    simulators: list[Simulator] = [study.ours, study.four, replace(study.ours, ports=1), study.speculative]
    rows = []
    for pattern in study.patterns:
        found = [[knee(s, study.sides[0], pattern, seed=seed) for seed in SEEDS] for s in simulators]
        rows.append([f"`{pattern}`", *(f"{min(values):.3f} to {max(values):.3f}" for values in found)])
    return Table(["pattern", *(name for name in PAIRS if name != "ratio")], rows)


def limits(study: Study) -> Table:
    simulators: list[Simulator] = [study.ours, study.four, replace(study.ours, ports=1), study.speculative]
    return Table(["latency at the knee", "pattern", *(name for name in PAIRS if name != "ratio")],
                 [[f"{times} ×", f"`{pattern}`", *(f"{knee(s, study.sides[0], pattern, times=times):.3f}" for s in simulators)]
                  for times in LIMITS for pattern in study.patterns])  # fmt: skip


def variants(study: Study) -> Table:
    """Routers of BookSim2 with other allocators and more virtual channels."""
    routers = {
        "four VCs of 8 flits, iSLIP": study.four, "the same, four stages": study.four_stages,
        "eight VCs of 8 flits": replace(study.four, vcs=8),
    }  # fmt: skip
    return Table(["BookSim2", *(f"`{pattern}`" for pattern in study.patterns)],
                 [[name, *(f"{knee(router, study.sides[0], pattern):.3f}" for pattern in study.patterns)] for name, router in routers.items()])  # fmt: skip


def overload(study: Study) -> Table:
    head = ["mesh", "pattern", *(name for name in PAIRS if name != "ratio")]
    simulators: list[Simulator] = [study.ours, replace(study.four, drains=False), replace(study.ours, ports=1), replace(study.speculative, drains=False)]
    return Table(head, [[mesh(side), f"`{pattern}`", *(f"{s.point(Load(side, pattern, OVERLOAD)).accepted:.3f}" for s in simulators)]
                        for side, pattern in study.cases()])  # fmt: skip


TABLES: Mapping[str, Callable[[Study], Table]] = {
    "single packets": single_packets, "knees": knees, "packets": lengths, "buffers": buffers, "seeds": seeds, "limits": limits, "variants": variants, "overload": overload,
}  # fmt: skip
RULES = "---"


def curve(study: Study, simulator: Simulator, side: int, pattern: str) -> list[tuple[float, float]]:
    """Rate and mean latency, in steps of a tenth of the capacity up to the knee, and there."""
    full, end = capacity(side, pattern), knee(simulator, side, pattern)
    rates = [*(0.1 * k * full for k in range(1, 10) if 0.1 * k * full < end), end]
    points = [(rate, simulator.point(Load(side, pattern, rate)).latency) for rate in rates]
    return [(rate, latency) for rate, latency in points if math.isfinite(latency)]


def curves(study: Study, file: Path) -> None:
    from .plots import pyplot, save  # needs matplotlib

    colours = {"uniform": "#d1601e", "transpose": "#3d7ebf", "bit_complement": "#777777"}
    styles: dict[str, tuple[Simulator, str]] = {"fredsim, one VC": (study.ours, "-"), "BookSim2, four VCs": (study.four, "--"),
                                                "BookSim2, one VC": (study.one, ":")}  # fmt: skip
    figure, axes = pyplot.subplots(1, len(study.sides), figsize=(6.6, 4.2), squeeze=False,
                                   gridspec_kw={"left": 0.1, "right": 0.98, "top": 0.93, "bottom": 0.33})  # fmt: skip
    for axis, side in zip(axes[0], study.sides):
        for pattern in study.patterns:
            for simulator, style in styles.values():
                axis.plot(*zip(*curve(study, simulator, side, pattern)), style, color=colours[pattern])
        axis.set_ylim(0, 4 * single(study.ours, side, "bit_complement"))
        axis.set_xlim(left=0)
        axis.set_title(f"mesh of {mesh(side)}")
        axis.set_xlabel("flits per cycle and node")
    axes[0][0].set_ylabel("mean latency, cycles")
    handles = [pyplot.Line2D([], [], color=colour, label=pattern) for pattern, colour in colours.items()]
    handles += [pyplot.Line2D([], [], color="#222222", linestyle=style, label=name) for name, (_, style) in styles.items()]
    figure.legend(handles=handles, loc="lower center", ncols=2)
    save(figure, file.with_suffix(""), kinds=("svg",))


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/reproduce beside_booksim", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES, metavar="NAME", help=f"{', '.join(TABLES)} (default: all)")
    booksim.add_options(parser, PAGE)
    parser.add_argument("--plot", action="store_true", help=f"draws {PICTURE}")
    parser.add_argument("--smoke", action="store_true", help="the smallest part, for tests")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    options = arguments(words)
    runs, kept = booksim.begin("beside_booksim", options, ["python3-matplotlib"] if options.plot else [])
    study = Study(runs, kept, str(options.booksim), SIDES[:1] if options.smoke else SIDES, PATTERNS[:1] if options.smoke else PATTERNS)
    for name in options.tables:
        table = TABLES[name](study)
        lines = lines_of(table.head, table.rows, RULES)
        print(f"{name}:\n", *lines, "", sep="\n", flush=True)
        if options.write and not put_into(PAGE, name, lines):
            runs.fail(f"{PAGE}: no line <!-- table {name} -->")
    if options.plot:
        curves(study, PICTURE)
    return 0
