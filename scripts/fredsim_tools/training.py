# SPDX-License-Identifier: Apache-2.0
"""Runs the paper's training iterations (figures 2, 10 and 11), prints them next to the paper's figures, as Markdown.

Figure 10 (§8.2): speed-up of Fred-C and -D over the mesh for four workloads. Compute times are not in the paper. So there are three
tables: by the roofline of the machine files, at one rate that is fitted on ResNet-152's Fred-C, and with a rate fitted for each workload
on its own Fred-C; what stands for Fred-D is a prediction in the last two.
Each machine stands beside two meshes, the paper's and the best that is found (`--best-base`: algorithm auto, a searched placement, weights
streamed to the NPUs that use them).
Figure 11 (§8.3): all strategies of 20 workers, on the mesh, Fred-C and -D; how much less communication is exposed, and how much
faster an iteration is, over the paper's mesh (its algorithms, a searched placement) and the best (algorithm auto, weights streamed to
the NPUs that use them or to all, whichever is faster); one iteration each. Figure 2 is the mesh's part of it: compute, exposed communication and bubbles by strategy.
Exposed is what `fredsim train` calls so: time in which an NPU computes nothing since it waits for communication, mean of all NPUs.

Commands are printed on standard error, results kept as JSON in the folder, where --again takes them from: figure 11, a file for each
strategy and machine, goes on where it was interrupted.
"""

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from . import checkout, tables
from .runs import IN_TIME, Json, Runs, exposed_ns

Strategy = tuple[int, int, int]  # MP, DP, PP

MACHINES = ["configs/paper/mesh.yaml", "configs/fred_c.yaml", "configs/fred_d.yaml"]
STREAMED = ["gpt3", "transformer_1t"]
IO_CONTROLLERS = 18
# §8.2: workload, strategy, speed-up of C and D. Minibatch: 16 samples per replica.
FIGURE_10 = [
    ("resnet152", (1, 20, 1), 1.41, 1.76),
    ("transformer_17b", (3, 3, 2), 1.75, 1.87),
    ("gpt3", (2, 5, 2), 1.34, 1.34),
    ("transformer_1t", (1, 20, 1), 1.40, 1.40),
]
SAMPLES_OF_REPLICA = 16
# §8.3: times less exposed communication, and times faster; of which average is not said.
FIGURE_11 = {"transformer_17b": (4.22, 1.63), "transformer_1t": (3.92, 1.44)}
MICROBATCHES = {1: 1, 2: 10, 4: 20, 5: 20, 10: 20, 20: 40}
SAMPLES_11 = 40

# Sizes that a test runs in their place.
SMALL_MODEL = "configs/models/small.yaml"
SMALL_MACHINES = ["configs/mesh_2x2.yaml", "configs/fred_small.yaml@fabric.in_switch=false", "configs/fred_small.yaml"]


def words_of(strategy: Strategy) -> list[str]:
    return [word for name, size in zip(("--mp", "--dp", "--pp"), strategy) for word in (name, str(size))]


def name_of(strategy: Strategy) -> str:
    return "MP{}-DP{}-PP{}".format(*strategy)


class Runner:
    """Iterations of the two figures, kept as JSON in a folder."""

    def __init__(self, arguments: argparse.Namespace, runs: Runs) -> None:
        self.arguments, self.runs = arguments, runs
        self.machines = SMALL_MACHINES if arguments.small else MACHINES
        arguments.folder.mkdir(parents=True, exist_ok=True)
        self.streams = "--execution" in runs.help("train")
        self.begin = time.monotonic()

    def workload(self, name: str) -> str:
        return SMALL_MODEL if self.arguments.small else name

    def algorithm(self, more: Sequence[str]) -> list[str]:
        """The paper's, where no other one is asked for."""
        return [] if "--algorithm" in (*more, *self.arguments.options) else ["--algorithm", "paper"]

    def can_run(self, name: str) -> bool:
        if name in STREAMED and not self.streams and not self.arguments.small:
            print(f"{name}: not run, since this fredsim streams no weights", file=sys.stderr)
            return False
        return not self.arguments.only or name in self.arguments.only

    def train(self, key: str, name: str, strategy: Strategy, more: Sequence[str], best: bool = False) -> list[Json]:
        """The runs, one per machine; `best`: the base's best self comes second."""
        path = self.arguments.folder / f"{key}.json"
        number = len(self.machines) + best
        if self.arguments.again and path.exists():
            runs = json.loads(path.read_text())["runs"]
            if len(runs) == number:  # run completed
                return runs
        return self.runs.to_file(path, "train", *self.machines, "--workload", self.workload(name), *words_of(strategy), *more, *self.algorithm(more),
                                 *(["--best-base"] if best else []), *self.arguments.options)  # fmt: skip

    def train_within_limit(self, key: str, name: str, strategy: Strategy, more: Sequence[str], config: str, limit: int) -> Json | None:
        """One machine; None: more than `limit` s of processor time (0: none), or --minutes are over. --again: what was run before is not run again."""
        path = self.arguments.folder / f"{key}.json"
        if self.arguments.again and path.exists():
            run = json.loads(path.read_text())["runs"][0]
            if run["payload"] != "incomplete":
                return run
        if self.arguments.minutes and time.monotonic() - self.begin > 60 * self.arguments.minutes:
            return None
        runs = self.runs.to_file_within(limit, path, "train", config, "--workload", self.workload(name), *words_of(strategy), *more, *self.algorithm(more),
                                        *self.arguments.options)  # fmt: skip
        if runs is None:
            print(f"{key}: not run, since it takes more than {limit} s of processor time", file=sys.stderr)
            return None
        return runs[0]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    tables.markdown(head, rows, rule="---")


def rate_text(run: Json) -> str:
    rate = run["compute_flops_per_s"]
    return "roofline" if rate is None else f"{rate / 1e15:.2f} PFLOP/s"


def figure_10_row(name: str, strategy: Strategy, runs: Sequence[Json], papers: Sequence[float | None]) -> list[list[str]]:
    """A line per machine; `papers`: speed-ups of Fred-C and -D, or None. The base's best self is the second."""
    rows = []
    for index, (run, paper) in enumerate(zip(runs, (None, None, *papers))):
        fitted = index == 2 and "fit" in run  # on Fred-C
        parts = run["breakdown_ns"]
        communication = " + ".join(f"{part} {ns / 1e3:.1f}" for part, ns in parts.items()
                                   if part not in IN_TIME and ns > 0)
        rows.append([
            f"{name}, {name_of(strategy)}" if index == 0 else "", run["fabric"], run["algorithm"], run["placement"],
            rate_text(run) if index == 0 else "",
            f"{run['iteration_ns'] / 1e3:.1f}", f"{parts['compute'] / 1e3:.1f}", communication, f"{parts['bubble'] / 1e3:.1f}",
            f"{run.get('speedup', 1):.3f}" + (" (fitted)" if fitted else ""), "1" if index == 0 else f"{paper:.2f}" if paper else "–",
            f"{run['speedup_best_base']:.3f}" if index else "–",
        ])
    return rows


HEAD_10 = ["workload", "machine", "algorithm", "placement", "compute", "iteration, µs", "computing", "exposed, µs", "bubble", "speed-up",
           "paper", "over best mesh"]


def figure_10(runner: Runner) -> None:
    small = runner.arguments.small
    works = [(name, (1, 4, 1) if small else strategy, c, d) for name, strategy, c, d in FIGURE_10 if runner.can_run(name)]
    samples = [] if small else ["--samples", str(SAMPLES_OF_REPLICA)]
    rows: dict[str, list[list[str]]] = {"roofline": [], "one": [], "own": [], "choices": []}
    for name, strategy, c, d in works:
        runs = runner.train(f"fig10_roofline_{name}", name, strategy, samples, best=True)
        rows["roofline"] += figure_10_row(name, strategy, runs, (c, d))

    def fitted(name: str, strategy: Strategy, c: float) -> list[Json]:
        if small:  # a speed-up that there is
            at = runner.train("fig10_any", name, strategy, ["--compute-rate", "1PFLOP/s"])
            c = round(at[1]["speedup"], 4)
        return runner.train(f"fig10_own_{name}", name, strategy, [*samples, "--fit", f"{runner.machines[1]}={c}"], best=True)

    name, strategy, c, d = FIGURE_10[0]
    of_resnet = fitted(name, (1, 4, 1) if small else strategy, c)
    rate = f"{of_resnet[0]['compute_flops_per_s'] / 1e9:.0f}GFLOP/s"
    for name, strategy, c, d in works:
        one = of_resnet if name == "resnet152" else runner.train(
            f"fig10_one_{name}", name, strategy, [*samples, "--compute-rate", rate], best=True)
        rows["one"] += figure_10_row(name, strategy, one, (c, d))
        own = of_resnet if name == "resnet152" else fitted(name, strategy, c)
        rows["own"] += figure_10_row(name, strategy, own, (c, d))
    if runner.can_run("resnet152"):
        name, strategy, *_ = FIGURE_10[0]
        strategy = (1, 4, 1) if small else strategy
        for title, more in [("overlap", ["--accounting", "overlap"]), ("ZeRO-2", ["--gradients", "zero2"]),
                            ("ZeRO-2, overlap", ["--gradients", "zero2", "--accounting", "overlap"])]:
            key = title.replace(", ", "_").replace("-", "")
            runs = runner.train(f"fig10_{key}", name, strategy, [*samples, *more, "--compute-rate", rate], best=True)
            rows["choices"] += figure_10_row(f"{name}, {title}", strategy, runs, (None, None))
    for key, title in [("one", "One rate for all workloads, fitted on ResNet-152's Fred-C"), ("own", "A rate for each, fitted on its own Fred-C"),
                       ("roofline", "The roofline of the machine files"), ("choices", "ResNet-152 with other choices, at the fitted rate")]:
        print(f"{title}:\n")
        table(HEAD_10, rows[key])


def strategies(workers: int) -> list[Strategy]:
    sizes = [n for n in range(1, workers + 1) if workers % n == 0]
    return [(mp, dp, workers // (mp * dp)) for mp in sizes for dp in sizes if workers % (mp * dp) == 0]


def per_sample(run: Json) -> float:
    """Minibatches differ by the replicas."""
    return run["iteration_ns"] / run["minibatch"]


class Strategies:
    """Runs of one workload by all strategies: a file each of strategy and machine, so that what was interrupted goes on."""

    BEST = ["--algorithm", "auto", "--stream", "multicast"]  # for --best-base, beside train's default, a searched placement

    def __init__(self, runner: Runner, name: str, more: Sequence[str]) -> None:
        self.small = runner.arguments.small
        mesh, fred_c, fred_d = runner.machines
        self.machines: list[tuple[str, str, list[str]]] = [
            ("mesh", mesh, []), ("mesh_best", mesh, self.BEST if name in STREAMED else self.BEST[:2]),
            ("fred_c", fred_c, []), ("fred_d", fred_d, [])]  # fmt: skip
        if name in STREAMED:  # weights to all NPUs are faster for some strategies
            self.machines.append(("mesh_broadcast", mesh, self.BEST[:2]))
        self.runs: dict[Strategy, dict[str, Json]] = {}  # strategy -> by machine, complete
        self.flows: dict[Strategy, dict[str, Json]] = {}  # likewise, before the better of both meshes is taken
        self.exact: dict[tuple[Strategy, str], Json] = {}  # strategy, machine -> the same by --engine exact, where that was asked for and ended
        self.all = strategies(4 if self.small else 20)
        suffix = "".join("_" + re.sub("[^A-Za-z0-9.]", "", word) for word in more if not word.startswith("--"))
        for strategy in sorted(self.all, key=lambda sizes: sizes[2]):  # few stages are faster: repetitions are replayed
            microbatches = 2 if self.small else MICROBATCHES[strategy[2]]
            # Groups for which there are not enough uplinks take turns, the first remedy of §5.
            words = [*more, "--samples", str(2 if self.small else SAMPLES_11), "--microbatches", str(microbatches), "--on-conflict", "later"]
            if "--iterations" not in runner.arguments.options:
                words += ["--iterations", "1"]
            by_flows = ["--engine", "flow"] if runner.arguments.engine == "flow" else []
            of_machine = {}
            for machine, config, own in self.machines:
                if "multicast" in own and strategy[0] * strategy[2] > IO_CONTROLLERS:  # one for each shard of the weights, or refused
                    own = [word for word in own if word not in ("--stream", "multicast")]
                key = f"fig11_{name}_{name_of(strategy)}_{machine}{suffix}"
                run = runner.train_within_limit(
                    key + "_flow" * bool(by_flows), name, strategy, [*own, *words, *by_flows], config, runner.arguments.limit)
                if not run:
                    break
                of_machine[machine] = run
                if by_flows and runner.arguments.beside:
                    exact = runner.train_within_limit(key, name, strategy, [*own, *words], config, runner.arguments.beside)
                    if exact:
                        self.exact[strategy, machine] = exact
            else:  # `auto` estimates, and may choose worse than the paper
                self.flows[strategy] = dict(of_machine)
                meshes = [of_machine["mesh"], of_machine["mesh_best"], of_machine.pop("mesh_broadcast", of_machine["mesh"])]
                of_machine["mesh_best"] = min(meshes, key=lambda run: run["iteration_ns"])
                self.runs[strategy] = of_machine

    def averages(self, base: str, machine: str) -> tuple[list[float], list[float]]:
        """Times less exposed, and times faster: both lists, of strategies in which something is exposed, and of all."""
        less, faster = [], []
        for runs in self.runs.values():
            faster.append(runs[base]["iteration_ns"] / runs[machine]["iteration_ns"])
            if exposed_ns(runs[base]) > 0 and exposed_ns(runs[machine]) > 0:
                less.append(exposed_ns(runs[base]) / exposed_ns(runs[machine]))
        return less, faster

    def best(self, machine: str) -> tuple[Strategy, Json]:
        """Strategy, and its run: the minimum time per sample."""
        return min(((strategy, runs[machine]) for strategy, runs in self.runs.items()), key=lambda pair: per_sample(pair[1]))


def placed(run: Json) -> str:
    return f"{run['algorithm']}, {run['placement']}"


def stated_error(runs: Sequence[Json]) -> str:
    """Largest error that is stated of an iteration; empty: exact runs."""
    of_flows = [run for run in runs if run.get("engine") == "flow"]
    if not of_flows:
        return ""
    stated = [run["error"]["mean_percent"] for run in of_flows if run["error"]]
    text = f", by flows, of which an iteration has a stated error of {max(stated, default=0):.1f} % at most"
    unmeasured = len(of_flows) - len(stated)
    return text + (f" ({unmeasured} are unmeasured)" if unmeasured else "")


def beside_exact(name: str, found: Strategies) -> None:
    rows = []
    for (strategy, machine), exact in found.exact.items():
        flow = found.flows[strategy][machine]
        difference = 100 * (flow["iteration_ns"] / exact["iteration_ns"] - 1)
        rows.append([name_of(strategy), machine, f"{flow['iteration_ns'] / 1e6:.3f}", f"{exact['iteration_ns'] / 1e6:.3f}", f"{difference:+.2f}",
                     f"{exposed_ns(flow) / 1e6:.3f}", f"{exposed_ns(exact) / 1e6:.3f}"])  # fmt: skip
    if rows:
        print(f"Flows beside exact runs, {name}:\n")
        table(["strategy", "machine", "flow, ms", "exact, ms", "difference, %", "exposed, flow", "exposed, exact"], rows)


def figure_2(name: str, found: Strategies) -> None:
    base, rows = None, []
    for strategy in found.all:
        if strategy not in found.runs:
            continue
        mesh = found.runs[strategy]["mesh"]
        base = base or per_sample(mesh)
        parts = (mesh["breakdown_ns"]["compute"], exposed_ns(mesh), mesh["breakdown_ns"]["bubble"])
        rows.append([name_of(strategy), placed(mesh), rate_text(mesh), f"{per_sample(mesh) / 1e3:.1f}", f"{per_sample(mesh) / base:.3f}",
                     *(f"{ns / mesh['iteration_ns']:.3f}" for ns in parts)])
    print(f"Figure 2, {name} on the mesh, by strategy (the paper's bars have no figures in its text):\n")
    table(["strategy", "algorithm, placement", "compute", "per sample, µs", "relative", "computing", "exposed", "bubble"], rows)


def figure_11_table(name: str, found: Strategies) -> None:
    paper_exposed, paper_faster = FIGURE_11[name]
    rows = []
    for strategy in found.all:
        if strategy not in found.runs:
            rows.append([name_of(strategy), "not run", *[""] * 12])
            continue
        runs = list(found.runs[strategy].values())
        mesh, best, fred_c, fred_d = runs

        def over(base: Json, machine: Json, of: Callable[[Json], float]) -> str:
            return f"{of(base) / of(machine):.2f}" if of(base) > 0 and of(machine) > 0 else "–"

        rows.append([name_of(strategy), placed(mesh), placed(best), " or ".join(dict.fromkeys(placed(run) for run in runs[2:])),
                     *(f"{run['iteration_ns'] / 1e6:.1f} ({exposed_ns(run) / 1e6:.1f})" for run in runs),
                     over(mesh, fred_d, exposed_ns), over(best, fred_d, exposed_ns),
                     *(over(base, fred, lambda run: run["iteration_ns"]) for base in (mesh, best) for fred in (fred_c, fred_d))])
    less = [found.averages(base, "fred_d")[0] for base in ("mesh", "mesh_best")]
    faster = [found.averages(base, fred)[1] for base in ("mesh", "mesh_best") for fred in ("fred_c", "fred_d")]
    for average, of in (("mean", statistics.mean), ("geometric mean", statistics.geometric_mean)):
        rows.append([average, *[""] * 7, *(f"{of(values):.2f}" if values else "–" for values in (*less, *faster))])
    rows.append(["paper", *[""] * 7, f"{paper_exposed:.2f}", "", "", f"{paper_faster:.2f}", "", ""])
    share = f"{len(found.runs)} of {len(found.all)} strategies" if len(found.runs) < len(found.all) else "all strategies"
    share += stated_error([run for runs in found.runs.values() for run in runs.values()])
    print(f"Figure 11, {name}, {share}: iteration, and of it exposed communication, ms; Fred-D's exposed communication against that of either mesh,"
          " Fred-C and -D over either:\n")
    table(["strategy", "mesh", "best mesh", "Fred-C, -D", "mesh, ms", "best mesh", "Fred-C", "Fred-D", "exposed, times less", "than best mesh",
           "C, times faster", "D", "C, over best mesh", "D"], rows)


def best_strategies(name: str, found: Strategies) -> None:
    rows = []
    of_fred = per_sample(found.best("fred_d")[1])
    for machine, title in (("mesh", "mesh"), ("mesh_best", "best mesh"), ("fred_c", "Fred-C"), ("fred_d", "Fred-D")):
        strategy, run = found.best(machine)
        rows.append([title, name_of(strategy), placed(run), f"{per_sample(run) / 1e3:.1f}", f"{per_sample(run) / of_fred:.3f}"])
    print(f"The best strategy of each machine, {name}, time per sample; and Fred-D's best against it:\n")
    table(["machine", "strategy", "algorithm, placement", "per sample, µs", "Fred-D's best, times faster"], rows)


def figure_11(runner: Runner) -> None:
    more = ["--compute-rate", runner.arguments.rate] if runner.arguments.rate else []
    if runner.arguments.accounting != "serial":
        more += ["--accounting", runner.arguments.accounting]
    for name in FIGURE_11:
        if not runner.can_run(name) or (runner.arguments.small and name in STREAMED):
            continue
        found = Strategies(runner, name, more)
        if not found.runs:
            print(f"{name}: no strategy has been run on all machines", file=sys.stderr)
            continue
        figure_2(name, found)
        figure_11_table(name, found)
        best_strategies(name, found)
        beside_exact(name, found)


def main(words: Sequence[str]) -> int:
    """words: the figure first."""
    script = f"paper_fig{words[0]}.sh"
    parser = argparse.ArgumentParser(prog=f"scripts/{script}", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--program", help="default: build/fredsim, which is built")
    parser.add_argument("--folder", type=Path, default=Path("build/paper"))
    parser.add_argument("--only", action="append", help="a workload (repeat for more); default: all")
    parser.add_argument("--rate", default="", help="of figure 11: compute rate, such as 10PFLOP/s; default: roofline")
    parser.add_argument("--accounting", choices=["serial", "overlap"], default="serial", help="of figure 11")
    parser.add_argument("--engine", choices=["exact", "flow"], default="exact", help="of figure 11: flow takes seconds where exact takes minutes")
    parser.add_argument("--beside", type=int, default=0, metavar="SECONDS",
                        help="of figure 11 with --engine flow: runs that end in this processor time are run exactly, too")
    parser.add_argument("--limit", type=int, default=0, help="of figure 11: seconds of processor time of a run; strategies that take more are left out")
    parser.add_argument("--minutes", type=float, default=0, help="of figure 11: after these no run begins; with --again the next time goes on")
    parser.add_argument("--small", action="store_true", help="four NPUs and a small model: that it runs")
    parser.add_argument("--again", action="store_true", help="takes results that are in the folder from there")
    parser.add_argument("options", nargs="*", help="of fredsim train, after --")
    arguments = parser.parse_args(words[1:])
    known = [work[0] for work in FIGURE_10]
    for name in arguments.only or []:
        if name not in known:
            parser.error(f"--only: found {name}; allowed: {', '.join(known)}")
    checkout.enter()
    program = checkout.programs({"fredsim": arguments.program}, script, progress=sys.stdout)["fredsim"]
    runner = Runner(arguments, Runs(script, program))
    (figure_10 if words[0] == "10" else figure_11)(runner)
    return 0
