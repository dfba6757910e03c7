# SPDX-License-Identifier: Apache-2.0
"""Answers in this process, in a forked one and by the program are the same."""

import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

from command import PROGRAM, comparable, results

import fredsim

MESH, FRED, LIBRA = "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "configs/systems/libra_2d.yaml"


def without_program() -> Any:
    """No process is started but by a fork."""
    return mock.patch.object(subprocess, "Popen", side_effect=AssertionError("a program was started"))


class AnswersTest(unittest.TestCase):
    def check(self, call: Callable[..., fredsim.Results], *words: str) -> None:
        expected = comparable(results(*words))
        for in_process in (True, False):
            with without_program():
                found = call(in_process=in_process)
            self.assertEqual(comparable(found), expected)
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(found.to_json())
                file.flush()
                self.assertIs(type(fredsim.load(file.name)), type(found))
        with mock.patch.dict(os.environ, FREDSIM_PROGRAM=PROGRAM):
            self.assertEqual(comparable(call()), expected)

    def test_traffic(self) -> None:
        self.check(lambda **how: fredsim.traffic(MESH, [0.1, 0.4], cycles=2000, seed=3, **how), "traffic", MESH, "--rate", "0.1,0.4", "--cycles", "2000",
                   "--seed", "3")  # fmt: skip

    def test_searches(self) -> None:
        self.check(lambda **how: fredsim.optimize(LIBRA, "300GB/s", size="1MiB", **how), "optimize", LIBRA, "--total", "300GB/s", "--size", "1MiB")
        self.check(lambda **how: fredsim.optimize(MESH, topology="topoopt", npus=8, degree=2, workload="small", max_evaluations=50, **how), "optimize",
                   MESH, "--topology", "topoopt", "--npus", "8", "--degree", "2", "--workload", "small", "--max-evaluations", "50")  # fmt: skip

    def test_routings(self) -> None:
        self.check(lambda **how: fredsim.strategies(FRED, "2:3", **how), "strategies", FRED, "--middle", "2:3")
        self.check(lambda **how: fredsim.conflicts(8, "2,3", 3, kind="all_reduce", trials=200, **how), "conflicts", "--ports", "8", "--middle", "2,3",
                   "--flows", "3", "--kind", "all_reduce", "--trials", "200")  # fmt: skip

    def test_runs_are_forked(self) -> None:
        with without_program():
            found = fredsim.run(FRED, size="4KiB")
            flows = fredsim.run(FRED, size="4KiB", engine="flow")
        self.assertEqual(comparable(found), comparable(results("run", FRED, "--size", "4KiB")))
        self.assertEqual(comparable(flows), comparable(results("run", FRED, "--size", "4KiB", "--engine", "flow")))

    def test_rtl_is_in_the_program(self) -> None:
        with without_program(), self.assertRaisesRegex(AssertionError, "a program was started"):
            fredsim.traffic(MESH, 0.1, model="rtl")

    def test_threads(self) -> None:
        def measured(seed: int) -> Any:
            return comparable(fredsim.traffic(MESH, 0.3, cycles=3000, seed=seed, in_process=seed % 3 > 0))

        alone = [measured(seed) for seed in range(12)]
        with ThreadPoolExecutor(4) as threads:
            self.assertEqual(list(threads.map(measured, range(12))), alone)

    def test_systemc_is_elaborated_once_in_a_process(self) -> None:
        code = f"""
import fredsim
fredsim.run({FRED!r}, size="1KiB")
print(fredsim.run({FRED!r}, size="1KiB", in_process=True).runs[0].payload)
for in_process in (True, False):
    try:
        fredsim.run({FRED!r}, size="1KiB", in_process=in_process)
    except fredsim.BadInput as error:
        print(error)
print(fredsim.traffic({MESH!r}, 0.1).runs[0].saturated)
"""
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
        started = "run: found SystemC started before; allowed: one question of works or training in a process, and none beside a simulation"
        self.assertEqual((done.stdout.splitlines(), done.stderr), (["exact", started, started, "False"], ""))

    def test_files_that_a_question_names(self) -> None:
        with self.subTest("a timeline"):
            self.check_file("timeline", lambda path: fredsim.run(FRED, size="1KiB", timeline=path))
        with self.subTest("a machine"):
            self.check_file("write", lambda path: fredsim.optimize(MESH, topology="topoopt", npus=8, degree=2, workload="small", max_evaluations=20,
                                                                   write=path))  # fmt: skip

    def check_file(self, name: str, call: Callable[[str], object]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            call(path)
            self.assertGreater(os.path.getsize(path), 100)


if __name__ == "__main__":
    unittest.main()
