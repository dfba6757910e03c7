# SPDX-License-Identifier: Apache-2.0
"""Saturation of all patterns that BookSim2 has for a mesh, here and there: the table of docs/studies/traffic_patterns.md.

BookSim2 is not part of this; give the path of its program. A link carries a flit per cycle and takes a cycle, packets have one flit, routing is
X-Y, an input has buffers for 32 flits. Rates are in flits per cycle and node that sends, without packets to the own node: a fixed point of a
permutation, 1/N of uniform traffic, half of `asymmetric`. The knee is the rate at which the mean latency is three times that of single packets,
to 2 % of the rate at which the busiest link is full. Points are kept in a file, and not measured again. Commands go to standard error.
"""

import argparse
import json
import math
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import checkout
from .runs import Runs
from .tables import lines_of, put_into

PAGE = Path("docs/studies/traffic_patterns.md")
SIDES = (4, 8)
FLIT = 512  # bytes
PORTS = 4  # NIC ports of an NPU
WARMUP, WINDOW = 2000, 6000  # cycles
SINGLE = 0.01  # rate of single packets
KNEE = 3  # mean latency over that of single packets
CLOSE = 0.02  # share of the rate at which the busiest link is full
UNSTABLE = 1000  # mean latency in cycles at which BookSim2 gives up
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


@dataclass
class Kept:
    """Latencies by what they depend on, in a file."""

    file: Path | None
    latencies: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.file and self.file.exists():
            for line in self.file.read_text().splitlines():
                key, latency = json.loads(line)
                self.latencies[key] = math.inf if latency is None else latency

    def of(self, key: str, measure: Callable[[], float]) -> float:
        if key not in self.latencies:
            self.latencies[key] = latency = measure()
            if self.file:
                with self.file.open("a") as file:
                    file.write(json.dumps([key, latency if math.isfinite(latency) else None]) + "\n")
        return self.latencies[key]


@dataclass(frozen=True)
class Fredsim:
    """ports: NIC ports of an NPU that work."""

    runs: Runs
    kept: Kept
    ports: int = PORTS

    def latency(self, name: str, matrix: Matrix, side: int, rate: float) -> float:
        settings = {
            "npu.count": side * side, "fabric.width": side, "fabric.height": side, "io.count": 0, "npu.bandwidth": "3072GB/s",
            "fabric.link_bandwidth": "768GB/s", "fabric.link_latency": "0.6ns", "fabric.packet": f"{FLIT}B", "switch.input_buffer": f"{32 * FLIT}B",
        }  # fmt: skip
        words = ["traffic", "configs/mesh.yaml", "--warmup", str(WARMUP), "--cycles", str(WINDOW)]
        for key, value in settings.items():
            words += ["--set", f"{key}={value}"]
        for node in range(side * side):
            for port in range(self.ports, PORTS):
                words += ["--fault", f"link:npu{node}.{port}->r{node % side}_{node // side}.{4 + port}"]
        pattern = PATTERNS[name].words
        rate = rate if pattern else rate / remote_share(matrix)
        words += ["--rate", f"{rate:.5f}"]
        return self.kept.of(f"fredsim {name} {' '.join(words)}", lambda: self._run(words, pattern, matrix))

    def _run(self, words: Sequence[str], pattern: Sequence[str], matrix: Matrix) -> float:
        with tempfile.TemporaryDirectory() as folder:
            rates = Path(folder) / "rates.csv"
            rates.write_text("".join(",".join(f"{rate:g}" for rate in row) + "\n" for row in without_own(matrix)))
            run = self.runs.fredsim(*words, "--pattern", *(pattern or [str(rates)]))["runs"][0]
        latency = run["latency_cycles"]["mean"]
        return math.inf if run["saturated"] or latency > UNSTABLE else latency


@dataclass(frozen=True)
class BookSim:
    """Input-queued router of BookSim2."""

    program: str
    runs: Runs
    kept: Kept
    settings: tuple[tuple[str, str], ...] = ()

    def latency(self, name: str, matrix: Matrix, side: int, rate: float) -> float:
        words = self.words(name, side, rate / remote_share(matrix))
        return self.kept.of(" ".join(words), lambda: self._latency(words, side))

    def words(self, name: str, side: int, rate: float) -> list[str]:
        keys = {
            "topology": "mesh", "n": "2", "k": str(side), "routing_function": "dim_order", "routing_delay": "0", "injection_rate_uses_flits": "1",
            "warmup_periods": "1", "sample_period": str(WARMUP), "stopping_thres": "-1.0", "acc_stopping_thres": "-1.0", "pair_stats": "1",
            "latency_thres": f"{UNSTABLE}.0", "packet_size": "1", "traffic": PATTERNS[name].theirs, "injection_rate": f"{rate:.5f}",
            **dict(self.settings),
        }  # fmt: skip
        return [f"{key}={value}" for key, value in keys.items()]

    def statistics(self, words: Sequence[str]) -> tuple[str, bool]:
        """The file that it writes, and whether it was stable. Its exit code is 255 after a run that is right."""
        print("==", self.program, *words, file=self.runs.announced, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            config, statistics = Path(folder) / "config", Path(folder) / "statistics"
            config.write_text("".join(f"{word};\n" for word in [*words, f"stats_out={statistics}"]))
            done = subprocess.run([self.program, str(config)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if not statistics.exists():
                self.runs.fail(f"{self.program}: exit code {done.returncode}, no statistics\n{done.stdout}")
            return statistics.read_text(), "Aborting simulation" not in done.stdout

    def _latency(self, words: Sequence[str], side: int) -> float:
        text, stable = self.statistics(words)
        if not stable or "pair_sent" not in text:
            return math.inf
        nodes = side * side
        pairs = [(count, mean) for pair, (count, mean) in enumerate(zip(vector(text, "pair_sent"), vector(text, "pair_plat"), strict=True))
                 if count and pair // nodes != pair % nodes]  # fmt: skip
        return sum(count * mean for count, mean in pairs) / sum(count for count, _ in pairs) if pairs else math.inf

    def matrix(self, name: str, side: int) -> Matrix:
        """A permutation that only BookSim2 knows, as the pairs of a run show it."""
        sent = vector(self.statistics(self.words(name, side, 0.1))[0], "pair_sent")
        nodes = side * side
        return [[float(sent[node * nodes + other] > 0) for other in range(nodes)] for node in range(nodes)]


def vector(statistics: str, name: str) -> list[float]:
    found = re.findall(rf"^{name}\(1,:\) = \[ (.*) \];$", statistics, re.MULTILINE)
    if not found:
        raise ValueError(f"no {name} in the statistics of BookSim2")
    return [float(word) for word in found[-1].split()]


Simulator = Fredsim | BookSim


def knee(simulator: Simulator, name: str, matrix: Matrix, side: int) -> float:
    """The rate, at most that of one injection port of BookSim2."""
    full = min(capacity(matrix, side), remote_share(matrix))
    limit = KNEE * simulator.latency(name, matrix, side, SINGLE)
    low, high = 0.0, full
    if simulator.latency(name, matrix, side, 0.99 * full) <= limit:
        return full
    while high - low > CLOSE * full:
        rate = (low + high) / 2
        low, high = (low, rate) if simulator.latency(name, matrix, side, rate) > limit else (rate, high)
    return (low + high) / 2


HEAD = ["mesh", "pattern", "busiest link full", "fredsim", "BookSim2, four VCs", "ratio", "fredsim, one NIC port", "BookSim2, one VC", "ratio"]


def rows(runs: Runs, booksim: str, kept: Kept, sides: Sequence[int], names: Sequence[str]) -> list[list[object]]:
    four = BookSim(booksim, runs, kept, (("num_vcs", "4"), ("vc_buf_size", "8")))
    one = BookSim(booksim, runs, kept, (("num_vcs", "1"), ("vc_buf_size", "32"), ("speculative", "1")))
    found = []
    for side in sides:
        for name in names:
            pattern = PATTERNS[name]
            if side not in pattern.sides:
                continue
            matrix = pattern.matrix(side) if pattern.matrix else four.matrix(name, side)
            row: list[object] = [f"{side} × {side}", f"`{name}`", f"{capacity(matrix, side):.3f}"]
            for ours, theirs in ((Fredsim(runs, kept), four), (Fredsim(runs, kept, 1), one)):
                here, there = knee(ours, name, matrix, side), knee(theirs, name, matrix, side)
                row += [f"{here:.3f}", f"{there:.3f}", f"{here / there:.2f}"]
            found.append(row)
    return found


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce traffic_patterns", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("booksim", metavar="BOOKSIM", type=Path, help="program of BookSim2")
    parser.add_argument("--patterns", nargs="*", default=list(PATTERNS), choices=PATTERNS, metavar="NAME", help="of these alone (default: all)")
    parser.add_argument("--sides", nargs="*", type=int, default=SIDES, choices=SIDES, help="of meshes (default: all)")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="points are kept there, and not measured again: of one pair of programs")
    parser.add_argument("--write", action="store_true", help=f"puts the table into {PAGE}")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    booksim = str(options.booksim.resolve())
    kept = Kept(options.keep and options.keep.resolve())
    checkout.enter()
    runs = Runs("traffic_patterns", checkout.programs({"fredsim": options.program}, "traffic_patterns")["fredsim"])
    lines = lines_of(HEAD, rows(runs, booksim, kept, options.sides, options.patterns), "---")
    print(*lines, sep="\n", flush=True)
    if options.write and not put_into(PAGE, "knees", lines):
        runs.fail(f"{PAGE}: no line <!-- table knees -->")
    return 0
