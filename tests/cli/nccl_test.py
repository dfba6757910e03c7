# SPDX-License-Identifier: Apache-2.0
"""--format nccl of run and compare: lines of NCCL-tests, with the figures of the JSON."""

import argparse
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

PROGRAM = ""
# A line of NCCL-tests: size, count, type, redop, root, then twice time, algbw, busbw and #wrong.
NUMBER = r"\s+([0-9.]+)"
LINE = re.compile(r"^\s*(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+)" + 2 * (3 * NUMBER + r"\s+(\d+|N/A)") + "$")


def fredsim(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


class NcclTest(unittest.TestCase):
    def lines(self, *words: str) -> tuple[str, list[tuple[str, ...]], list[dict[str, Any]]]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "r.json"
            done = fredsim(*words, "--format", "nccl", "--quiet", "--json", str(file))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = [match.groups() for match in map(LINE.match, done.stdout.splitlines()) if match]
            self.assertTrue(all(line.startswith("#") or LINE.match(line) for line in done.stdout.splitlines()), done.stdout)
            return done.stdout, rows, json.loads(file.read_text(encoding="utf-8"))["runs"]

    def check(self, row: tuple[str, ...], run: dict[str, Any], count: int, redop: str, root: int) -> None:
        self.assertEqual(row[:5], (str(run["size_bytes"]), str(count), "half", redop, str(root)))
        for group in (row[5:9], row[9:13]):
            self.assertAlmostEqual(float(group[0]), run["time_ns"] / 1000, delta=1e-4)
            self.assertAlmostEqual(float(group[1]), run["algbw_gbps"], delta=0.51 if run["algbw_gbps"] > 1e5 else 0.051)
            self.assertAlmostEqual(float(group[2]), run["busbw_gbps"], delta=0.51 if run["busbw_gbps"] > 1e5 else 0.051)

    def test_run(self) -> None:
        for collective, per_rank, redop, root in (("all_reduce", False, "sum", -1), ("all_gather", True, "none", -1), ("reduce_scatter", True, "sum", -1),
                                                  ("broadcast", False, "none", 2), ("reduce", False, "sum", 2), ("all_to_all", True, "none", -1)):  # fmt: skip
            words = ["run", "mesh_2x2", "--collective", collective, "-b", "2KiB", "-e", "32KiB", "-f", "4"]
            text, rows, runs = self.lines(*words, *([] if root < 0 else ["--root", "2"]))
            self.assertEqual(len(rows), 3)
            for row, run in zip(rows, runs):
                self.check(row, run, run["size_bytes"] // 2 // (4 if per_rank else 1), redop, root)
                self.assertEqual((row[8], row[12]), ("0", "0"))
            average = re.search(r"^# Avg bus bandwidth    : (\S+) $", text, re.MULTILINE)
            assert average is not None
            self.assertAlmostEqual(float(average[1]), sum(run["busbw_gbps"] for run in runs) / 3, delta=0.01)
            self.assertIn("\n# Out of bounds values : 0 OK\n", text)

    def test_compare_has_a_table_per_machine(self) -> None:
        text, rows, runs = self.lines("compare", "mesh_2x2", "fred_2x2", "-b", "1KiB", "-e", "4KiB", "-f", "4")
        self.assertEqual(len(rows), 4)
        self.assertEqual([int(row[0]) for row in rows], [run["size_bytes"] for run in runs])
        self.assertEqual(text.count("# Collective test starting: all_reduce_perf"), 2)
        self.assertEqual(text.count("# Avg bus bandwidth"), 2)

    def test_flows_check_nothing(self) -> None:
        _, rows, _ = self.lines("run", "mesh_2x2", "--size", "1MiB", "--engine", "flow")
        self.assertEqual([(row[8], row[12]) for row in rows], [("N/A", "N/A")])

    def test_refusals(self) -> None:
        allowed = "all_reduce, reduce_scatter, all_gather, reduce, broadcast, gather, scatter, all_to_all, all_to_all_v"
        for words, message in ((["run", "mesh_2x2", "--collective", "unicast", "--group", "0,1", "--size", "1KiB"], f"found nccl with unicast; allowed: with one of {allowed}"),
                               (["run", "fred_d", "--work", "configs/paper/mp2_dp5_pp2_dp.yaml", "--size", "8KiB"], f"found nccl with --work; allowed: with one collective, {allowed}"),
                               (["traffic", "mesh_2x2", "--rate", "0.1"], "found 'nccl'; allowed: table, csv or markdown")):  # fmt: skip
            done = fredsim(*words, "--format", "nccl")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"--format: {message}", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    arguments, rest = parser.parse_known_args()
    PROGRAM = arguments.program
    unittest.main(argv=["nccl_test.py", *rest])
