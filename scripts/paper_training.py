"""Runs the paper's training iterations (figures 2, 10 and 11), prints them next to the paper's figures, as Markdown.

Figure 10 (§8.2): speed-up of Fred-C and -D over the mesh for four workloads. Compute times are not in the paper. So there are three
tables: by the roofline of the machine files, at one rate that is fitted on ResNet-152's Fred-C, and with a rate fitted for each workload
on its own Fred-C; what stands for Fred-D is a prediction in the last two.
Each machine stands beside two meshes, the paper's and the best that is found (`--best-base`: algorithm auto, a searched placement, weights
streamed to those that use them).
Figure 11 (§8.3): all strategies of 20 workers, on the mesh and Fred-D; how much less communication is exposed, and how much
faster an iteration is. Figure 2 is the mesh's part of it: compute, exposed communication and bubbles by strategy. Exposed is what
`fredsim train` calls so: time in which an NPU computes nothing since it waits for communication, mean of all NPUs.

Commands are printed on standard error, results kept as JSON in the folder, where --again takes them from.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

MACHINES = ["configs/paper/mesh.yaml", "configs/fred_c.yaml", "configs/fred_d.yaml"]
STREAMED = ["gpt3", "transformer_1t"]
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

# What a test runs in their place.
SMALL_MODEL = "configs/models/small.yaml"
SMALL_MACHINES = ["configs/mesh_2x2.yaml", "configs/fred_small.yaml@fabric.in_switch=false", "configs/fred_small.yaml"]


def words_of(strategy):
    return [word for name, size in zip(("--mp", "--dp", "--pp"), strategy) for word in (name, str(size))]


def name_of(strategy):
    return "MP{}-DP{}-PP{}".format(*strategy)


class Runner:
    def __init__(self, arguments):
        self.arguments = arguments
        self.machines = SMALL_MACHINES if arguments.small else MACHINES
        arguments.folder.mkdir(parents=True, exist_ok=True)
        help_text = subprocess.run([arguments.program, "help", "train"], check=True, capture_output=True, text=True).stdout
        self.streams = "--execution" in help_text

    def workload(self, name):
        return SMALL_MODEL if self.arguments.small else name

    def can_run(self, name):
        if name in STREAMED and not self.streams and not self.arguments.small:
            print(f"{name}: not run, since this fredsim streams no weights", file=sys.stderr)
            return False
        return not self.arguments.only or name in self.arguments.only

    def train(self, key, name, strategy, more, machines=None, best=False):
        """The runs, one per machine; `best`: the base's best self comes second."""
        path = self.arguments.folder / f"{key}.json"
        command = [self.arguments.program, "train", *(machines or self.machines), "--workload", self.workload(name)]
        command += [*words_of(strategy), *more, *(["--best-base"] if best else []), *self.arguments.options]
        number = len(machines or self.machines) + best
        if self.arguments.again and path.exists():
            runs = json.loads(path.read_text())["runs"]
            if len(runs) == number:  # not interrupted
                return runs
        print("==", *command, file=sys.stderr, flush=True)
        subprocess.run([*command, "--quiet", "--json", str(path)], check=True, stdout=subprocess.DEVNULL)
        return json.loads(path.read_text())["runs"]


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join(row), "|")
    print()


def exposed(run):
    """Exposed communication of a mean NPU: it neither computes nor waits for what is not on its way yet (bubble)."""
    return sum(ns for part, ns in run["breakdown_ns"].items() if part not in ("compute", "memory", "bubble"))


def rate_text(run):
    rate = run["compute_flops_per_s"]
    return "roofline" if rate is None else f"{rate / 1e15:.2f} PFLOP/s"


def figure_10_row(name, strategy, runs, papers):
    """A line per machine; `papers`: speed-ups of Fred-C and -D, or None. The base's best self is the second."""
    rows = []
    for index, (run, paper) in enumerate(zip(runs, (None, None, *papers))):
        fitted = index == 2 and "fit" in run  # on Fred-C
        parts = run["breakdown_ns"]
        communication = " + ".join(f"{part} {ns / 1e3:.1f}" for part, ns in parts.items()
                                   if part not in ("compute", "memory", "bubble") and ns > 0)
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


def figure_10(runner):
    small = runner.arguments.small
    works = [(name, (1, 4, 1) if small else strategy, c, d) for name, strategy, c, d in FIGURE_10 if runner.can_run(name)]
    samples = [] if small else ["--samples", str(SAMPLES_OF_REPLICA)]
    rows = {"roofline": [], "one": [], "own": [], "choices": []}
    for name, strategy, c, d in works:
        runs = runner.train(f"fig10_roofline_{name}", name, strategy, samples, best=True)
        rows["roofline"] += figure_10_row(name, strategy, runs, (c, d))

    def fitted(name, strategy, c):
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


def strategies(workers):
    sizes = [n for n in range(1, workers + 1) if workers % n == 0]
    return [(mp, dp, workers // (mp * dp)) for mp in sizes for dp in sizes if workers % (mp * dp) == 0]


def figure_11(runner):
    small = runner.arguments.small
    more = ["--compute-rate", runner.arguments.rate] if runner.arguments.rate else []
    for name, (paper_exposed, paper_faster) in FIGURE_11.items():
        if not runner.can_run(name):
            continue
        rows_2, rows_11, less, faster = [], [], [], []
        base = None
        for strategy in strategies(4 if small else 20):
            if small and name in STREAMED:
                break
            mp, dp, pp = strategy
            microbatches = 2 if small else MICROBATCHES[pp]
            samples = 2 if small else SAMPLES_11
            key = f"fig11_{name}_{name_of(strategy)}" + (f"_{runner.arguments.rate.replace('/', '')}" if more else "")
            # Groups for which there are not enough uplinks take turns, the first remedy of §5.
            words = [*more, "--samples", str(samples), "--microbatches", str(microbatches), "--on-conflict", "later"]
            mesh, fred = runner.train(key, name, strategy, words, [runner.machines[0], runner.machines[2]])
            # Per sample, since minibatches differ by the replicas.
            per_sample = mesh["iteration_ns"] / mesh["minibatch"]
            base = base or per_sample
            rows_2.append([name_of(strategy), rate_text(mesh), f"{per_sample / 1e3:.1f}", f"{per_sample / base:.3f}",
                           *(f"{ns / mesh['iteration_ns']:.3f}" for ns in (mesh["breakdown_ns"]["compute"], exposed(mesh), mesh["breakdown_ns"]["bubble"]))])
            faster.append(mesh["iteration_ns"] / fred["iteration_ns"])
            if exposed(mesh) > 0 and exposed(fred) > 0:
                less.append(exposed(mesh) / exposed(fred))
            rows_11.append([name_of(strategy), f"{exposed(mesh) / 1e3:.1f}", f"{exposed(fred) / 1e3:.1f}",
                            f"{less[-1]:.2f}" if exposed(mesh) > 0 and exposed(fred) > 0 else "–",
                            f"{mesh['iteration_ns'] / 1e3:.1f}", f"{fred['iteration_ns'] / 1e3:.1f}", f"{faster[-1]:.3f}"])
        if not rows_2:
            continue
        print(f"Figure 2, {name} on the mesh, by strategy (the paper's bars have no figures in its text):\n")
        table(["strategy", "compute", "per sample, µs", "relative", "computing", "exposed", "bubble"], rows_2)
        for average, of in (("mean", statistics.mean), ("geometric mean", statistics.geometric_mean)):
            rows_11.append([average, "", "", f"{of(less):.2f}" if less else "–", "", "", f"{of(faster):.3f}"])
        rows_11.append(["paper", "", "", f"{paper_exposed:.2f}", "", "", f"{paper_faster:.2f}"])
        print(f"Figure 11, {name}, Fred-D against the mesh:\n")
        table(["strategy", "exposed, mesh, µs", "Fred-D", "times less", "iteration, mesh, µs", "Fred-D", "times faster"], rows_11)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=["10", "11"], help="11: and 2, of the same runs")
    parser.add_argument("--program", default="build/fredsim")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/paper"))
    parser.add_argument("--only", action="append", help="a workload (repeat for more); default: all")
    parser.add_argument("--rate", default="", help="of figure 11: compute rate, such as 10PFLOP/s; default: roofline")
    parser.add_argument("--small", action="store_true", help="four NPUs and a small model: that it runs")
    parser.add_argument("--again", action="store_true", help="takes results that are in the folder from there")
    parser.add_argument("options", nargs="*", help="of fredsim train, after --")
    arguments = parser.parse_intermixed_args()  # options after `--`, wherever the figure stands
    known = [work[0] for work in FIGURE_10]
    for name in arguments.only or []:
        if name not in known:
            parser.error(f"--only: found {name}; allowed: {', '.join(known)}")
    runner = Runner(arguments)
    (figure_10 if arguments.figure == "10" else figure_11)(runner)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"paper_training.py: {' '.join(map(str, error.cmd))}: exit code {error.returncode}")
