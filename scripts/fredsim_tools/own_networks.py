# SPDX-License-Identifier: Apache-2.0
"""All-reduces on network files of ASTRA-sim beside formulas: scripts/reproduce own_networks FOLDER, a folder of .yml and .yaml files.

Each file is the network of a machine that says nothing else but `clock: auto`. Formula: blocks of equal size go round a ring both ways, a
link's latency or a block's length apart, whichever is more; where each NPU sends to each other one, a reduce-scatter and an all-gather follow
each other. Dimensions take turns by chunks, as many as fredsim has: the slowest sets the pace.
What bounds a time: the least cut of the network, within 5 %; else a buffer, latency, or the plan, whose busiest link has more to carry; and
turns of packets, which formulas leave out, where it is more than 5 % above the formula.
Commands go to standard error.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from . import checkout
from .runs import Json, Runs
from .tables import GIB, KIB, MIB, markdown, size

UNITS = {"KiB": KIB, "MiB": MIB, "GiB": GIB}
MAX_CHUNKS = 64  # a MiB each, as `run` has them
CLOSE = 1.05


@dataclass(frozen=True)
class Dimension:
    block: str  # in lower case
    npus: int
    rate: float  # bytes/ns, a link
    latency: float  # ns, a link

    def ring_ns(self, data: float, steps: int) -> float:
        """Blocks go round both ways at once; on a ring of two there is one link."""
        block = data / self.npus / (1 if self.npus == 2 else 2) / self.rate
        return max(steps * block + self.latency, steps * self.latency + block)

    def reduce_scatter_ns(self, data: float) -> float:
        if self.block == "ring":
            return self.ring_ns(data, self.npus - 1)
        links, path = (1, 2) if self.block == "switch" else (self.npus - 1, 1)
        return (self.npus - 1) / self.npus * data / (links * self.rate) + path * self.latency

    def all_reduce_ns(self, data: float) -> float:
        return self.ring_ns(data, 2 * (self.npus - 1)) if self.block == "ring" else 2 * self.reduce_scatter_ns(data)


def formula_ns(dimensions: Sequence[Dimension], data: float) -> float:
    chunks = min(MAX_CHUNKS, max(1, int(data // MIB))) if len(dimensions) > 1 else 1
    share, steps = data / chunks, []
    for dimension in dimensions[:-1]:
        steps.append(2 * dimension.reduce_scatter_ns(share))
        share /= dimension.npus
    steps.append(dimensions[-1].all_reduce_ns(share))
    return sum(steps) + (chunks - 1) * max(steps)


def read(file: Path) -> list[Dimension]:
    """Errors: ValueError where it is no such file, or has blocks without a formula here."""
    lists = {}
    for key, text in re.findall(r"^(\w+): *\[([^]]*)\]", file.read_text(), re.MULTILINE):
        lists[key] = [word.strip() for word in text.split(",")]
    try:
        rows = zip(lists["topology"], lists["npus_count"], lists["bandwidth"], lists["latency"], strict=True)
        dimensions = [Dimension(block.lower(), int(npus), float(rate) * GIB / 1e9, float(latency)) for block, npus, rate, latency in rows]
    except (KeyError, ValueError):
        raise ValueError("no network, or one with an open value") from None
    if unknown := {dimension.block for dimension in dimensions} - {"ring", "switch", "fullyconnected"}:
        raise ValueError(f"no formula for {', '.join(sorted(unknown))}")
    return dimensions


def bytes_of(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMG]iB)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"found {text}; allowed: a number and KiB, MiB or GiB")
    return int(match[1]) * UNITS[match[2]]


def sizes_of(text: str) -> list[int]:
    return sorted(bytes_of(word) for word in text.split(","))


def bound_of(run: Json, formula: float) -> str:
    derived, time = run["derived"], run["time_ns"]
    if limit := derived.get("credit_limit"):
        return f"`{limit['key']}` of {size(limit['buffer_bytes'])}"
    if time <= CLOSE * derived["network_bound_ns"]:
        return "network"
    bounds = []
    if derived["bound_ns"] > CLOSE * derived["network_bound_ns"]:
        bounds.append("plan")
    if time > CLOSE * derived["bound_ns"]:
        bounds.append("latency")
    return ", ".join([*bounds, *(["turns"] if time > CLOSE * formula else [])])


class Table:
    def __init__(self, program: str, exact_seconds: float, folder: Path) -> None:
        self.runs, self.exact_seconds, self.folder = Runs("own_networks", program, StringIO()), exact_seconds, folder

    def time_of(self, machine: Path, data: int, *words: str) -> Json:
        return self.runs.fredsim("run", str(machine), "--size", f"{data}B", *words)["runs"][0]

    def rows(self, file: Path, sizes: Sequence[int]) -> Iterator[list[object]]:
        dimensions = read(file)
        machine = self.folder / "own.yaml"
        machine.write_text(f"name: own\nclock: auto\nfabric: {{type: astra_sim, file: {json.dumps(str(file.resolve()))}}}\n")
        name = f"`{file.name}`: {' × '.join(f'{dimension.block} {dimension.npus}' for dimension in dimensions)}"
        per_byte = 0.0  # seconds of exact runs
        for data in sizes:
            formula = formula_ns(dimensions, data)
            flow = self.time_of(machine, data, "--engine", "flow")
            exact = None
            if per_byte * data <= self.exact_seconds:
                exact = self.limited(machine, data)
                per_byte = exact["wall_s"] / data if exact else self.exact_seconds / data
            run = exact or flow
            yield [name, size(data), *(f"{time / 1e3:.2f}" if time else None for time in (formula, exact and exact["time_ns"], flow["time_ns"])),
                   f"{run['time_ns'] / formula:.3f}", f"{run['time_ns'] / run['derived']['network_bound_ns']:.3f}", bound_of(run, formula),
                   f"`{run['algorithm']}`"]  # fmt: skip

    def limited(self, machine: Path, data: int) -> Json | None:
        """None: takes more than the seconds of processor time allowed."""
        found = self.runs.to_file_within(int(self.exact_seconds), self.folder / "own.json", "run", str(machine), "--size", f"{data}B")
        return found[0] if found else None


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce own_networks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=sizes_of, default="1MiB,64MiB,1GiB", help="with a comma between them (default %(default)s)")
    parser.add_argument("--exact-seconds", type=float, default=20, help="exact runs that take longer are left out (default %(default)s)")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    files = sorted(file for file in options.folder.resolve().iterdir() if file.suffix in (".yml", ".yaml"))
    checkout.enter()
    program = checkout.programs({"fredsim": options.program}, "own_networks")["fredsim"]
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        table = Table(program, options.exact_seconds, Path(folder))
        for file in files:
            try:
                rows += table.rows(file, options.sizes)
            except ValueError as error:
                print(f"{file.name}: {error}\n")
    markdown(["network", "size", "formula, µs", "exact", "flow", "over formula", "over network bound", "bounded by", "algorithm"], rows)
    return 0
