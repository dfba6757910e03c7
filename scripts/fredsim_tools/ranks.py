# SPDX-License-Identifier: Apache-2.0
"""Measures runs on several processes (docs/studies/processes.md) beside the same in one, and prints Markdown tables.

Each measurement is one command on one process and on each number of ranks, in turn, and that --repeat times; times are medians. Cycles must
be equal. Strong: the same machine. Weak: as many routers for each rank. Processor time is that of all ranks, memory the largest of one.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import checkout
from .tables import markdown

MESSAGES = re.compile(r"ranks: (\d+) exchanges, (\d+) messages of (\d+) bytes, up to ([\d.]+) s waited")


@dataclass(frozen=True)
class Measured:
    """One run: seconds of the command, of the simulation in it and of all processors; MB of the largest process; messages."""

    command_s: float
    simulation_s: float
    processor_s: float
    memory_mb: float
    cycles: int
    exchanges: int = 0
    messages: int = 0
    message_bytes: int = 0
    waited_s: float = 0


def grid(columns: int, rows: int) -> list[str]:
    """A mesh of twins without I/O controllers."""
    keys = {"fabric.width": columns, "fabric.height": rows, "npu.count": columns * rows, "io.count": 0}
    return ["configs/mesh.yaml", *(word for key, value in keys.items() for word in ("--set", f"{key}={value}"))]


def loads(smoke: bool, lanes: int) -> list[tuple[str, list[str]]]:
    """Title and command of each machine."""
    side, size = (8, "16KiB") if smoke else (64, "1MiB")
    rates = ["--rate", "0.02", "--warmup", "500", "--cycles", "200" if smoke else "4000"]
    some = [(f"{side} x {side} mesh, `multi_tree`, {size}", ["run", *grid(side, side), "--algorithm", "multi_tree", "--size", size]),
            (f"{side} x {side} mesh, uniform traffic", ["traffic", *grid(side, side), *rates])]  # fmt: skip
    if not smoke:
        some.append((f"Fred-D, RTL, {lanes} lanes, 4 MiB, every cycle",
                     ["run", "configs/fred_d.yaml", "--model", "rtl", "--lanes", str(lanes), "--size", "4MiB", "--no-skip"]))  # fmt: skip
    return some


def measure(program: str, ranks: int, words: Sequence[str]) -> Measured:
    """Ends the program where the command fails."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "results.json")
        launcher = [] if ranks == 1 else ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
        command = [*launcher, program, *words, "--json", str(out)]
        print("==", *command, file=sys.stderr, flush=True)
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        with Path(folder, "messages").open("w+", encoding="utf-8") as messages:
            begin = time.monotonic()
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages, env=environment) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.monotonic() - begin
            messages.seek(0)
            text = messages.read()
        if process.returncode:
            print(text, file=sys.stderr)
            sys.exit(f"ranks: exit code {process.returncode}")
        results = json.loads(out.read_text(encoding="utf-8"))
    run = results["runs"][0]
    counts = MESSAGES.search(text)
    numbers = [float(number) for number in counts.groups()] if counts else [0.0] * 4
    return Measured(wall, run["wall_s"], usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, run["cycles"],
                    int(numbers[0]), int(numbers[1]), int(numbers[2]), numbers[3])  # fmt: skip


def median(runs: Sequence[Measured], field: str) -> float:
    return statistics.median(getattr(run, field) for run in runs)


def rows_of(title: str, by_ranks: dict[int, list[Measured]]) -> list[list[str]]:
    """A row per number of ranks; ratios to the first."""
    first = next(iter(by_ranks.values()))
    rows = []
    for ranks, runs in by_ranks.items():
        simulation = median(runs, "simulation_s")
        rows.append([title if runs is first else "", str(ranks), f"{simulation:.2f}", f"{median(first, 'simulation_s') / simulation:.2f}",
                     f"{median(runs, 'command_s'):.2f}", f"{median(first, 'command_s') / median(runs, 'command_s'):.2f}",
                     f"{median(runs, 'processor_s'):.1f}", f"{median(runs, 'memory_mb'):.0f}",
                     f"{median(runs, 'memory_mb') / median(first, 'memory_mb'):.2f}",
                     "–" if ranks == 1 else f"{runs[0].exchanges}", "–" if ranks == 1 else f"{runs[0].message_bytes}",
                     "–" if ranks == 1 else f"{100 * median(runs, 'waited_s') / median(runs, 'command_s'):.0f} %"])  # fmt: skip
    return rows


HEAD = ["", "ranks", "simulation s", "ratio", "command s", "ratio", "processors s", "MB per rank", "ratio", "exchanges", "bytes/message", "waited"]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce ranks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="fredsim to run (default: build/fredsim, which is built)")
    parser.add_argument("--ranks", default="2", help="numbers of ranks, 2 or more, as 2,4 (default: 2)")
    parser.add_argument("--lanes", type=int, default=16, help="lanes of the RTL (default: 16; 256 builds for half an hour)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each command (default: 3)")
    parser.add_argument("--smoke", action="store_true", help="small machines")
    options = parser.parse_args(words)
    checkout.enter()
    program = checkout.programs({"fredsim": options.program}, "ranks")["fredsim"]
    if shutil.which("mpirun") is None:
        parser.error("found no mpirun; allowed: install one (Debian: openmpi-bin)")
    numbers = [1, *(int(number) for number in options.ranks.split(","))]
    rows = []
    for title, command in loads(options.smoke, options.lanes):
        by_ranks: dict[int, list[Measured]] = {ranks: [] for ranks in numbers}
        for _ in range(options.repeat):
            for ranks in numbers:
                by_ranks[ranks].append(measure(program, ranks, command))
        if len({run.cycles for runs in by_ranks.values() for run in runs}) != 1:
            sys.exit(f"ranks: {title}: cycles differ")
        rows += rows_of(title, by_ranks)
    print("Strong scaling\n")
    markdown(HEAD, rows)
    side, size = (4, "4KiB") if options.smoke else (32, "512KiB")
    weak = {ranks: [measure(program, ranks, ["run", *grid(side * ranks, side), "--algorithm", "multi_tree", "--size", size])
                    for _ in range(options.repeat)] for ranks in numbers if side * ranks <= 64}  # fmt: skip
    print("Weak scaling\n")
    markdown([*HEAD[:3], "cycles", "ms per cycle"],
             [[f"{side} x {side} routers per rank, {size}", str(ranks), f"{median(runs, 'simulation_s'):.2f}", str(runs[0].cycles),
               f"{1000 * median(runs, 'simulation_s') / runs[0].cycles:.3f}"] for ranks, runs in weak.items()])  # fmt: skip
    return 0
