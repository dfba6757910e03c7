# SPDX-License-Identifier: Apache-2.0
"""Measures the error of --engine flow against --engine exact, and prints Markdown tables.

Machines of configs/: every collective by every algorithm that it has there, over all NPUs, at sizes that their calibration file does not have.
Random: works on small machines of all kinds of switches, from a seed, likewise. A work whose exact runs take longer than --limit seconds of
processor time is left out, and counted. Stated: random works of all kinds that have a stated error (flow_stated.py).
Commands go to standard error. Times are simulated, and the same on every machine.
"""

import argparse
import csv
import io
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import checkout
from .flow_stated import COLLECTIVES, of_stated, random_group, random_machine, shown, stated_table
from .runs import Runs
from .tables import KIB, MIB, markdown, size

MACHINES = ["mesh_2x2", "fred_small", "fred_64", "fully_connected", "mesh", "mesh_reducing", "torus", "torus3d", "fred_a", "fred_b", "fred_c",
            "fred_d"]  # fmt: skip
ALGORITHMS = ["ring", "hier_ring", "chain", "tree", "direct", "hier_direct", "multi_tree", "edge_tree", "in_switch"]
SWEEPS = [(96 * KIB, 1536 * KIB), (6 * MIB, 24 * MIB)]  # four times from a size to the next
AIMS = [(64 * KIB, 10), (MIB, 3), (16 * MIB, 1)]  # from a size on, percent
REFUSED = (2, 3)  # exit codes: bad input, no routing
WORST = 10
PICTURE = Path("docs/studies/pictures/flow_error.svg")
CALIBRATING = 10  # max time of exact runs of other sizes, relative to the limit

Rows = list[tuple[int, int, float]] | None


@dataclass(frozen=True)
class Error:
    """A work by flows against its exact run."""

    work: str
    size: int
    exact: int
    flow: int
    stated: float | None  # percent, the largest one measured at other sizes

    @property
    def percent(self) -> float:
        return 100 * (self.flow / self.exact - 1)


class Measurement:
    """Runs of both engines, kept in a file, if there is one, and then not repeated."""

    def __init__(self, runs: Runs, limit: int, keep: Path | None) -> None:
        self.runs, self.limit, self.keep = runs, limit, keep
        self.kept: dict[str, Rows] = {}
        if keep and keep.exists():
            for line in keep.read_text().splitlines():
                entry = json.loads(line)
                self.kept[entry["command"]] = entry["rows"]
        self.left_out = 0

    def _run(self, words: Sequence[str], limit: int) -> Rows:
        """Size, cycles and error stated; none: refused; None: it takes too long."""
        command = [self.runs.program, *words, "--quiet", "--format", "csv"]
        print("==", *command, file=self.runs.announced, flush=True)
        done = subprocess.run(["prlimit", f"--cpu={limit}", *command], capture_output=True, text=True)
        if done.returncode in REFUSED:
            return []
        if done.returncode < 0:
            return None
        if done.returncode:
            self.runs.fail(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        return [(int(row["size_bytes"]), int(row["cycles"]), float(row.get("error_worst_percent") or "nan"))
                for row in csv.DictReader(io.StringIO(done.stdout))]  # fmt: skip

    def _rows(self, words: Sequence[str], limit: int) -> Rows:
        key = " ".join(words)
        if key not in self.kept:
            self.kept[key] = self._run(words, limit)
            if self.keep:
                with self.keep.open("a") as file:
                    file.write(json.dumps({"command": key, "rows": self.kept[key]}) + "\n")
        return self.kept[key]

    def _flow_rows(self, words: Sequence[str], sizes: tuple[int, int]) -> Rows:
        """Flows with their own calibration file. `words`: arguments without the command and sizes."""
        key = " ".join(["flow", *words, *map(str, sizes)])
        if key not in self.kept:
            with tempfile.TemporaryDirectory() as folder:
                file = f"{folder}/calibration.json"
                command = [self.runs.program, "calibrate", *words, "-b", str(sizes[0]), "-e", str(sizes[1]), "--quiet", "--out", file]
                print("==", *command, file=self.runs.announced, flush=True)
                done = subprocess.run(["prlimit", f"--cpu={CALIBRATING * self.limit}", *command], capture_output=True, text=True)
                by_file = ["run", *words, "-b", str(sizes[0]), "-e", str(sizes[1]), "-f", "4", "--engine", "flow", "--calibration", file]
                self.kept[key] = self._run(by_file, self.limit) if done.returncode == 0 else None
        return self.kept[key]

    def errors(self, work: str, words: Sequence[str], sizes: tuple[int, int]) -> list[Error]:
        """From a size to another, four times as large each; none where it is refused or takes too long."""
        exact = self._rows(["run", *words, "-b", str(sizes[0]), "-e", str(sizes[1]), "-f", "4"], self.limit)
        flow = self._flow_rows(words, sizes) if exact else []
        if exact is None or flow is None:
            self.left_out += 1
            return []
        cycles = {n: time for n, time, _ in exact}
        return [Error(work, n, cycles[n], time, None if math.isnan(stated) else stated) for n, time, stated in flow]


def of_configs(measurement: Measurement, machines: Sequence[str], sweeps: Sequence[tuple[int, int]]) -> dict[str, list[Error]]:
    """Errors of each machine."""
    found: dict[str, list[Error]] = {}
    for sizes in sweeps:
        for machine in machines:
            for collective in COLLECTIVES:
                for algorithm in ALGORITHMS:
                    words = [f"configs/{machine}.yaml", "--collective", collective, "--algorithm", algorithm]
                    found.setdefault(machine, []).extend(measurement.errors(f"{machine}, {collective}, {algorithm}", words, sizes))
    return found


def random_command(numbers: random.Random) -> tuple[list[str], int]:
    """A work on a small machine, and its size."""
    machine, settings, npus = random_machine(numbers)
    words = [f"configs/{machine}.yaml", "--collective", numbers.choice(COLLECTIVES), "--algorithm", numbers.choice(["auto", "auto", "paper", "ring", "tree",
             "direct"]), "--group", random_group(numbers, npus), *settings]  # fmt: skip
    return words, round(2 ** numbers.uniform(16, 24))


def of_random(measurement: Measurement, works: int, seed: int) -> list[Error]:
    numbers = random.Random(seed)
    found: list[Error] = []
    while len(found) < works:
        words, bytes_ = random_command(numbers)
        found += measurement.errors(shown(words), words, (bytes_, bytes_))
    return found


def aim(bytes_: int) -> int:
    return max(AIMS, key=lambda pair: (pair[0] <= bytes_, pair[0] if pair[0] <= bytes_ else 0))[1]


def table(title: str, groups: dict[str, list[Error]]) -> None:
    """Mean and largest error by size, of groups of works; uncalibrated works, without a stated error, are counted."""
    rows = []
    for name, errors in groups.items():
        for first, percent in AIMS:
            at = [e for e in errors if aim(e.size) == percent]
            known = [(abs(e.percent), e.stated) for e in at if e.stated is not None]
            if known:
                rows.append([name, f"from {size(first)}", len(known), f"{sum(p for p, _ in known) / len(known):.2f} %", f"{max(known)[0]:.1f} %",
                             f"{percent} %", sum(p > percent for p, _ in known), sum(p > max(stated, 0.1) for p, stated in known),
                             len(at) - len(known)])  # fmt: skip
    print(f"{title}:\n")
    markdown(["", "sizes", "runs", "mean error", "largest", "aim", "beyond it", "beyond the error stated", "unmeasured, beside these"], rows)


def worst(title: str, errors: Sequence[Error]) -> None:
    print(f"{title}:\n")
    markdown(["work", "size", "exact, cycles", "flow", "error", "stated"],
             [[e.work, e.size, e.exact, e.flow, f"{e.percent:+.1f} %", f"± {e.stated:.1f} %"]
              for e in sorted((e for e in errors if e.stated is not None), key=lambda e: -abs(e.percent) / aim(e.size))[:WORST]])  # fmt: skip


def histogram(errors: Sequence[Error], file: Path) -> None:
    from .plots import pyplot, save  # needs matplotlib

    edges = [-10, -5, -3, -2, -1, -0.5, -0.2, 0.2, 0.5, 1, 2, 3, 5, 10]
    names = ["<−10", *(f"{low:g} … {high:g}".replace("-", "−") for low, high in zip(edges, edges[1:])), ">10"]
    figure, axes = pyplot.subplots(figsize=(9, 4), layout="constrained")
    bottom = [0] * len(names)
    for first, percent in AIMS:
        counts = [0] * len(names)
        for e in errors:
            if aim(e.size) == percent:
                counts[sum(e.percent >= edge for edge in edges)] += 1
        axes.bar(names, counts, bottom=bottom, label=f"from {size(first)}")
        bottom = [below + count for below, count in zip(bottom, counts)]
    axes.set_xlabel("error of flows, % of the exact time")
    axes.set_ylabel("works")
    axes.tick_params(axis="x", rotation=60)
    axes.legend()
    save(figure, file, kinds=("svg",))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce flow_error", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--machines", nargs="*", default=MACHINES, metavar="NAME", help="of configs/ (default: all)")
    parser.add_argument("--works", type=int, default=500, metavar="N", help="random ones (default 500)")
    parser.add_argument("--stated", type=int, default=500, metavar="N", help="random ones of all kinds that have a stated error (default 500)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of these (default 1)")
    parser.add_argument("--limit", type=int, default=60, metavar="S", help="seconds of processor time of the exact runs of a work (default 60)")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="runs are kept there, and not repeated: of one program")
    parser.add_argument("--plot", action="store_true", help=f"draws {PICTURE}, a histogram of the random works")
    parser.add_argument("--smoke", action="store_true", help="few and small ones, for tests")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    checkout.enter()
    programs = checkout.programs({"fredsim": options.program}, "flow_error", ["python3-matplotlib"] if options.plot else [])
    measurement = Measurement(Runs("flow_error", programs["fredsim"]), options.limit, options.keep)
    machines, sweeps, count, stated = (["mesh_2x2"], SWEEPS[:1], 3, 3) if options.smoke else (options.machines, SWEEPS, options.works, options.stated)
    if machines:
        found = of_configs(measurement, machines, sweeps)
        everything = [e for errors in found.values() for e in errors]
        table("Machines of configs/", {"all": everything, **found})
        worst("Those farthest beyond the aim", everything)
        print(f"Left out: {measurement.left_out} works whose exact runs take longer than {options.limit} s of processor time.\n")
    if count:
        errors = of_random(measurement, count, options.seed)
        table(f"{len(errors)} random works, seed {options.seed}", {"random": errors})
        worst("Those farthest beyond the aim", errors)
        if options.plot:
            histogram(errors, PICTURE.with_suffix(""))
    if stated:
        stated_table(of_stated(programs["fredsim"], stated, options.seed), options.seed)
    sys.stdout.flush()
    return 0
