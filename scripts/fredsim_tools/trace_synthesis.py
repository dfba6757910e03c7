# SPDX-License-Identifier: Apache-2.0
"""Measures traces that `fredsim trace synthesize` draws against traces that were not learned from, and prints Markdown tables.

Sources: models × strategies × machines, exported by flows. Of each model and strategy, the traces of every other machine are learned from
and the rest are held out. One model per workload: distances of Kolmogorov and Smirnov of sizes and durations, nodes by type, mean times on
three machines. Sizes have a secret factor; "aligned": after the factor within [0.8, 1.25] at which the distance is the least, and times of
traces whose sizes are divided by it (`--scale bytes=`).
Leaks: names of sources, eight exact sizes in a row, and trials in which the nearer of two sources by size histogram is called the one that
was learned from. Runs: synthetic traces of 2 to 64 ranks. Commands are not announced; progress goes to standard error.
"""

import argparse
import bisect
import hashlib
import itertools
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from . import checkout
from .runs import Json, exposed_ns
from .tables import markdown

MODELS = ["small", "resnet50", "resnet152", "bert_base", "bert_large", "densenet201", "inception_v4", "mixtral_8x7b", "llama3_70b", "gpt3"]
STRATEGIES = [(2, 2, 1), (4, 2, 1), (1, 8, 1), (2, 4, 1), (2, 2, 2)]
MACHINES = ["mesh", "fred_d", "torus", "fred_a"]
RUN_ON = ["mesh", "fred_d", "torus"]
LARGE = "fred_64"  # for up to 64 ranks
TYPES = {2: "load", 3: "store", 4: "computation", 5: "send", 6: "receive", 7: "collective"}
SMALL = 3  # workloads of fewest nodes, of whose traces runs are
RUN = 8  # exact sizes in a row that no synthetic trace may share with a source
SIZE_SLACK, DURATION_SLACK = 1.05, 1.01
WORDS = {"computation", "load", "store", "send", "receive"}  # names of classes, beside the collectives

# ---- execution traces: messages of protobuf, each with its length before it


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
            yield tag >> 3, value
        else:
            length = {1: 8, 5: 4}.get(tag & 7)
            if length is None:
                length, at = varint(data, at)
            yield tag >> 3, data[at : at + length]
            at += length


@dataclass
class Trace:
    """A job: of each rank, types, sizes and durations of its nodes."""

    prefix: Path
    types: Counter[int] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)
    sizes: list[list[int]] = field(default_factory=list)  # by rank
    durations: list[int] = field(default_factory=list)
    ranks: int = 0
    digest: str = ""

    def read(self) -> "Trace":
        for rank in itertools.count():
            path = Path(f"{self.prefix}.{rank}.et")
            if not path.exists():
                return self
            self.sizes.append([])
            data = path.read_bytes()
            self.digest = hashlib.sha256(self.digest.encode() + data).hexdigest()
            length, at = varint(data, 0)
            at += length  # the metadata
            self.ranks += at < len(data)
            while at < len(data):
                length, at = varint(data, at)
                self.add(data[at : at + length])
                at += length
        raise AssertionError

    def add(self, node: bytes) -> None:
        kind, name, attributes = 0, b"", {}
        for number, value in fields(node):
            if number == 3:
                kind = int(value)
            elif number == 2:
                name = bytes(value)
            elif number == 10:
                parts = list(fields(bytes(value)))
                attributes[bytes(parts[0][1])] = parts[1][1] if len(parts) > 1 else 0
        self.types[kind] += 1
        self.names.add(name.decode())
        if b"comm_size" in attributes:
            self.sizes[-1].append(int(attributes[b"comm_size"]))
        if attributes.get(b"duration_ps", 0):
            self.durations.append(int(attributes[b"duration_ps"]))

    @property
    def all_sizes(self) -> list[int]:
        return [size for rank in self.sizes for size in rank]


# ---- statistics


class Shares:
    """The share of values up to one, by the distinct values."""

    def __init__(self, counts: Counter[float]) -> None:
        self.values = sorted(counts)
        sums = list(itertools.accumulate(counts[value] for value in self.values))
        self.shares = [0.0, *(own / sums[-1] for own in sums)] if sums else [0.0]

    def up_to(self, most: float) -> float:
        return self.shares[bisect.bisect_right(self.values, most)]


def distance(a: Counter[float], b: Counter[float], slack: float) -> float:
    """Kolmogorov and Smirnov: the largest difference of two distributions; values that differ by less than the slack, a factor for the
    digits that a model keeps, are equal."""
    if not a or not b:
        return 0.0 if not a and not b else 1.0
    of_a, of_b = Shares(a), Shares(b)
    return max(max(of_a.up_to(x) - of_b.up_to(x * slack), of_b.up_to(x) - of_a.up_to(x * slack)) for x in {*a, *b})


def divided(sizes: Counter[float], factor: float) -> Counter[float]:
    made: Counter[float] = Counter()
    for size, count in sizes.items():
        made[size / factor if size >= 256 else size] += count
    return made


def aligned(drawn: Counter[float], held: Counter[float]) -> tuple[float, float]:
    """The least distance, and its factor: the middle one where several have it."""
    factors = [0.8 * (1.25 / 0.8) ** (n / 50) for n in range(51)]
    distances = [distance(divided(drawn, factor), held, SIZE_SLACK) for factor in factors]
    least = min(distances)
    best = [factor for factor, own in zip(factors, distances, strict=True) if own == least]
    return least, best[len(best) // 2]


def histogram(sizes: Sequence[int]) -> Counter[int]:
    counts = Counter(round(4 * math.log2(size)) for size in sizes if size)
    return Counter({bucket: count / max(len(sizes), 1) for bucket, count in counts.items()})


def apart(a: Counter[int], b: Counter[int]) -> float:
    return sum(abs(a[bucket] - b[bucket]) for bucket in {*a, *b})


def runs_of_sizes(trace: Trace) -> set[tuple[int, ...]]:
    return {tuple(rank[n : n + RUN]) for rank in trace.sizes for n in range(len(rank) - RUN + 1)}


def percent(drawn: float, held: float) -> float:
    return 0.0 if drawn == held else math.inf if held == 0 else 100 * (drawn / held - 1)


# ---- commands


class Program:
    def __init__(self, path: str, folder: Path) -> None:
        self.path, self.folder = path, folder
        self.known: dict[tuple[str, str], tuple[float, float]] = {}  # times by machine and digest of a trace

    def call(self, *words: object) -> subprocess.CompletedProcess[str]:
        quiet = ["--quiet"] if words[0] == "train" else []
        return subprocess.run([self.path, *map(str, words), *quiet], capture_output=True, text=True)

    def must(self, *words: object) -> str:
        done = self.call(*words)
        if done.returncode:
            sys.exit(f"trace_synthesis: {' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def source(self, model: str, strategy: tuple[int, int, int], machine: str) -> Trace | None:
        mp, dp, pp = strategy
        prefix = self.folder / f"{model}-{mp}-{dp}-{pp}-{machine}"
        if not Path(f"{prefix}.groups.json").exists():
            done = self.call("train", machine, "--engine", "flow", "--workload", model, "--mp", mp, "--dp", dp, "--pp", pp,
                             "--placement", "identity", "--iterations", 1, "--export-et", prefix)  # fmt: skip
            if done.returncode:
                return None
        return Trace(prefix).read()

    def learn(self, name: str, sources: Sequence[Trace]) -> Path:
        model = self.folder / f"{name}.json"
        self.must("trace", "learn", *(source.prefix for source in sources), "--out", model)
        return model

    def draw(self, model: Path, ranks: int, seed: int, bytes_scale: float = 1.0) -> Trace:
        prefix = self.folder / f"{model.stem}-drawn-{ranks}-{seed}-{bytes_scale:.4f}"
        self.must("trace", "synthesize", model, "--ranks", ranks, "--seed", seed, "--scale", f"bytes={bytes_scale:.4f}", "--out", prefix)
        return Trace(prefix).read()

    def times(self, machine: str, trace: Trace) -> tuple[float, float]:
        """Step and exposed communication, ns."""
        key = machine, trace.digest
        if key in self.known:
            return self.known[key]
        run: Json = json.loads(self.must("train", machine, "--engine", "flow", "--trace", trace.prefix, "--json", "-"))["runs"][0]
        self.known[key] = run["iteration_ns"], exposed_ns(run)
        return self.known[key]


# ---- measurements


@dataclass
class Workload:
    name: str
    learned: list[Trace]
    held: list[Trace]
    model: Path
    asked: list[tuple[int, int]]  # ranks and seed of each synthetic trace
    drawn: list[Trace]


def mean_times(program: Program, machine: str, traces: Sequence[Trace]) -> tuple[float, float]:
    with ThreadPoolExecutor(2) as pool:
        all_times = list(pool.map(lambda trace: program.times(machine, trace), traces))
    return statistics.mean(step for step, _ in all_times), statistics.mean(exposed for _, exposed in all_times)


def workload_of(program: Program, name: str, number: int) -> Workload | None:
    learned: list[Trace] = []
    held: list[Trace] = []
    for strategy in STRATEGIES:
        found = [source for machine in MACHINES if (source := program.source(name, strategy, machine))]
        learned += found[::2]
        held += found[1::2]
    if not held:
        return None
    model = program.learn(name, learned)
    ranks = [trace.ranks for trace in held]
    seeds = {count: itertools.count() for count in ranks}
    asked = [(count, next(seeds[count])) for count in itertools.islice(itertools.cycle(ranks), number)]
    return Workload(name, learned, held, model, asked, [program.draw(model, count, seed) for count, seed in asked])


def workload_from(program: Program, name: str, learned: list[Trace], held: list[Trace], number: int) -> Workload:
    model = program.learn(name, learned)
    asked = [(held[0].ranks, seed) for seed in range(number)]
    return Workload(name, learned, held, model, asked, [program.draw(model, ranks, seed) for ranks, seed in asked])


def recorded(program: Program, folder: Path, number: int) -> Iterator[Workload]:
    """Workloads of PyTorch profiles: of a ResNet two steps are learned and the third is held out; others have one step, which is both."""

    def converted(name: str, *words: object) -> Trace:
        prefix = program.folder / f"recorded-{name}"
        program.must("trace", "convert", *words, "--out", prefix)
        return Trace(prefix).read()

    steps = [converted(f"resnet-{step}", folder / "nccl_data.json.gz", "--ranks", 2, "--like", 0, "--step", step) for step in (4, 5, 6)]
    for trace in steps:
        trace.ranks = 2
    yield workload_from(program, "recorded ResNet", steps[:2], steps[2:], number)
    profiles = [next((folder / "dlrm").glob(f"worker{rank}_*.json.gz")) for rank in range(8)]
    hosts = [word for rank in range(8) for word in ("--host", folder / "dlrm" / f"dlrm_eg_{rank}.json.gz")]
    dlrm = [converted("dlrm", *profiles, *hosts)]
    yield workload_from(program, "recorded DLRM", dlrm, dlrm, number)
    linear = [converted("linear", folder / "linear_kineto.json.gz")]
    yield workload_from(program, "recorded linear", linear, linear, number)


def of_types(traces: Sequence[Trace], kind: int) -> float:
    return statistics.mean(trace.types[kind] / len(trace.sizes) for trace in traces)  # of a file: ranks may share one


def fidelity(program: Program, workload: Workload) -> list[object]:
    drawn_sizes, held_sizes = (Counter(float(size) for trace in traces for size in trace.all_sizes) for traces in (workload.drawn, workload.held))
    durations = [Counter(float(ps) for trace in traces for ps in trace.durations) for traces in (workload.drawn, workload.held)]
    types = max((abs(percent(of_types(workload.drawn, kind), of_types(workload.held, kind))) for kind in TYPES
                 if of_types(workload.held, kind) or of_types(workload.drawn, kind)), default=0.0)  # fmt: skip
    least, factor = aligned(drawn_sizes, held_sizes)
    without_factor = [program.draw(workload.model, ranks, seed, 1 / factor) for ranks, seed in workload.asked]
    apart_by = {}
    for name, traces in ("drawn", workload.drawn), ("aligned", without_factor):
        pairs = [(mean_times(program, machine, traces), mean_times(program, machine, workload.held)) for machine in RUN_ON]
        apart_by[name] = [max((percent(own[part], held[part]) for own, held in pairs), key=abs) for part in (0, 1)]
    times = [f"{apart_by[name][part]:+.1f}" for part in (0, 1) for name in ("drawn", "aligned")]
    return [workload.name, len(workload.learned), len(workload.held), workload.model.stat().st_size, f"{least:.3f}",
            f"{distance(drawn_sizes, held_sizes, SIZE_SLACK):.3f}", f"{distance(durations[0], durations[1], DURATION_SLACK):.3f}",
            f"{types:.1f}", *times]  # fmt: skip


def leaks(workloads: Sequence[Workload], trials: int, chance: random.Random) -> list[list[object]]:
    texts = shared = right = 0
    for workload in workloads:
        names = {name for trace in workload.learned for name in trace.names}
        words = {name.lower() for name in names} - WORDS
        text = workload.model.read_text()
        texts += sum(f'"{name}' in text for name in names) + sum(name.lower() in words for trace in workload.drawn for name in trace.names)
        known = set().union(*(runs_of_sizes(trace) for trace in workload.learned))
        shared += sum(len(runs_of_sizes(trace) & known) for trace in workload.drawn)
    for _ in range(trials):
        workload = chance.choice(workloads)
        synthetic, member, other = (histogram(chance.choice(traces).all_sizes) for traces in (workload.drawn, workload.learned, workload.held))
        near, far = apart(synthetic, member), apart(synthetic, other)
        right += near < far or (near == far and chance.random() < 0.5)
    return [["names of sources in models or traces", texts, 0], [f"runs of {RUN} exact sizes in common", shared, 0],
            [f"classifier right, % of {trials}", f"{100 * right / max(trials, 1):.1f}", "40 to 60"]]  # fmt: skip


def runs_without_deadlock(program: Program, workloads: Sequence[Workload], number: int) -> list[object]:
    small = sorted(workloads, key=lambda workload: max(sum(trace.types.values()) for trace in workload.learned))[:SMALL]

    def run(seed: int) -> bool:
        model = small[seed % len(small)].model
        prefix = program.folder / f"run{seed}"
        ranks = 2 + (seed * 37) % 63
        program.must("trace", "synthesize", model, "--ranks", ranks, "--seed", seed, "--out", prefix)
        done = program.call("train", LARGE, "--engine", "flow", "--trace", prefix)
        if done.returncode:
            print(f"{model.stem} {ranks} {seed}: {done.stderr}", file=sys.stderr)
        for file in program.folder.glob(f"run{seed}.*"):
            file.unlink()
        return done.returncode == 0

    with ThreadPoolExecutor(2) as pool:
        ended = sum(pool.map(run, range(number)))
    return ["synthetic traces of 2 to 64 ranks that ran", f"{ended} of {number}", "all"]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce trace_synthesis", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--models", type=lambda text: text.split(","), default=MODELS, help="workloads, with commas (default: ten)")
    parser.add_argument("--drawn", type=int, default=20, help="synthetic traces of a workload (default %(default)s)")
    parser.add_argument("--trials", type=int, default=200, help="of the classifier (default %(default)s)")
    parser.add_argument("--runs", type=int, default=1000, help="synthetic traces that run (default %(default)s)")
    parser.add_argument("--recorded", type=Path, help="a folder of PyTorch profiles that are learned, too (docs/user/pytorch.md)")
    parser.add_argument("--keep", type=Path, help="a folder in which sources are kept")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    checkout.enter()
    path = checkout.programs({"fredsim": options.program}, "trace_synthesis")["fredsim"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        program = Program(path, folder)
        workloads, rows = [], []
        for name in options.models:
            print("==", name, file=sys.stderr, flush=True)
            if workload := workload_of(program, name, options.drawn):
                workloads.append(workload)
                rows.append(fidelity(program, workload))
                print("  ", *rows[-1], file=sys.stderr, flush=True)
        if options.recorded:
            for workload in recorded(program, options.recorded, min(options.drawn, 5)):
                rows.append(fidelity(program, workload))
                print("  ", *rows[-1], file=sys.stderr, flush=True)
        markdown(["workload", "learned", "held out", "model, bytes", "sizes, aligned", "sizes", "durations", "counts, %", "step, %",
                  "step, aligned", "exposed, %", "exposed, aligned"], rows)  # fmt: skip
        print()
        checks = leaks(workloads, options.trials, random.Random(1))
        markdown(["check", "found", "aim"], [*checks, runs_without_deadlock(program, workloads, options.runs)])
    return 0
