# SPDX-License-Identifier: Apache-2.0
"""Random works against the error that --engine flow states for them: how many are within it, and the margin that a statement needs beyond measured errors.

Sizes between the sizes of a calibration file; works some of whose operations repeat; iterations of training. Each is run by both engines, on
small machines of all kinds of switches, from a seed. A time that is that of an exact run counts, too: its error is none.
"""

import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .tables import markdown

Json = dict[str, Any]
COLLECTIVES = ["all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "all_to_all", "gather", "scatter"]
QUANTILES = (0.5, 0.9, 0.95, 0.975, 1)
CPU_LIMIT = 20  # seconds of processor time of a command


@dataclass
class Stated:
    """A work: the error of its time and its stated error, in percent; of training also the largest difference of a part of the breakdown,
    in percent of the iteration, and how many parts are outside of their stated error."""

    kind: str
    work: str
    real: float
    stated: float
    part: float = 0
    parts: int = 0
    parts_beyond: int = 0
    beyond: list[Json] = field(default_factory=list)

    @property
    def is_within(self) -> bool:
        return self.real <= self.stated


def random_machine(numbers: random.Random) -> tuple[str, list[str], int]:
    """Its name, settings and NPUs."""
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
    return machine, [word for setting in settings for word in ("--set", setting)], npus


def random_group(numbers: random.Random, npus: int) -> str:
    return ",".join(map(str, sorted(numbers.sample(range(npus), numbers.randint(2, npus)))))


class Program:
    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder

    def run(self, *words: str) -> Json | None:
        """The only run of a command; None: refused, or it takes long."""
        done = subprocess.run(["prlimit", f"--cpu={CPU_LIMIT}", self.program, *words, "--quiet", "--json", "-"], capture_output=True, text=True)
        if done.returncode in (2, 3) or done.returncode < 0:
            return None
        if done.returncode:
            sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)["runs"][0]

    def both(self, words: Sequence[str], of_flow: Sequence[str] = ()) -> tuple[Json, Json] | None:
        """An exact run, and flows with a stated error."""
        exact = self.run(*words)
        flow = self.run(*words, "--engine", "flow", *of_flow) if exact else None
        return (exact, flow) if exact and flow and flow["error"] else None

    def text(self, name: str, text: str) -> str:
        file = self.folder / name
        file.write_text(text)
        return str(file)


def shown(words: Sequence[str]) -> str:
    return " ".join(words).replace("--set ", "").replace("configs/", "").replace(".yaml", "")


def between_sizes(program: Program, numbers: random.Random) -> Stated | None:
    machine, settings, npus = random_machine(numbers)
    size = round(2 ** numbers.uniform(15, 21.5))
    words = [f"configs/{machine}.yaml", "--collective", numbers.choice(COLLECTIVES), "--algorithm", numbers.choice(["auto", "paper", "ring", "tree", "direct"]),
             "--group", random_group(numbers, npus), *settings]  # fmt: skip
    file = program.folder / "calibration.json"
    file.unlink(missing_ok=True)
    done = subprocess.run(["prlimit", f"--cpu={CPU_LIMIT}", program.program, "calibrate", *words, "-b", str(size), "-e", str(size), "--quiet", "--out",
                           str(file)], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return None
    runs = program.both(["run", *words, "--size", str(size)], ["--calibration", str(file)])
    if not runs or runs[1]["error"]["sizes"] == [size]:
        return None
    exact, flow = runs
    return Stated("between sizes", f"{shown(words)}, {size}", 100 * abs(flow["cycles"] / exact["cycles"] - 1), flow["error"]["worst_percent"])


def repeated(program: Program, numbers: random.Random) -> Stated | None:
    machine, settings, npus = random_machine(numbers)
    steps = numbers.randint(1, 4)
    text = ""
    for step in range(steps):
        text += f"- name: s{step}\n  collective: {numbers.choice(COLLECTIVES[:6])}\n  groups: [[{random_group(numbers, npus)}]]\n"
        text += f"  size: {round(2 ** numbers.uniform(14, 19))}\n  priority: {numbers.choice(['mp', 'pp', 'dp'])}\n"
        if step == 0 or numbers.random() < 0.4:
            text += f"  repeat: {numbers.randint(2, 12)}\n"
        if step > 0 and numbers.random() < 0.5:
            text += f"  after: s{numbers.randrange(step)}\n"
        if numbers.random() < 0.5:
            text += f"  delay: {numbers.randint(1, 2000)}\n"
    words = ["run", f"configs/{machine}.yaml", "--work", program.text("work.yaml", text), *settings]
    runs = program.both(words)
    if not runs:
        return None
    exact, flow = runs
    return Stated("repeated", f"{shown(words)}\n{text}", 100 * abs(flow["cycles"] / exact["cycles"] - 1), flow["error"]["worst_percent"])


def training(program: Program, numbers: random.Random) -> Stated | None:
    machine, settings, npus = random_machine(numbers)
    text = f"name: random\nsample: {numbers.randint(1, 16)} KiB\nlayers:\n"
    for layer in range(numbers.randint(2, 4)):
        text += (f"  - {{name: l{layer}, repeat: {numbers.randint(1, 2)}, parameters: {round(2 ** numbers.uniform(11, 16))}, flops: "
                 f"{round(2 ** numbers.uniform(22, 28))}, output: {numbers.randint(1, 32)} KiB, reduces: {numbers.choice(['true', 'false'])}}}\n")  # fmt: skip
    shapes = [(mp, dp, pp) for mp in range(1, 5) for dp in range(1, 9) for pp in range(1, 4) if 2 <= mp * dp * pp <= npus]
    mp, dp, pp = numbers.choice(shapes)
    words = ["train", f"configs/{machine}.yaml", "--workload", program.text("model.yaml", text), "--mp", str(mp), "--dp", str(dp), "--pp", str(pp),
             "--samples", str(numbers.choice([2, 4])), "--iterations", "2", "--algorithm", numbers.choice(["paper", "auto"]), "--seed", "1"]  # fmt: skip
    if pp > 1:
        words += ["--microbatches", "2"]
    if numbers.random() < 0.5:
        words += ["--accounting", "overlap"]
    else:
        words += ["--gradients", numbers.choice(["layer", "bucket=64KiB", "zero2=16KiB"])]
    words += settings
    runs = program.both(words)
    if not runs:
        return None
    exact, flow = runs
    iteration = exact["iteration_ns"]
    found = Stated("training", f"{shown(words)}\n{text}", 100 * abs(flow["iteration_ns"] / iteration - 1), flow["error"]["mean_percent"])
    stated = flow.get("breakdown_error_percent", {})
    for name, ns in exact["breakdown_ns"].items():
        off = abs(flow["breakdown_ns"][name] - ns)
        found.part = max(found.part, 100 * off / iteration)
        if stated.get(name) is None:
            continue
        found.parts += 1
        if off > stated[name] / 100 * ns + 1e-9:
            found.parts_beyond += 1
            found.beyond.append({"part": name, "exact_ns": ns, "flow_ns": flow["breakdown_ns"][name], "stated_percent": stated[name]})
    return found


KINDS: dict[str, Callable[[Program, random.Random], Stated | None]] = {
    "between sizes": between_sizes,
    "repeated": repeated,
    "training": training,
}


def of_stated(program: str, works: int, seed: int, keep: Path | None = None) -> list[Stated]:
    """The kinds in turn."""
    found: list[Stated] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, (name, make) in enumerate(KINDS.items()):
            numbers = random.Random(f"{seed} {name}")
            wanted = len(found) + (works + len(KINDS) - 1 - kind) // len(KINDS)
            while len(found) < wanted:
                one = make(Program(program, Path(folder)), numbers)
                if one is None:
                    continue
                found.append(one)
                if keep:
                    with keep.open("a") as file:
                        file.write(json.dumps(asdict(one)) + "\n")
    return found


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)] if ordered else 0


def stated_table(works: Sequence[Stated], seed: int) -> None:
    print(f"{len(works)} random works beside what is stated for them, seed {seed}:\n")
    rows = []
    for name in [*KINDS, "all"]:
        of = [one for one in works if name in (one.kind, "all")]
        if of:
            within = sum(one.is_within for one in of)
            rows.append([name, len(of), *(f"{quantile([one.real for one in of], q):.2f} %" for q in QUANTILES), f"{within} = {100 * within / len(of):.1f} %"])
    markdown(["", "works", *(f"error, {100 * q:g} % of them within" for q in QUANTILES), "within what is stated"], rows)
    of = [one for one in works if one.kind == "training"]
    parts, beyond = sum(one.parts for one in of), sum(one.parts_beyond for one in of)
    print(f"Parts of breakdowns: {parts}, farther off than stated: {beyond}. Largest difference of a part, in percent of the iteration:",
          ", ".join(f"{quantile([one.part for one in of], q):.2f} ({100 * q:g} %)" for q in QUANTILES) + ".\n")  # fmt: skip
    print("What a statement has to have beyond what is measured, percent:",
          "; ".join(f"{name}: " + ", ".join(f"{quantile([one.real - one.stated for one in works if one.kind == name], q):.2f} ({100 * q:g} %)"
                                            for q in QUANTILES) for name in KINDS) + ".\n")  # fmt: skip
