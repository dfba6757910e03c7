# SPDX-License-Identifier: Apache-2.0
"""Runner of the studies beside BookSim2: square meshes under synthetic traffic, by `fredsim traffic` and by BookSim2, in the same terms.

A link carries a flit per cycle and takes a cycle. Rates are in flits per cycle and node that sends to another one: uniform traffic of BookSim2
has 1/N of its packets for their own source, and the diagonal of its transpose sends to itself; neither is counted here. Latency is from a
packet's creation to the arrival of its last flit. Warm-up and window are the same, and traffic goes on until all packets of the window have
arrived.
"""

import argparse
import json
import math
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from . import checkout
from .runs import Runs

T = TypeVar("T")

FLIT = 512  # bytes
WARMUP = 5000  # cycles; the window is three times as long
PORTS = 4  # NIC ports of an NPU
KNEE = 3  # mean latency over that of single packets
THEIR_WORD = {"uniform": "uniform", "transpose": "transpose", "bit_complement": "bitcomp"}
UNSTABLE = 1000  # mean latency in cycles at which BookSim2 gives up
# Keys of BookSim2's configuration. Without thresholds the window ends after three sample periods.
MESH = {"topology": "mesh", "n": "2"}
ROUTING = {"routing_function": "dim_order", "routing_delay": "0", "injection_rate_uses_flits": "1", "warmup_periods": "1"}
WINDOW = {"stopping_thres": "-1.0", "acc_stopping_thres": "-1.0", "pair_stats": "1"}


@dataclass(frozen=True)
class Load:
    """side: nodes along a side; rate: offered; flits: of a packet; stretch: how many times as long warm-up and window are."""

    side: int
    pattern: str
    rate: float
    flits: int = 1
    seed: int = 1
    stretch: int = 1

    @property
    def nodes(self) -> int:
        return self.side * self.side

    @property
    def remote(self) -> float:
        """Share of the packets of BookSim2's sending nodes that leave their node."""
        return (self.nodes - 1) / self.nodes if self.pattern == "uniform" else 1

    def sends(self, node: int) -> bool:
        return self.pattern != "transpose" or node % self.side != node // self.side


def capacity(side: int, pattern: str) -> float:
    """Rate at which the busiest link of X-Y routing is full."""
    nodes = side * side
    return {"uniform": 4 * (nodes - 1) / (nodes * side), "transpose": 1 / (side - 1), "bit_complement": 2 / side}[pattern]


def mean_hops(side: int, pattern: str) -> float:
    """Mesh links between a sender and its destination."""
    return {"uniform": 2 * side / 3, "transpose": 2 * (side + 1) / 3, "bit_complement": side}[pattern]


@dataclass(frozen=True)
class Point:
    latency: float  # cycles; infinite: unstable
    accepted: float = math.nan  # NaN: not measured


class Simulator(Protocol):
    def point(self, load: Load) -> Point: ...


class Kept:
    """Points by what they depend on; in a file, if there is one, and then not measured again."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.points: dict[str, Point] = {}
        if file and file.exists():
            for line in file.read_text().splitlines():
                entry = json.loads(line)
                key, latency, *accepted = entry if isinstance(entry, list) else entry.values()
                self.points[key] = Point(math.inf if latency is None else latency, *accepted)

    def of(self, key: str, measure: Callable[[], Point]) -> Point:
        if key not in self.points:
            self.points[key] = point = measure()
            if self.file:
                latency = point.latency if math.isfinite(point.latency) else None
                entry = [key, latency] if math.isnan(point.accepted) else {"key": key, "latency": latency, "accepted": point.accepted}
                with self.file.open("a") as file:
                    file.write(json.dumps(entry) + "\n")
        return self.points[key]


def knee(latency: Callable[[float], float], full: float, limit: float, close: float) -> float:
    """Rate up to `full` at which the latency exceeds a limit. close: precision, as a share of `full`."""
    low, high = 0.0, full
    while high - low > close * full:
        rate = (low + high) / 2
        low, high = (low, rate) if latency(rate) > limit else (rate, high)
    return (low + high) / 2


@dataclass(frozen=True)
class Fredsim:
    """Routers of `mesh`: one virtual channel carries all traffic. buffer: flits of an input; ports: NIC ports of an NPU that work."""

    runs: Runs
    kept: Kept
    buffer: int = 32
    ports: int = PORTS

    def mesh(self, side: int, flits: int = 1) -> list[str]:
        """Options that make configs/mesh.yaml the mesh of a study, with packets of so many flits."""
        settings = {
            "npu.count": side * side, "fabric.width": side, "fabric.height": side, "io.count": 0, "npu.bandwidth": "3072GB/s",
            "fabric.link_bandwidth": "768GB/s", "fabric.link_latency": "0.6ns", "fabric.packet": f"{flits * FLIT}B",
            "switch.input_buffer": f"{self.buffer * FLIT}B",
        }  # fmt: skip
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        for node in range(side * side):
            for port in range(self.ports, PORTS):
                words += ["--fault", f"link:npu{node}.{port}->r{node % side}_{node // side}.{4 + port}"]
        return words

    def point(self, load: Load) -> Point:
        words = ["traffic", "configs/mesh.yaml", "--pattern", load.pattern, "--rate", f"{load.rate:.5f}", "--packet-flits", str(load.flits),
                 "--warmup", str(load.stretch * WARMUP), "--cycles", str(3 * load.stretch * WARMUP), "--seed", str(load.seed),
                 *self.mesh(load.side, load.flits)]  # fmt: skip
        return self.kept.of(" ".join(words), lambda: self.measured(*words))

    def measured(self, *words: str) -> Point:
        run = self.runs.fredsim(*words)["runs"][0]
        latency = run["latency_cycles"]["mean"]
        return Point(math.inf if run["saturated"] or latency > UNSTABLE else latency, run["accepted_rate"])


@dataclass(frozen=True)
class Statistics:
    """File that `stats_out` names. stable: BookSim2 did not give up."""

    text: str
    stable: bool

    def vector(self, name: str) -> list[float]:
        """Errors: ValueError where there is none of the name."""
        found = re.findall(rf"^{name}\(1,:\) = \[ (.*) \];$", self.text, re.MULTILINE)
        if not found:
            raise ValueError(f"no {name} in its statistics")
        return [float(word) for word in found[-1].split()]

    def latency(self, nodes: int) -> float:
        """Mean of the packets that leave their node; infinite: unstable, or there are none. Errors: ValueError where a vector is missing
        or has another length."""
        if not self.stable:
            return math.inf
        pairs = [(count, mean) for pair, (count, mean) in enumerate(zip(self.vector("pair_sent"), self.vector("pair_plat"), strict=True))
                 if count and pair // nodes != pair % nodes]  # fmt: skip
        return sum(count * mean for count, mean in pairs) / sum(count for count, _ in pairs) if pairs else math.inf


@dataclass(frozen=True)
class BookSim:
    """Input-queued router of BookSim2. vc_flits: buffer of a virtual channel; settings: further keys, or other values; drains: latency is
    measured, until all packets of the window have arrived."""

    program: str
    runs: Runs
    kept: Kept
    vcs: int = 4
    vc_flits: int = 8
    settings: tuple[tuple[str, str], ...] = ()
    drains: bool = True

    def words(self, load: Load) -> list[str]:
        """Lines of its configuration."""
        keys = {
            **MESH, **ROUTING, **WINDOW, "sample_period": str(load.stretch * WARMUP), "k": str(load.side), "traffic": THEIR_WORD[load.pattern],
            "injection_rate": f"{load.rate / load.remote:.6f}", "packet_size": str(load.flits), "seed": str(load.seed), "num_vcs": str(self.vcs),
            "vc_buf_size": str(self.vc_flits), "latency_thres": f"{UNSTABLE}.0", **dict(self.settings),
            **({} if self.drains else {"sim_type": "throughput", "latency_thres": "-1.0"}),
        }  # fmt: skip
        return [f"{key}={value}" for key, value in keys.items()]

    def point(self, load: Load) -> Point:
        def read(found: Statistics) -> Point:
            accepted = found.vector("accepted_flits")
            senders = [node for node in range(load.nodes) if load.sends(node)]
            return Point(found.latency(load.nodes), load.remote * sum(accepted[node] for node in senders) / len(senders))

        words = self.words(load)
        return self.kept.of(" ".join(words), lambda: self.measured(words, read))

    def measured(self, words: Sequence[str], read: Callable[[Statistics], T]) -> T:
        """Runs it, and reads its statistics. The exit code is 255 after a run that is right, and 0 after one that is not."""
        print("==", self.program, *words, file=self.runs.announced, flush=True)
        with tempfile.TemporaryDirectory() as name:
            config, statistics = Path(name) / "config", Path(name) / "statistics"
            config.write_text("".join(f"{word};\n" for word in [*words, f"stats_out={statistics}"]))
            done = subprocess.run([self.program, str(config)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if not statistics.exists():
                self.runs.fail(f"{self.program}: exit code {done.returncode}, no statistics\n{done.stdout}")
            try:
                return read(Statistics(statistics.read_text(), "Aborting simulation" not in done.stdout))
            except ValueError as error:
                self.runs.fail(f"{self.program}: {error}\n{done.stdout}")


def add_options(parser: argparse.ArgumentParser, page: Path) -> None:
    """Options of all studies beside BookSim2."""

    def resolved(word: str) -> Path:
        return Path(word).resolve()

    parser.add_argument("booksim", metavar="BOOKSIM", type=resolved, help="program of BookSim2")
    parser.add_argument("--keep", type=resolved, metavar="FILE", help="points are kept there, and not measured again: of one pair of programs")
    parser.add_argument("--write", action="store_true", help=f"puts the tables into {page}")
    parser.add_argument("--program", help=argparse.SUPPRESS)


def begin(script: str, options: argparse.Namespace, packages: Sequence[str] = ()) -> tuple[Runs, Kept]:
    """Goes to the top of the checkout, and builds fredsim if no program is given."""
    checkout.enter()
    return Runs(script, checkout.programs({"fredsim": options.program}, script, packages)["fredsim"]), Kept(options.keep)
