# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/studies/pytorch.md: recorded steps of PyTorch beside simulated ones, on links like their machines' and on wafers.

FOLDER has the files of two repositories of Meta (MIT licence), as they are there:
  dlrm/worker*.json.gz, dlrm/dlrm_eg_RANK.json.gz   facebookresearch/param, et_replay/tests/inputs, commit 1e115ff
  nccl_data.json.gz                                 facebookresearch/HolisticTraceAnalysis, tests/data, commit f4d0062

Times are in µs. Commands go to standard error.
"""

import argparse
import csv
import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import checkout
from .runs import Runs, exposed_ns
from .tables import lines_of, markdown, put_into

PAGE = Path("docs/studies/pytorch.md")
CUBE, MESH, FRED_A, FRED_D = "configs/systems/hybrid_cube.yaml", "configs/mesh.yaml", "configs/fred_a.yaml", "configs/fred_d.yaml"
OVERHEAD = "7 us"  # software of a collective on the cube, fitted to the all-to-all of 192 B
STEPS = (4, 5, 6)  # recorded of ResNet-50
LARGEST = 31502336  # bytes of its largest all-reduce, to which the slow links are fitted

Event = dict[str, Any]


@dataclass(frozen=True)
class Simulated:
    """A trace on a machine: step, mean exposed communication, and the time of each collective once its last rank has come, at rank 0."""

    step: float
    exposed: float
    collectives: list[float]

    @property
    def transfers(self) -> float:
        return sum(self.collectives)


def events_of(file: Path) -> list[Event]:
    with gzip.open(file, "rt") as text:
        return json.load(text)["traceEvents"]


def step_of(events: Sequence[Event], number: int | None = None) -> Event:
    wanted = "ProfilerStep#" + ("" if number is None else str(number))
    return next(event for event in events if str(event.get("name", "")).startswith(wanted) and event.get("cat") == "user_annotation")


def spans_of_collectives(events: Sequence[Event]) -> list[tuple[float, float]]:
    """Begins and ends of NCCL's kernels, in order."""
    kernels = [event for event in events if event.get("cat") == "kernel" and "nccl" in event["name"].lower()]
    return sorted((float(event["ts"]), float(event["ts"]) + float(event["dur"])) for event in kernels)


class Traces:
    """Conversions and runs in a temporary folder."""

    def __init__(self, program: str, data: Path, folder: Path) -> None:
        self.runs, self.data, self.folder = Runs("pytorch", program), data, folder

    def convert(self, name: str, *words: str) -> list[dict[str, str]]:
        """The table of ranks."""
        text = self.runs.execute(self.runs.program, "trace", "convert", *words, "--out", str(self.folder / name), "--format", "csv")
        return list(csv.DictReader(text.splitlines()))

    def run(self, name: str, machine: str, *words: str) -> Simulated:
        timeline = self.folder / "timeline.json"
        (run,) = self.runs.fredsim("train", machine, "--trace", str(self.folder / name), "--timeline", str(timeline), *words)["runs"]
        if run["payload"] != "exact":
            self.runs.fail(f"{name} on {machine}: payload {run['payload']}")
        events = json.loads(timeline.read_text())["traceEvents"]
        (track,) = [event["tid"] for event in events if event["name"] == "thread_name" and event["args"]["name"] == "npu0 dp"]
        spans = sorted((event["ts"], event["dur"]) for event in events if event.get("ph") == "X" and event["tid"] == track)
        return Simulated(run["iteration_ns"] / 1e3, exposed_ns(run) / 1e3, [length for _, length in spans])


class Dlrm:
    def __init__(self, traces: Traces) -> None:
        self.traces = traces
        self.files = sorted((traces.data / "dlrm").glob("worker*.json.gz"))
        self.ranks = [events_of(file) for file in self.files]
        steps = [step_of(events) for events in self.ranks]
        self.begins = [step["ts"] for step in steps]
        self.recorded = max(step["ts"] + step["dur"] for step in steps) - min(self.begins)
        hosts = str(traces.data / "dlrm" / "dlrm_eg_%d.json.gz")
        together = self.begin_together()
        given, aligned = ([str(file) for file in files] for files in (self.files, together))
        self.rows = traces.convert("own", *given, "--host", hosts)
        traces.convert("together", *aligned, "--host", hosts)
        traces.convert("gpu", *aligned, "--host", hosts, "--gpu-only")

    def begin_together(self) -> list[Path]:
        """Profiles whose steps begin at that of the first rank, so that a late rank is late in the trace too: the clocks agree, since all
        kernels of a collective end within some µs."""
        files = []
        for file in self.files:
            with gzip.open(file, "rt") as text:
                profile = json.load(text)
            step = step_of(profile["traceEvents"])
            step["dur"] += step["ts"] - min(self.begins)
            step["ts"] = min(self.begins)
            files.append(self.traces.folder / file.name)
            with gzip.open(files[-1], "wt") as text:
                json.dump(profile, text)
        return files

    def exposed(self) -> list[float]:
        return [float(row["exposed_us"]) for row in self.rows]

    def collectives(self) -> list[list[object]]:
        """Collectives of a step: spread of the arrivals, and time from the last arrival to the end."""
        names = [("all-to-all", 24576), ("all-to-all", 192), ("all-to-all", 1536), ("all-to-all", 13568), ("all-reduce", 1576964), ("all-to-all", 24576),
                 ("all-reduce", 448), ("all-reduce", 907840)]  # fmt: skip
        machines = [self.traces.run("together", CUBE), self.traces.run("together", CUBE, "--set", f"npu.collective_overhead={OVERHEAD}"),
                    self.traces.run("together", MESH), self.traces.run("together", FRED_D)]  # fmt: skip
        rows: list[list[object]] = []
        spans = [spans_of_collectives(events) for events in self.ranks]
        for k, (name, size) in enumerate(names):
            begins, ends = zip(*(of_rank[k] for of_rank in spans))
            rows.append([name, size, f"{max(begins) - min(begins):.0f}", f"{max(ends) - max(begins):.0f}",
                         *(f"{machine.collectives[k]:.2f}" for machine in machines)])  # fmt: skip
        return rows

    def transfers(self) -> float:
        spans = [spans_of_collectives(events) for events in self.ranks]
        return sum(max(end for _, end in of_all) - max(begin for begin, _ in of_all) for of_all in zip(*spans))

    def steps(self) -> list[list[object]]:
        exposed = self.exposed()
        rows: list[list[object]] = [["recorded", f"{self.recorded:.0f}", None, f"{sum(exposed) / len(exposed):.0f}", f"{self.transfers():.0f}"]]
        for title, name in (("as recorded", "together"), ("each rank from its own begin", "own"), ("GPUs alone, `--gpu-only`", "gpu")):
            for machine, file, words in (("hybrid cube", CUBE, ("--set", f"npu.collective_overhead={OVERHEAD}")), ("mesh", MESH, ()), ("Fred-A", FRED_A, ()),
                                         ("Fred-D", FRED_D, ())):  # fmt: skip
                found = self.traces.run(name, file, *words)
                rows.append([f"{title}, {machine}", f"{found.step:.1f}", f"{100 * (found.step / self.recorded - 1):+.1f} %", f"{found.exposed:.1f}",
                             f"{found.transfers:.2f}"])  # fmt: skip
        return rows


class Resnet:
    """Rank 1 was not recorded: it is a copy of rank 0, so no rank is late."""

    def __init__(self, traces: Traces) -> None:
        self.traces = traces
        self.events = events_of(traces.data / "nccl_data.json.gz")
        self.rows = {}
        for step in STEPS:
            (self.rows[step],) = self.convert(f"resnet{step}", "--step", str(step))
        self.convert("resnet_gpu", "--gpu-only")

    def convert(self, name: str, *words: str) -> list[dict[str, str]]:
        rows = self.traces.convert(name, str(self.traces.data / "nccl_data.json.gz"), *words)
        shutil.copyfile(self.traces.folder / f"{name}.0.et", self.traces.folder / f"{name}.1.et")
        return rows

    def pair(self, name: str, rate: float) -> str:
        """Two GPUs on a switch, GB/s per direction."""
        file = self.traces.folder / f"{name}.yaml"
        file.write_text(f"name: {name}\nclock: auto\nfabric:\n  type: graph\n  nodes: [{{name: gpu, kind: npu, count: 2}}, {{name: sw, kind: switch}}]\n"
                        f"  links: [{{from: gpu, to: sw, bandwidth: {rate} GB/s, latency: 500 ns}}]\n")  # fmt: skip
        return str(file)

    def recorded(self) -> dict[int, list[float]]:
        """Times of the all-reduces of the whole steps, by their bytes."""
        begin, end = float(step_of(self.events, STEPS[0])["ts"]), step_of(self.events, STEPS[-1])
        times: dict[int, list[float]] = {}
        for event in self.events:
            if event.get("cat") == "kernel" and "AllReduce" in event["name"] and begin <= float(event["ts"]) <= float(end["ts"]) + float(end["dur"]):
                times.setdefault(4 * event["args"]["In msg nelems"], []).append(float(event["dur"]))
        return times

    def all_reduces(self) -> list[list[object]]:
        recorded = self.recorded()
        slow = LARGEST / min(recorded[LARGEST]) / 1e3
        rows: list[list[object]] = []
        machines = [self.pair("nvlink", 300), self.pair("slow", round(slow, 1)), MESH, FRED_D]
        for size in sorted(recorded):
            times = [self.traces.runs.fredsim("run", machine, "--group", "0,1", "--size", str(size))["runs"][0]["time_ns"] / 1e3 for machine in machines]
            rows.append([size, len(recorded[size]), f"{min(recorded[size]):.0f}", f"{max(recorded[size]):.0f}", *(f"{time:.1f}" for time in times)])
        return rows

    def steps(self) -> list[list[object]]:
        slow = LARGEST / min(self.recorded()[LARGEST]) / 1e3
        machines = [self.pair("nvlink", 300), self.pair("slow", round(slow, 1)), MESH, FRED_D]
        rows: list[list[object]] = []
        for step in STEPS:
            row = self.rows[step]
            found = [self.traces.run(f"resnet{step}", machine) for machine in machines]
            rows.append([f"step {step}", f"{float(row['recorded_us']) / 1e3:.3f} ({float(row['exposed_us']) / 1e3:.2f})",
                         *(f"{one.step / 1e3:.3f} ({one.exposed / 1e3:.2f})" for one in found)])  # fmt: skip
        found = [self.traces.run("resnet_gpu", machine) for machine in machines]
        rows.append(["GPUs alone, step 6", None, *(f"{one.step / 1e3:.3f} ({one.exposed / 1e3:.2f})" for one in found)])
        return rows


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/reproduce pytorch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="FOLDER", help="with the recorded files")
    parser.add_argument("--only", choices=("dlrm", "resnet"), help="of the two models")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--page", action="store_true", help=f"puts the tables into {PAGE}, too")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    options = arguments(words)
    data = options.data.resolve()
    wanted = {"dlrm": data / "dlrm", "resnet": data / "nccl_data.json.gz"}
    for model, path in wanted.items():
        if options.only in (None, model) and not path.exists():
            print(f"pytorch: FOLDER: found no {path.relative_to(data)} in {data}; allowed: a folder with it (--help has its source)", file=sys.stderr)
            return 2
    checkout.enter()
    program = checkout.programs({"fredsim": options.program}, "pytorch")["fredsim"]
    pairs = ["links of 300 GB/s", "fitted links", "mesh", "Fred-D"]
    with tempfile.TemporaryDirectory() as folder:
        traces = Traces(program, data, Path(folder))
        tables: list[tuple[str, list[str], Callable[[], list[list[object]]]]] = []
        if options.only != "resnet":
            dlrm = Dlrm(traces)
            tables += [("collectives", ["collective", "bytes of a rank", "ranks arrive within, µs", "recorded, last arrival to end, µs", "hybrid cube, µs",
                                        f"and {OVERHEAD.replace(' us', ' µs')} of software", "mesh, µs", "Fred-D, µs"], dlrm.collectives),
                       ("dlrm", ["DLRM, 8 ranks", "step, µs", "beside the recorded one", "exposed communication of a mean rank, µs", "collectives after the last arrival, µs"],
                        dlrm.steps)]  # fmt: skip
        if options.only != "dlrm":
            resnet = Resnet(traces)
            tables += [("all-reduces", ["all-reduce, bytes", "recorded", "shortest, µs", "longest, µs", *(f"{pair}, µs" for pair in pairs)], resnet.all_reduces),
                       ("resnet", ["ResNet-50, ms (exposed)", "recorded", *pairs], resnet.steps)]  # fmt: skip
        for name, head, rows_of in tables:
            rows = rows_of()
            markdown(head, rows)
            if options.page and not put_into(PAGE, name, lines_of(head, rows)):
                print(f"pytorch: {PAGE}: found no <!-- table {name} -->", file=sys.stderr)
                return 1
    return 0
