# SPDX-License-Identifier: Apache-2.0
"""Measures the error of --engine flow against --engine exact, and prints Markdown tables.

Machines of configs/: every collective by every algorithm that it has there, over all NPUs, at sizes that flows are not calibrated with.
Groups: two to eight collectives at the same time, on NPUs apart, crossing and shared, each beginning some cycles after the one before.
Random: works on small machines of all kinds of switches, from a seed. A work whose exact runs take longer than --limit seconds of
processor time is left out, and counted. Commands go to standard error. Times are simulated, and the same on every machine.
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
from .runs import Runs
from .tables import KIB, MIB, markdown, size

MACHINES = ["mesh_2x2", "fred_small", "fred_64", "fully_connected", "mesh", "mesh_reducing", "torus", "torus3d", "fred_a", "fred_b", "fred_c",
            "fred_d"]  # fmt: skip
COLLECTIVES = ["all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "all_to_all", "gather", "scatter"]
ALGORITHMS = ["ring", "hier_ring", "chain", "tree", "direct", "hier_direct", "multi_tree", "edge_tree", "in_switch"]
SWEEPS = [(96 * KIB, 1536 * KIB), (6 * MIB, 24 * MIB)]  # four times from a size to the next
AIMS = [(64 * KIB, 10), (MIB, 3), (16 * MIB, 1)]  # from a size on, percent
REFUSED = (2, 3)  # exit codes: bad input, no routing
WORST = 10
GROUP_MACHINES = ["mesh", "torus", "fred_a", "fred_b", "fred_c", "fred_d"]  # of 20 NPUs
GROUP_COLLECTIVES = ["all_reduce", "all_to_all", "all_gather"]
GROUP_COUNTS = [2, 4, 8]
GROUP_SIZE = 1434 * KIB  # not calibrated with
GROUP_ORDERS = {"start": "planned together", "delay": "one by one"}  # keys of work files
STAGGER = 150, 110  # cycles from a begin to the next: so many, and up to so many more
PICTURE = Path("docs/studies/pictures/flow_error.svg")
CALIBRATING = 10  # flows make exact runs of their own, of other sizes: of so many times the limit

Rows = list[tuple[int, int, float]] | None


@dataclass(frozen=True)
class Error:
    """A work by flows against its exact run."""

    work: str
    size: int
    exact: int
    flow: int
    stated: float | None  # percent, the largest that was measured at other sizes

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

    def _rows(self, words: Sequence[str], limit: int, folder: str) -> Rows:
        key = " ".join(word.removeprefix(folder) for word in words)
        if key not in self.kept:
            self.kept[key] = self._run(words, limit)
            if self.keep:
                with self.keep.open("a") as file:
                    file.write(json.dumps({"command": key, "rows": self.kept[key]}) + "\n")
        return self.kept[key]

    def errors(self, work: str, words: Sequence[str], folder: str = "") -> list[Error]:
        """At the sizes of a command; none where it is refused or takes too long. `folder`: of files that the command reads, which is
        another one each time."""
        exact = self._rows(words, self.limit, folder)
        flow = self._rows([*words, "--engine", "flow"], CALIBRATING * self.limit, folder) if exact else []
        if exact is None or flow is None:
            self.left_out += 1
            return []
        cycles = {n: time for n, time, _ in exact}
        return [Error(work, n, cycles[n], time, None if math.isnan(stated) else stated) for n, time, stated in flow]


def of_configs(measurement: Measurement, machines: Sequence[str], sweeps: Sequence[tuple[int, int]]) -> dict[str, list[Error]]:
    """By machine."""
    found: dict[str, list[Error]] = {}
    for first, last in sweeps:
        for machine in machines:
            for collective in COLLECTIVES:
                for algorithm in ALGORITHMS:
                    words = ["run", f"configs/{machine}.yaml", "--collective", collective, "--algorithm", algorithm, "-b", str(first), "-e", str(last),
                             "-f", "4"]  # fmt: skip
                    found.setdefault(machine, []).extend(measurement.errors(f"{machine}, {collective}, {algorithm}", words))
    return found


def groups(layout: str, count: int) -> list[list[int]]:
    """Groups of 20 NPUs: side by side, such that their paths cross, or that NPUs are in several."""
    if layout == "apart":
        each = 20 // count
        return [list(range(each * i, each * (i + 1))) for i in range(count)]
    if layout == "crossing":
        return [[i, i + 8] for i in range(8)] if count == 8 else [list(range(i, 20, count)) for i in range(count)]
    if count == 8:
        return [sorted((2 * i + n) % 20 for n in (0, 3, 7)) for i in range(8)]
    return [sorted((20 // count * i + n) % 20 for n in range(24 // count)) for i in range(count)]


def group_work(collective: str, layout: str, count: int, key: str) -> str:
    """A work file."""
    numbers = random.Random(count)
    text, begin = "", 1
    for group in groups(layout, count):
        text += f"- collective: {collective}\n  groups: [{group}]\n  {key}: {begin}\n"
        begin += STAGGER[0] + numbers.randint(0, STAGGER[1])
    return text


def of_groups(measurement: Measurement, machines: Sequence[str], collectives: Sequence[str], counts: Sequence[int]) -> dict[str, list[Error]]:
    """By machine and by what the work file says of their order."""
    found: dict[str, list[Error]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for machine in machines:
            for key, order in GROUP_ORDERS.items():
                for collective in collectives:
                    for layout in ("apart", "crossing", "sharing"):
                        for count in counts:
                            file = Path(folder) / f"{collective}_{layout}_{count}_{key}.yaml"
                            file.write_text(group_work(collective, layout, count, key))
                            words = ["run", f"configs/{machine}.yaml", "--work", str(file), "--size", str(GROUP_SIZE)]
                            errors = measurement.errors(f"{machine}, {count} {collective} {layout}, {order}", words, folder + "/")
                            found.setdefault(f"{machine}, {order}", []).extend(errors)
    return found


def random_command(numbers: random.Random) -> list[str]:
    """A work on a small machine."""
    settings: list[str]
    if numbers.random() < 0.4:
        machine = numbers.choice(["mesh", "mesh_reducing", "torus"])
        columns, rows = numbers.randint(2, 4), numbers.randint(2, 4)
        npus = columns * rows
        settings = [f"fabric.width={columns}", f"fabric.height={rows}"]
    else:
        machine = "fred_d"
        chiplets, below, slices, middle = numbers.randint(2, 3), numbers.randint(1, 4), numbers.randint(1, 2), numbers.randint(1, 2)
        npus = chiplets * below
        rate = numbers.choice([768, 600, 576, 384, 192])
        settings = [f"switch.kind={numbers.choice(['fred', 'reducing_crossbar', 'aggregator', 'voq_crossbar'])}",
                    f"npu.bandwidth={slices * rate} GB/s", f"fabric.l1_switches={chiplets}", f"fabric.npus_per_l1={below}",
                    f"fabric.slices={slices}", f"fabric.uplinks={middle}", f"fabric.l2_chiplets_per_slice={middle}",
                    f"fabric.uplink_bandwidth={slices * middle * numbers.choice([768, 600, 576, 384, 192])} GB/s"]  # fmt: skip
    settings += [f"npu.count={npus}", "io.count=0", f"fabric.link_latency={numbers.randint(1, 30)} ns"]
    collective = numbers.choice(COLLECTIVES)
    members = sorted(numbers.sample(range(npus), numbers.randint(2, npus)))
    words = ["run", f"configs/{machine}.yaml", "--collective", collective, "--algorithm", numbers.choice(["auto", "auto", "paper", "ring", "tree",
             "direct"]), "--group", ",".join(map(str, members)), "--size", str(round(2 ** numbers.uniform(16, 24)))]  # fmt: skip
    for setting in settings:
        words += ["--set", setting]
    return words


def of_random(measurement: Measurement, works: int, seed: int) -> list[Error]:
    numbers = random.Random(seed)
    found: list[Error] = []
    while len(found) < works:
        words = random_command(numbers)
        shown = " ".join(words[1:]).replace("configs/", "").replace(".yaml", "").replace("--set ", "")
        found += measurement.errors(shown, words)
    return found


def aim(bytes_: int) -> int:
    return max(AIMS, key=lambda pair: (pair[0] <= bytes_, pair[0] if pair[0] <= bytes_ else 0))[1]


def table(title: str, groups: dict[str, list[Error]]) -> None:
    """Mean and largest error by size, of groups of works; those without a stated error, which are not calibrated, are counted."""
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
    parser.add_argument("--groups", nargs="*", default=GROUP_MACHINES, metavar="NAME", help="machines of several groups (default: those of 20 NPUs)")
    parser.add_argument("--works", type=int, default=500, metavar="N", help="random ones (default 500)")
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
    machines, sweeps, count = (["mesh_2x2"], SWEEPS[:1], 3) if options.smoke else (options.machines, SWEEPS, options.works)
    if machines:
        found = of_configs(measurement, machines, sweeps)
        everything = [e for errors in found.values() for e in errors]
        table("Machines of configs/", {"all": everything, **found})
        worst("Those farthest beyond the aim", everything)
        print(f"Left out: {measurement.left_out} works whose exact runs take longer than {options.limit} s of processor time.\n")
    group_machines = ["mesh"] if options.smoke else options.groups
    if group_machines:
        found = of_groups(measurement, group_machines, GROUP_COLLECTIVES[-1:] if options.smoke else GROUP_COLLECTIVES,
                          GROUP_COUNTS[:1] if options.smoke else GROUP_COUNTS)  # fmt: skip
        everything = [e for errors in found.values() for e in errors]
        table("Groups at the same time", {"all": everything, **found})
        worst("Those farthest beyond the aim", everything)
    if count:
        errors = of_random(measurement, count, options.seed)
        table(f"{len(errors)} random works, seed {options.seed}", {"random": errors})
        worst("Those farthest beyond the aim", errors)
        if options.plot:
            histogram(errors, PICTURE.with_suffix(""))
    sys.stdout.flush()
    return 0
