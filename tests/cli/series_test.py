# SPDX-License-Identifier: Apache-2.0
"""--series: counters by window, whose sums are those of the run, in the JSON and in files."""

import argparse
import csv
import json
import random
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

PROGRAM = ""
SEED = 74


def fredsim(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


def without_times(run: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in run.items() if key not in ("wall_s", "sim_cycles_per_s", "skipped", "series")}


class SeriesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = random.Random(SEED)

    def path(self, name: str) -> str:
        return str(Path(self.folder.name) / name)

    def results(self, *words: str) -> list[dict[str, Any]]:
        done = fredsim(*words, "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        runs: list[dict[str, Any]] = json.loads(done.stdout)["runs"]
        return runs

    def check_sums(self, run: dict[str, Any], window: int, cycles: int) -> None:
        series = run["series"]
        windows = max(1, -(-cycles // window))
        self.assertEqual((series["window_cycles"], series["cycles"]), (window, cycles))
        self.assertEqual([one["name"] for one in series["links"]], [one["name"] for one in run["links"]])
        lengths = [min(window, cycles - first * window) for first in range(windows)]
        for link, total in zip(series["links"], run["links"]):
            for key in ("flits", "bytes", "busy_cycles"):
                self.assertEqual(len(link[key]), windows)
                self.assertEqual(sum(link[key]), total[key], f"{link['name']} {key}")
                self.assertGreaterEqual(min(link[key]), 0)
            used = sum(value * length for value, length in zip(link["utilization"], lengths))
            self.assertAlmostEqual(used, total["utilization"] * cycles, delta=1e-6 * (1 + used))
            # Flits of acknowledgements may come after the last result, in the last window.
            self.assertLessEqual(max(link["utilization"][:-1], default=0), 1 + 1e-9)
        totals = {one["name"]: one["stall_cycles"] for one in run["switches"]}
        for one in series["switches"]:
            self.assertEqual({reason: sum(values) for reason, values in one["stall_cycles"].items()}, totals[one["name"]])
        self.assertEqual(len(series["switches"]), len(run["switches"]))

    def test_sums_of_runs_and_nothing_else_changes(self) -> None:
        for words in (["run", "mesh_2x2", "-b", "512", "-e", "32KiB", "-f", "8"],
                      ["run", "fred_small", "--size", "64KiB"],
                      ["run", "fred_d", "--size", "100KB"],
                      ["run", "fred_small", "--collective", "all_to_all", "--size", "20000"],
                      ["run", "mesh", "--size", "1MiB", "--packet-order", "recurring"],
                      ["run", "fred_d", "--work", "configs/paper/mp2_dp5_pp2_dp.yaml", "--size", "8KiB", "--on-conflict", "later"],
                      ["run", "fred_small", "--size", "4KiB", "--fault", "link:npu0.0->l1_0.s0.0*0.5"]):  # fmt: skip
            with self.subTest(words=words, seed=SEED):
                plain = self.results(*words)
                for window in (self.random.randint(2, 40), self.random.randint(41, 1000), 10**9):
                    runs = self.results(*words, "--series", str(window), *self.random.choice([[], ["--no-skip"]]))
                    self.assertEqual([without_times(run) for run in runs], [without_times(run) for run in plain])
                    for run in runs:
                        self.check_sums(run, window, run["cycles"])

    def test_a_window_that_divides_the_cycles(self) -> None:
        cycles = self.results("run", "mesh_2x2", "--size", "4KiB")[0]["cycles"]
        for window in [n for n in range(1, cycles + 1) if cycles % n == 0]:
            run, = self.results("run", "mesh_2x2", "--size", "4KiB", "--series", str(window))
            self.check_sums(run, window, cycles)

    def test_traffic_and_threads(self) -> None:
        for machine in ("mesh", "fred_small"):
            words = ["traffic", machine, "--rate", "0.1,0.7", "--warmup", "300", "--cycles", "1000"]
            plain = self.results(*words)
            window = self.random.randint(3, 400)
            runs = self.results(*words, "--series", str(window))
            self.assertEqual([without_times(run) for run in runs], [without_times(run) for run in plain])
            for run in runs:
                self.assertEqual(run["series"]["begin_cycle"], 300)
                self.check_sums(run, window, 1000)
            threaded = self.results(*words, "--series", str(window), "--threads", "2")
            self.assertEqual([run["series"] for run in threaded], [run["series"] for run in runs])

    def test_is_the_same_in_every_implementation(self) -> None:
        words = ["run", "mesh_2x2", "--size", "2KiB", "--series", "20"]
        expected, = self.results(*words)
        for model in ("rtl", "lockstep"):
            run, = self.results(*words, "--model", model)
            self.assertEqual(run["series"], expected["series"])

    def test_combines_with_other_observers(self) -> None:
        plain, = self.results("run", "fred_small", "--size", "4KiB", "--series", "50")
        both, = self.results("run", "fred_small", "--size", "4KiB", "--series", "50", "--breakdown", "--timeline", self.path("t.json"))
        self.assertEqual(both["series"], plain["series"])

    def test_files_have_what_the_results_have(self) -> None:
        for words, key in ((["compare", "mesh_2x2", "fred_2x2@switch.input_buffer=40 KiB", "-b", "1KiB", "-e", "8KiB", "-f", "8"], "size_bytes"),
                           (["traffic", "mesh_2x2", "--rate", "0.1,0.2", "--warmup", "100", "--cycles", "500"], "rate")):  # fmt: skip
            runs = self.results(*words, "--series", "64", "--series-file", self.path("s.csv"))
            self.assertEqual(self.results(*words, "--series", "64", "--series-file", self.path("s.json")).__len__(), len(runs))
            file = json.loads(Path(self.path("s.json")).read_text(encoding="utf-8"))
            self.assertEqual([run["series"] for run in file["runs"]], [run["series"] for run in runs])
            self.assertEqual([run[key] for run in file["runs"]], [run[key] for run in runs])
            self.assertEqual([run["settings"] for run in file["runs"]], [run["settings"] for run in runs])
            with open(self.path("s.csv"), encoding="utf-8", newline="") as lines:
                rows = list(csv.DictReader(lines))
            expected = []
            for run in runs:
                series = run["series"]
                for window in range(len(series["links"][0]["flits"])):
                    begin = window * 64
                    for link in series["links"]:
                        expected.append({
                            "config": run["config"], "settings": ",".join(f"{k}={v}" for k, v in run["settings"].items()), "fabric": run["fabric"],
                            key: run[key], "begin_cycle": series["begin_cycle"] + begin, "cycles": min(64, series["cycles"] - begin), "link": link["name"],
                            "from": link["from"], "to": link["to"], "flits": link["flits"][window], "bytes": link["bytes"][window],
                            "busy_cycles": link["busy_cycles"][window], "utilization": link["utilization"][window]})  # fmt: skip
            numbers = ("size_bytes", "rate", "begin_cycle", "cycles", "flits", "bytes", "busy_cycles", "utilization")
            found = [{name: float(value) if name in numbers else value for name, value in row.items()} for row in rows]
            self.assertEqual(found, expected)

    def test_refusals_write_nothing(self) -> None:
        file = self.path("s.csv")
        run = ["run", "mesh_2x2", "--size", "64KiB"]
        for words, message in (
                ([*run, "--series", "0", "--series-file", file], "--series: found '0'"),
                ([*run, "--series", "-1", "--series-file", file], "--series: found '-1'"),
                ([*run, "--series", "1.5", "--series-file", file], "--series: found '1.5'"),
                ([*run, "--series", "10"], "--series: found 10 without a file; allowed: together with --series-file or --json"),
                ([*run, "--series-file", file], "--series-file: found .* without --series; allowed: together with --series N"),
                ([*run, "--series", "10", "--series-file", self.path("s.txt")], "allowed: a name that ends with .csv or .json"),
                ([*run, "--series", "10", "--series-file", "/no/folder/s.csv"], "--series-file '/no/folder/s.csv': cannot be created"),
                ([*run, "--series", "10", "--series-file", file, "--json", file], "--series-file"),
                ([*run, "--series", "10", "--series-file", file, "--engine", "flow"], "allowed: --engine exact, since flows have no cycles"),
                (["traffic", "mesh_2x2", "--rate", "0.1", "--series", "10"], "without a file"),
                (["traffic", "mesh", "--rate", "0.1", "--cycles", "200000", "--series", "1", "--series-file", file],
                 "--series: found 1, of which .* allowed: longer windows")):  # fmt: skip
            with self.subTest(words=words):
                done = fredsim(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, message)
                self.assertEqual(list(Path(self.folder.name).iterdir()), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments, rest = parser.parse_known_args()
    PROGRAM = arguments.program
    unittest.main(argv=["series_test.py", *rest])
