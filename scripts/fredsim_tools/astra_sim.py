# SPDX-License-Identifier: Apache-2.0
"""Examples of ASTRA-sim by `fredsim astra`, beside the times that ASTRA-sim prints: scripts/reproduce astra_sim FOLDER, its checkout.

Published: cycles, of a nanosecond, in its regression test and in its documents (PUBLISHED). Formula: what its system layer does with a ring
of one dimension, chunk after chunk: steps of a block over the links of a path, whose latency, an endpoint delay and, where a block is
added, three accesses to memory come on top, in whole nanoseconds. By packets: the same chunks and blocks as fredsim has them, without delay
and memory, where the packets of a block are sent on as they arrive.
With --astra-sim PROGRAM its own time is measured, too.
Commands go to standard error.
"""

import argparse
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import checkout
from .runs import Runs
from .tables import GIB, MIB, markdown

RINGS = "examples/network/analytical/Ring_{}npus.yml"
WORK = "examples/workload/microbenchmarks/{0}/{1}npus_1MB/{0}"
SYSTEM = "examples/system/native_collectives/Ring_4chunks.json"
OWN = ("dgx_v100_4gpu", "hgx_h100_4gpu", "hgx_h100_8gpu", "hgx_h100_16gpu", "tpu_v3_8")  # of inputs/, with as many NPUs as traces
# Folders of inputs/ whose NPUs no traces have: hgx_h100_2gpu, hgx_h100_32gpu, tpu_v3_32_2dtorus, tpu_v3_32_ring; dgx_v100_8gpu has
# open values.


@dataclass(frozen=True)
class Example:
    name: str
    collective: str
    npus: int
    system: str
    network: str
    published: int | None = None


def examples() -> Iterator[Example]:
    """Each once: the first name of equal inputs counts."""
    seen = set()
    for example in named_examples():
        inputs = (example.collective, example.npus, example.system, example.network)
        if inputs not in seen:
            seen.add(inputs)
            yield example


def named_examples() -> Iterator[Example]:
    yield Example("`tests/rt_template`", "all_reduce", 8, "tests/rt_template/inputs/system_cfg.json", "tests/rt_template/inputs/network_cfg.yml", 117_780)
    yield Example("`AllReduce_1MB` of its documents", "all_reduce", 8, SYSTEM, RINGS.format(8), 64_440)
    yield Example("`Ring_allgather_16npus.sh`", "all_gather", 16, SYSTEM, RINGS.format(16), 323_560)
    yield Example("`Ring_reducescatter_4npus.sh`", "reduce_scatter", 4, SYSTEM, RINGS.format(4))
    yield Example("`run_analytical_with_custom_collective.sh`", "all_reduce", 8, "examples/system/custom_collectives/custom_collective.json", RINGS.format(8))
    yield Example("`HGX-H100-validated.sh`", "all_reduce", 8, "examples/system/native_collectives/HGX-H100-validated.json",
                  "examples/network/analytical/HGX-H100-validated.yml")  # fmt: skip
    for collective in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        for npus in (4, 8, 16):
            yield Example(f"`{collective}`, `Ring_{npus}npus.yml`", collective, npus, SYSTEM, RINGS.format(npus))
    for name in OWN:
        npus = 8 if name.endswith("_8") else int(re.findall(r"(\d+)gpu", name)[0])
        yield Example(f"`inputs/…/{name}`", "all_reduce", npus, f"inputs/system/analytical/{name}.json", f"inputs/network/{name}.yml")


def formula_ns(example: Example, folder: Path, by_packets: bool) -> float | None:
    """None: no ring of one dimension with one chunk at a time."""
    system = json.loads((folder / example.system).read_text())
    network = dict(re.findall(r"^(\w+): *\[ *([^],]*?) *\]", (folder / example.network).read_text(), re.MULTILINE))
    words = system.get(f"{example.collective.replace('_', '-')}-implementation")
    if words != ["ring"] or network.get("topology") not in ("Ring", "Switch") or example.collective == "all_to_all" or system["active-chunks-per-dimension"] != 1:
        return None
    n, chunks, delay = example.npus, system["preferred-dataset-splits"], system["endpoint-delay"]
    links = 2 if network["topology"] == "Switch" else 1
    block = MIB / chunks / (1 if example.collective == "all_gather" else n)
    hop = block / (float(network["bandwidth"]) * GIB / 1e9)
    memory = block / system["local-mem-bw"]
    latency = float(network["latency"])
    adding, gathering = (n - 1 if example.collective != "all_gather" else 0), (n - 1 if example.collective != "reduce_scatter" else 0)
    if by_packets:
        steps, path = adding + gathering, links * latency
        return chunks * max(steps * hop + path, steps * path + hop)
    step = links * (int(hop) + latency) + delay
    return chunks * (delay + gathering * step + adding * (step + 3 * int(memory)))


class Table:
    def __init__(self, program: str, folder: Path, astra: str | None) -> None:
        self.runs, self.folder, self.astra = Runs("astra_sim", program), folder, astra

    def words(self, example: Example) -> list[str]:
        work = WORK.format(example.collective, example.npus)
        options = {"workload": work, "system": example.system, "network": example.network,
                   "remote-memory": "examples/remote_memory/analytical/no_memory_expansion.json"}  # fmt: skip
        return [f"--{name}-configuration={self.folder / file}" for name, file in options.items()]

    def cycles(self, example: Example, engine: str) -> float:
        run = self.runs.fredsim("astra", *self.words(example), "--engine", engine)["runs"][0]
        return max(rank["end_ns"] for rank in run["ranks"])

    def cycles_of_astra(self, example: Example) -> int | None:
        if not self.astra:
            return None
        done = subprocess.run([self.astra, *self.words(example)], cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True)
        return max(int(cycles) for cycles in re.findall(r"finished, (\d+) cycles", done.stdout))

    def rows(self) -> Iterator[list[object]]:
        for example in examples():
            formula, packets = (formula_ns(example, self.folder, by_packets) for by_packets in (False, True))
            flow, exact = (self.cycles(example, engine) for engine in ("flow", "exact"))
            measured = self.cycles_of_astra(example)
            theirs = example.published or measured or formula
            yield [example.name, example.published, *([measured] if self.astra else []), formula and f"{formula:.0f}", packets and f"{packets:.0f}",
                   f"{flow:.0f}", f"{exact:.0f}", theirs and f"{exact / theirs:.3f}", packets and f"{exact / packets:.3f}"]  # fmt: skip


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce astra_sim", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="checkout of github.com/astra-sim/astra-sim, commit 518bd51")
    parser.add_argument("--astra-sim", metavar="PROGRAM", help="its AstraSim_Analytical_Congestion_Aware")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    folder = options.folder.resolve()
    checkout.enter()
    program = checkout.programs({"fredsim": options.program}, "astra_sim")["fredsim"]
    table = Table(program, folder, options.astra_sim)
    head = ["example", "published", *(["ASTRA-sim"] if options.astra_sim else []), "formula", "by packets", "flow", "exact", "exact / ASTRA-sim", "exact / by packets"]
    markdown(head, list(table.rows()))
    return 0
