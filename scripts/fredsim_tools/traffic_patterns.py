# SPDX-License-Identifier: Apache-2.0
"""Saturation of all patterns that BookSim2 has for a mesh, here and there: the table of docs/studies/traffic_patterns.md.

BookSim2 is not part of this; give the path of its program. A link carries a flit per cycle and takes a cycle, packets have one flit, routing is
X-Y, an input has buffers for 32 flits. Rates are in flits per cycle and node that sends, without packets to the own node: a fixed point of a
permutation, 1/N of uniform traffic, half of `asymmetric`. The knee is the rate at which the mean latency is three times that of single packets,
to 2 % of the rate at which the busiest link is full. Points are kept in a file, and not measured again. Commands go to standard error.
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import booksim
from .booksim import KNEE, MESH, ROUTING, UNSTABLE, WINDOW, Kept, Point
from .runs import Runs
from .tables import lines_of, put_into

PAGE = Path("docs/studies/traffic_patterns.md")
SIDES = (4, 8)
WARMUP = 2000  # cycles; the window is three times as long
SINGLE = 0.01  # rate of single packets
CLOSE = 0.02  # share of the rate at which the busiest link is full
HOT = 5
EXCLUDED = (0, 5)

Matrix = list[list[float]]  # row: source; probability of each destination


def permutation(partner: Callable[[int], int], nodes: int) -> Matrix:
    return [[float(partner(node) == other) for other in range(nodes)] for node in range(nodes)]


def bits(nodes: int) -> int:
    return nodes.bit_length() - 1


def uniform(nodes: int, excluded: Sequence[int] = ()) -> Matrix:
    share = 1 / (nodes - len(excluded))
    return [[0 if other in excluded else share for other in range(nodes)] for _ in range(nodes)]


def taper64(nodes: int) -> Matrix:
    near = [8 * y + x for y in (-1, 0, 1) for x in (-1, 0, 1)]
    return [[0.5 / nodes + 0.5 / 9 * sum((node + offset) % nodes == other for offset in near) for other in range(nodes)] for node in range(nodes)]


def bad_yarc(side: int) -> Matrix:
    return [[float(other % side == node // side) / side for other in range(side * side)] for node in range(side * side)]


def asymmetric(nodes: int) -> Matrix:
    return [[0.5 * (other % (nodes // 2) == node % (nodes // 2)) for other in range(nodes)] for node in range(nodes)]


@dataclass(frozen=True)
class Pattern:
    """theirs: BookSim2's word; words: options of fredsim; none: a matrix of rates. matrix: by the side; none: found in a run of BookSim2."""

    theirs: str
    words: tuple[str, ...] = ()
    matrix: Callable[[int], Matrix] | None = None
    sides: Sequence[int] = SIDES


def half_way(place: int, side: int) -> int:
    return (place + (side + 1) // 2 - 1) % side


PATTERNS = {
    "uniform": Pattern("uniform", ("uniform",), lambda k: uniform(k * k)),
    "transpose": Pattern("transpose", ("transpose",), lambda k: permutation(lambda i: i % k * k + i // k, k * k)),
    "bit_complement": Pattern("bitcomp", ("bit_complement",), lambda k: permutation(lambda i: k * k - 1 - i, k * k)),
    "neighbor": Pattern("neighbor", (), lambda k: permutation(lambda i: (i // k + 1) % k * k + (i + 1) % k, k * k)),
    "tornado": Pattern("tornado", ("tornado",), lambda k: permutation(lambda i: half_way(i // k, k) * k + half_way(i % k, k), k * k)),
    "shuffle": Pattern("shuffle", ("shuffle",), lambda k: permutation(lambda i: i * 2 % (k * k) + i * 2 // (k * k), k * k)),
    "bit_reverse": Pattern("bitrev", ("bit_reverse",), lambda k: permutation(lambda i: int(f"{i:0{bits(k * k)}b}"[::-1], 2), k * k)),
    "random_permutation": Pattern("randperm(7)"),
    "asymmetric": Pattern("asymmetric", ("asymmetric",), lambda k: asymmetric(k * k)),
    "background": Pattern(f"background({{{','.join(map(str, EXCLUDED))}}})", ("background", "--excluded-nodes", ",".join(map(str, EXCLUDED))),
                          lambda k: uniform(k * k, EXCLUDED)),
    "hotspot": Pattern(f"hotspot({HOT})", (), lambda k: permutation(lambda _: HOT, k * k)),
    "taper64": Pattern("taper64", (), lambda k: taper64(k * k), (8,)),
    "badperm_yarc": Pattern("badperm_yarc", (), bad_yarc),
}  # fmt: skip


def without_own(matrix: Matrix) -> Matrix:
    return [[0 if node == other else rate for other, rate in enumerate(row)] for node, row in enumerate(matrix)]


def remote_share(matrix: Matrix) -> float:
    """Share of the packets of sending nodes that leave their node."""
    sums = [sum(row) for row in without_own(matrix)]
    return sum(sums) / sum(total > 0 for total in sums)


def capacity(matrix: Matrix, side: int) -> float:
    """Rate at which the busiest link of X-Y routing, or the way out of a node, is full."""
    loads: dict[tuple[int, int], float] = {}
    for node, row in enumerate(without_own(matrix)):
        for other, rate in enumerate(row):
            if rate == 0:
                continue
            x, y, at = node % side, node // side, node
            while at != other:
                x, y = (x + (1 if other % side > x else -1), y) if x != other % side else (x, y + (1 if other // side > y else -1))
                loads[at, y * side + x] = loads.get((at, y * side + x), 0) + rate
                at = y * side + x
            loads[other, other] = loads.get((other, other), 0) + rate
    return remote_share(matrix) / max(loads.values())


class Fredsim(booksim.Fredsim):
    def latency(self, name: str, matrix: Matrix, side: int, rate: float) -> float:
        pattern = PATTERNS[name].words
        words = ["traffic", "configs/mesh.yaml", "--warmup", str(WARMUP), "--cycles", str(3 * WARMUP), *self.mesh(side),
                 "--rate", f"{rate if pattern else rate / remote_share(matrix):.5f}"]  # fmt: skip
        return self.kept.of(f"fredsim {name} {' '.join(words)}", lambda: self._run(words, pattern, matrix)).latency

    def _run(self, words: Sequence[str], pattern: Sequence[str], matrix: Matrix) -> Point:
        with tempfile.TemporaryDirectory() as folder:
            rates = Path(folder) / "rates.csv"
            rates.write_text("".join(",".join(f"{rate:g}" for rate in row) + "\n" for row in without_own(matrix)))
            return Point(self.measured(*words, "--pattern", *(pattern or [str(rates)])).latency)


class BookSim(booksim.BookSim):
    def latency(self, name: str, matrix: Matrix, side: int, rate: float) -> float:
        words = self.lines(name, side, rate / remote_share(matrix))
        return self.kept.of(" ".join(words), lambda: self.measured(words, lambda found: Point(found.latency(side * side)))).latency

    def lines(self, name: str, side: int, rate: float) -> list[str]:
        """Lines of its configuration."""
        keys = {
            **MESH, "k": str(side), **ROUTING, "sample_period": str(WARMUP), **WINDOW, "latency_thres": f"{UNSTABLE}.0", "packet_size": "1",
            "traffic": PATTERNS[name].theirs, "injection_rate": f"{rate:.5f}", "num_vcs": str(self.vcs), "vc_buf_size": str(self.vc_flits),
            **dict(self.settings),
        }  # fmt: skip
        return [f"{key}={value}" for key, value in keys.items()]

    def matrix(self, name: str, side: int) -> Matrix:
        """A permutation that only BookSim2 knows, as the pairs of a run show it."""
        sent = self.measured(self.lines(name, side, 0.1), lambda found: found.vector("pair_sent"))
        nodes = side * side
        return [[float(sent[node * nodes + other] > 0) for other in range(nodes)] for node in range(nodes)]


def knee(simulator: Fredsim | BookSim, name: str, matrix: Matrix, side: int) -> float:
    """The rate, at most that of one injection port of BookSim2."""

    def latency(rate: float) -> float:
        return simulator.latency(name, matrix, side, rate)

    full = min(capacity(matrix, side), remote_share(matrix))
    limit = KNEE * latency(SINGLE)
    return full if latency(0.99 * full) <= limit else booksim.knee(latency, full, limit, CLOSE)


HEAD = ["mesh", "pattern", "busiest link full", "fredsim", "BookSim2, four VCs", "ratio", "fredsim, one NIC port", "BookSim2, one VC", "ratio"]


def rows(runs: Runs, program: str, kept: Kept, sides: Sequence[int], names: Sequence[str]) -> list[list[object]]:
    four = BookSim(program, runs, kept)
    one = BookSim(program, runs, kept, 1, 32, (("speculative", "1"),))
    found = []
    for side in sides:
        for name in names:
            pattern = PATTERNS[name]
            if side not in pattern.sides:
                continue
            matrix = pattern.matrix(side) if pattern.matrix else four.matrix(name, side)
            row: list[object] = [f"{side} × {side}", f"`{name}`", f"{capacity(matrix, side):.3f}"]
            for ours, theirs in ((Fredsim(runs, kept), four), (Fredsim(runs, kept, ports=1), one)):
                here, there = knee(ours, name, matrix, side), knee(theirs, name, matrix, side)
                row += [f"{here:.3f}", f"{there:.3f}", f"{here / there:.2f}"]
            found.append(row)
    return found


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce traffic_patterns", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--patterns", nargs="*", default=list(PATTERNS), choices=PATTERNS, metavar="NAME", help="of these alone (default: all)")
    parser.add_argument("--sides", nargs="*", type=int, default=SIDES, choices=SIDES, help="of meshes (default: all)")
    booksim.add_options(parser, PAGE)
    options = parser.parse_args(words)
    runs, kept = booksim.begin("traffic_patterns", options)
    lines = lines_of(HEAD, rows(runs, str(options.booksim), kept, options.sides, options.patterns), "---")
    print(*lines, sep="\n", flush=True)
    if options.write and not put_into(PAGE, "knees", lines):
        runs.fail(f"{PAGE}: no line <!-- table knees -->")
    return 0
