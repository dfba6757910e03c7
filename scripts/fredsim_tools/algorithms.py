# SPDX-License-Identifier: Apache-2.0
"""Every algorithm of every collective beside the one that `auto` takes: cycles, simulated, and how far `auto` is from the best.

    scripts/reproduce algorithms [--machines mesh,fred_a] [--collectives all_reduce] [--sizes 1,64KiB,4MiB] [--groups all,0-3]

A line per machine, collective, group and size; algorithms that a machine or group does not have are left out. At the end: in how many
lines `auto` is within 10 % of the best, and the worst. Exit code 1 when that is fewer than 95 % of the lines, or one beyond 1.3 times.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from . import checkout
from .runs import Runs

ALGORITHMS = ["in_switch", "multi_tree", "hier_direct", "direct", "tree", "halving_doubling", "hier_ring", "ring", "chain"]
NEAR, FAR, SHARE = 1.1, 1.3, 0.95


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/reproduce algorithms", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", default="mesh,torus,mesh_reducing,fred_a,fred_b,fred_c,fred_d", help="files in configs/")
    parser.add_argument("--collectives", default="all_reduce,reduce_scatter,all_gather,reduce,broadcast")
    parser.add_argument("--sizes", default="1,4KiB,64KiB,512KiB,4MiB")
    parser.add_argument("--groups", default="all;0-3;0,4,8,12,16", help="separated by semicolons")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, help="the figures as JSON, too")
    return parser.parse_args(words)


def run(runs: Runs, machine: str, collective: str, group: str, size: str, algorithm: str) -> tuple[str, int] | None:
    """(algorithm, cycles), or None where it does not exist."""
    result = runs.attempt("run", f"configs/{machine}.yaml", "--collective", collective, "--group", group, "--size", size,
                          "--algorithm", algorithm)  # fmt: skip
    return (result["algorithm"], result["cycles"]) if result else None


def main(words: Sequence[str]) -> int:
    options = arguments(words)
    checkout.enter()
    runs = Runs("algorithms", checkout.programs({"fredsim": options.program}, "algorithms")["fredsim"])
    lines = []
    for machine in options.machines.split(","):
        for collective in options.collectives.split(","):
            for group in options.groups.split(";"):
                for size in options.sizes.split(","):
                    found: dict[str, int] = {}
                    for algorithm in ALGORITHMS:
                        if (result := run(runs, machine, collective, group, size, algorithm)) is not None:
                            found[result[0]] = result[1]
                    if (result := run(runs, machine, collective, group, size, "auto")) is None:
                        runs.fail(f"{machine}, {collective}, group {group}, {size}: refused with the algorithm auto")
                    chosen, cycles = result
                    best = min(found, key=found.__getitem__)
                    ratio = cycles / found[best]
                    lines.append({"machine": machine, "collective": collective, "group": group, "size": size, "auto": chosen,
                                  "cycles": cycles, "best": best, "ratio": ratio, "algorithms": found})
                    others = "  ".join(f"{name} {value}" for name, value in sorted(found.items(), key=lambda item: item[1]))
                    print(f"{machine:<14} {collective:<14} {group:<12} {size:>7}  auto: {chosen:<11} {ratio:5.2f}   {others}", flush=True)
    near = sum(line["ratio"] <= NEAR for line in lines)
    worst = max(line["ratio"] for line in lines)
    print(f"auto within 10 % of the best in {near} of {len(lines)}, the worst is {worst:.2f} times the best")
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")
    return 0 if near >= SHARE * len(lines) and worst <= FAR else 1
