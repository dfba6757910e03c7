# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/studies/eflops.md: hdrm and halving_doubling on BiGraphs, flit by flit; rings over fat trees with hashed paths and shared
NICs, as flows.

Ratios of both are over bytes / rate. Random orders of ranks come from the seed of the paths. Commands go to standard error.
"""

import argparse
import json
import random
import resource
import statistics
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from . import checkout
from .runs import Runs
from .tables import markdown

SYSTEMS = "configs/systems/"
MIB = 2**20
MAPPED = 4 * MIB  # flit by flit
BYTES = 1024 * MIB
RATE = 12.5  # bytes/ns, a NIC
SHAPES = [(2, 4), (4, 8), (8, 16)]  # NPUs of a switch, switches
SHARING = [1, 2, 4, 8]  # NPUs to a NIC
NPUS, ON_EDGE = 128, 4  # the fat tree has


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/reproduce eflops", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100, help="of hashed paths (default 100)")
    parser.add_argument("--smoke", action="store_true", help="fewer sizes, for tests")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, help="the figures as JSON, too")
    return parser.parse_args(words)


def words_of(settings: Mapping[str, object]) -> list[str]:
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


class Times:
    """Times of all-reduces, in ns."""

    def __init__(self, program: str) -> None:
        self.runs = Runs("eflops", program, StringIO())

    def run(self, machine: str, algorithm: str, size: int, settings: Mapping[str, object], *words: str) -> float:
        return self.runs.fredsim("run", f"{SYSTEMS}{machine}.yaml", "--size", str(size), "--algorithm", algorithm, *words_of(settings),
                                 *words)["runs"][0]["time_ns"]  # fmt: skip

    def of(self, machine: str, algorithm: str, settings: Mapping[str, object], group: Sequence[int] = ()) -> float:
        ranks = ["--group", ",".join(map(str, group))] if group else []
        return self.run(machine, algorithm, BYTES, settings, "--engine", "flow", *ranks)

    def bigraph(self, algorithm: str, m: int, n: int) -> float:
        settings: dict[str, object] = {"fabric.upper": n // 2, "fabric.lower": n // 2, "fabric.npus_per_switch": m}
        return self.run("bigraph", algorithm, MAPPED, settings)


def at_full_rate(npus: int, size: int = BYTES) -> float:
    return 2 * (npus - 1) / npus * size / RATE


def mapping(times: Times, shapes: Sequence[tuple[int, int]]) -> list[list[object]]:
    rows: list[list[object]] = []
    for m, n in shapes:
        hdrm, plain, ring = (times.bigraph(algorithm, m, n) for algorithm in ("hdrm", "halving_doubling", "ring"))
        rows.append([f"({m}, {n})", m * n, f"{hdrm / 1e3:.1f}", f"{hdrm / at_full_rate(m * n, MAPPED):.3f}", f"{plain / 1e3:.1f}", f"{plain / hdrm:.2f}",
                     f"{ring / hdrm:.2f}"])  # fmt: skip
    return rows


def rings(times: Times, seeds: int) -> list[list[object]]:
    in_order = list(range(NPUS))
    across = [edge * ON_EDGE + place for place in range(ON_EDGE) for edge in range(NPUS // ON_EDGE)]
    rows: list[list[object]] = []
    for name, order in [("in order", in_order), ("one NPU of each edge switch after the other", across), ("random", None)]:
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        found = []
        for seed in range(1, seeds + 1):
            group = order or random.Random(seed).sample(in_order, NPUS)
            hashed = {"fabric.port_bandwidth": "12.5 GB/s", "fabric.paths": "hashed", "fabric.path_seed": seed}
            found.append(times.of("fat_tree", "ring", hashed, group) / at_full_rate(NPUS))
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
        low, median, high = statistics.quantiles(found, n=4)
        rows.append([name, *(f"{x:.2f}" for x in (min(found), low, median, high, max(found))), f"{seconds:.1f}"])
    return rows


def shared(times: Times, sharing: Sequence[int]) -> list[list[object]]:
    rows: list[list[object]] = []
    for npus in sharing:
        servers = {"fabric.levels.1.below": npus, "fabric.levels.2.below": 32 // npus}
        across = [nic * npus + place for place in range(npus) for nic in range(32 // npus)]
        found = [times.of("shared_nic", "ring", servers), times.of("shared_nic", "ring", servers, across)]
        found += [times.of("shared_nic", algorithm, servers) for algorithm in ("halving_doubling", "direct")]
        found += [times.of("shared_nic", algorithm, servers) for algorithm in ("hier_ring", "hier_direct") if npus > 1]
        rows.append([npus, *(f"{time / at_full_rate(32):.2f}" for time in found), *([None, None] if npus == 1 else [])])
    return rows


def main(words: Sequence[str]) -> int:
    options = arguments(words)
    checkout.enter()
    times = Times(checkout.programs({"fredsim": options.program}, "eflops")["fredsim"])
    shapes, sharing = (SHAPES[:-1], SHARING[-1:]) if options.smoke else (SHAPES, SHARING)
    tables = {"mapping": mapping(times, shapes), "rings": rings(times, options.seeds), "shared": shared(times, sharing)}
    markdown(["(m, n)", "NPUs", "`hdrm`, µs", "`hdrm` over bytes / rate", "`halving_doubling`, µs", "ratio", "`ring`, ratio"], tables["mapping"])
    markdown(["order of the ring", "min", "lower quartile", "median", "upper quartile", "max", f"processor time of {options.seeds}, s"], tables["rings"])
    markdown(["NPUs to a NIC", "`ring`", "`ring` across", "`halving_doubling`", "`direct`", "`hier_ring`", "`hier_direct`"], tables["shared"])
    if options.json:
        options.json.write_text(json.dumps(tables, indent=1) + "\n")
    return 0
