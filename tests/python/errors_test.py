# SPDX-License-Identifier: Apache-2.0
"""Errors are exceptions with the words that the command prints, whether they are found in this process or by the command."""

import os
import signal
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from command import PROGRAM, message

import fredsim

FRED = "configs/fred_small.yaml"


class ErrorsTest(unittest.TestCase):
    def check(self, kind: type[fredsim.Error], call: Callable[[], object], *words: str) -> None:
        """A call raises what the command prints."""
        code, text = message(*words)
        with self.assertRaises(fredsim.Error) as raised:
            call()
        self.assertEqual(str(raised.exception), text)
        self.assertIs(type(raised.exception), kind)
        self.assertEqual(kind.exit_code, code)

    def test_machines(self) -> None:
        bad = fredsim.BadInput
        self.check(bad, lambda: fredsim.Machine("configs/none.yaml"), "info", "configs/none.yaml")
        for key, value in [("switch.knd", "fred"), ("switch.kind", "frd"), ("fabric.middle", 0), ("npu.bandwidth", "600 GB"), ("fabric.uplinks", "two"),
                           ("switch.input_buffer", 40), ("switch", {"inputbuffer": "1 KiB"})]:  # fmt: skip
            setting = f"{key}={value}" if not isinstance(value, dict) else f'{key}={{"inputbuffer": "1 KiB"}}'
            with self.subTest(setting):
                self.check(bad, lambda: fredsim.Machine(FRED, {key: value}), "info", f"{FRED}@{setting}")
                self.check(bad, lambda: fredsim.Machine(FRED).with_(**{key: value}), "info", f"{FRED}@{setting}")
        self.check(bad, lambda: fredsim.Machine(FRED, faults=["npu:9"]), "info", FRED, "--fault", "npu:9")

    def test_the_text_of_a_machine(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "machine.yaml"
            for text in ["", "name: a\nclock: 1 GHz\nclock: 2 GHz\n", "name: [", "- 1\n", Path(FRED).read_text(encoding="utf-8").replace("npu:", "npus:")]:
                path.write_text(text, encoding="utf-8")
                self.check(fredsim.BadInput, lambda: fredsim.Machine.from_text(text, str(path)), "info", str(path))

    def test_a_setting_that_cannot_be_leaves_the_machine(self) -> None:
        machine = fredsim.Machine(FRED)
        before = machine.to_dict()
        with self.assertRaises(fredsim.BadInput):
            machine["fabric.middle"] = 0
        self.assertEqual((machine.to_dict(), machine.settings), (before, {}))
        machine["fabric.middle"] = 2
        self.assertEqual(machine["fabric.middle"], 2)
        with self.assertRaises(KeyError):
            machine["fabric.mddle"]

    def test_commands(self) -> None:
        bad = fredsim.BadInput
        self.check(bad, lambda: fredsim.run(FRED, collective="all_reduc"), "run", FRED, "--collective", "all_reduc")
        self.check(bad, lambda: fredsim.run(FRED, sizes="1KiB"), "run", FRED, "--sizes", "1KiB")
        self.check(bad, lambda: fredsim.run(FRED, size="1 Kib"), "run", FRED, "--size", "1 Kib")
        self.check(bad, lambda: fredsim.run(FRED, group=[0, 9]), "run", FRED, "--group", "0,9")
        self.check(bad, lambda: fredsim.run(FRED, work="none.yaml"), "run", FRED, "--work", "none.yaml")
        self.check(bad, lambda: fredsim.compare([FRED]), "compare", FRED)
        self.check(bad, lambda: fredsim.traffic(FRED), "traffic", FRED)
        self.check(bad, lambda: fredsim.traffic(FRED, -0.5), "traffic", FRED, "--rate", "-0.5")
        self.check(bad, lambda: fredsim.train(FRED, "none", mp=2), "train", FRED, "--workload", "none", "--mp", "2")
        self.check(bad, lambda: fredsim.sweep("none.yaml"), "sweep", "none.yaml")
        self.check(fredsim.RunFailed, lambda: fredsim.run(FRED, size="1MiB", timeout_cycles=100), "run", FRED, "--size", "1MiB", "--timeout-cycles", "100",
                   "--quiet", "--json", "-")  # fmt: skip
        for groups in (["0,2", "0,3"], [[0, 2], [0, 3]], [[0, 2], "0,3"]):
            self.check(fredsim.RoutingConflict, lambda: fredsim.run(FRED, group=groups, size="1KiB", algorithm="in_switch"), "run", FRED, "--group", "0,2",
                       "--group", "0,3", "--size", "1KiB", "--algorithm", "in_switch")  # fmt: skip

    def test_plans(self) -> None:
        machine = fredsim.Machine(FRED)
        self.check(fredsim.BadInput, lambda: machine.plan("all_to_all", algorithm="in_switch"), "run", FRED, "--collective", "all_to_all", "--algorithm",
                   "in_switch")  # fmt: skip
        for arguments in [{"collective": "none"}, {"algorithm": "none"}, {"size": "-1"}, {"group": [0, 9]}, {"group": ["io9"]}, {"priority": "none"},
                          {"group": []}, {"group": [-1]}, {"group": [0, 0]}, {"root": 9, "collective": "broadcast"}, {"size": 0}]:  # fmt: skip
            with self.subTest(arguments), self.assertRaises(fredsim.BadInput):
                machine.plan(**arguments)  # type: ignore[arg-type]

    def test_options_that_the_package_has_itself(self) -> None:
        for option in ("json", "quiet", "progress", "format"):
            with self.assertRaisesRegex(fredsim.BadInput, f"^{option}: found"):
                fredsim.run(FRED, **{option: "x"})  # type: ignore[arg-type]

    def test_a_study_with_failed_points(self) -> None:
        study = {"machines": [FRED], "run": {"collective": ["all_reduce", "all_to_all"], "size": "1KiB", "algorithm": "in_switch"}}
        with self.assertRaisesRegex(fredsim.RunFailed, "1 of 2 points failed") as raised:
            fredsim.sweep(study)
        found = fredsim.sweep(study, check=False)
        assert raised.exception.results is not None
        self.assertEqual(raised.exception.results["points"], found["points"])
        self.assertEqual([point.status for point in found.points], ["done", "failed"])
        self.assertIn("in_switch", found.points[1].message or "")

    def test_a_program_that_breaks_off(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            broken = Path(folder) / "fredsim"
            broken.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
            broken.chmod(0o755)
            with mock.patch.dict(os.environ, FREDSIM_PROGRAM=str(broken)):
                with self.assertRaisesRegex(fredsim.RunFailed, f"^ended by signal {int(signal.SIGSEGV)} "):
                    fredsim.run(FRED)
                broken.write_text("#!/bin/sh\nexit 130\n", encoding="utf-8")
                with self.assertRaisesRegex(fredsim.Interrupted, "^exit code 130$"):
                    fredsim.run(FRED)
        with mock.patch.dict(os.environ, FREDSIM_PROGRAM="/none/fredsim"):
            with self.assertRaisesRegex(fredsim.BadInput, "^FREDSIM_PROGRAM: found '/none/fredsim'"):
                fredsim.run(FRED)
        self.assertEqual(str(fredsim.program()), PROGRAM)


if __name__ == "__main__":
    unittest.main()
