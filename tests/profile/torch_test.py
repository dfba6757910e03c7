# SPDX-License-Identifier: Apache-2.0
"""A step of PyTorch as Debian has it (python3-torch 1.13, without Kineto), traced, converted and run. Skipped where it is not installed.

torch_test.py PROGRAM"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(sys.argv[1]).resolve()
WORKER = Path(__file__).with_name("torch_worker.py")
PYTHON = "/usr/bin/python3"  # interpreter of Debian's packages
SKIPPED = 77
PARAMETERS = (64 * 128, 128, 128 * 16, 16)  # elements of WIDTHS in the worker
FLOAT = 4


class TorchTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def trace(self, kind: str) -> None:
        workers = [subprocess.Popen([PYTHON, "-B", str(WORKER), str(rank), str(self.folder), kind], stderr=subprocess.PIPE, text=True) for rank in range(2)]
        for worker in workers:
            _, errors = worker.communicate(timeout=120)
            self.assertEqual(worker.returncode, 0, errors)

    def fredsim(self, *words: str, code: int = 0) -> str:
        done = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def convert(self, *words: str, code: int = 0) -> str:
        return self.fredsim("trace", "convert", "step_%d.json", *words, "--out", "step", code=code)

    def all_reduces(self) -> tuple[int, int]:
        """Number and bytes of all-reduces of rank 0, once the traces have run."""
        (run,) = json.loads(self.fredsim("train", "mesh_2x2", "--trace", "step", "--quiet", "--json", "-"))["runs"]
        self.assertEqual(run["payload"], "exact")
        self.assertGreater(run["breakdown_ns"]["compute"], 0)
        self.assertGreater(run["breakdown_ns"]["dp"], 0)
        (row,) = [line.split() for line in self.fredsim("trace", "info", "step.0.et").splitlines() if line.startswith("ALL_REDUCE")]
        return int(row[-3]), int(row[-1])

    def test_all_reduce_after_all_reduce(self) -> None:
        self.trace("plain")
        profile = json.loads((self.folder / "step_0.json").read_text())
        self.assertIsInstance(profile, list)
        self.assertNotIn("cat", profile[0])
        self.assertIn("--host", self.convert(code=2))  # sizes are in the host's trace alone
        self.assertEqual(list(self.folder.glob("step.*")), [])
        text = self.convert("--host", "host_%d.json")
        operations = sum(not event["name"].startswith("ProfilerStep") for event in profile)
        self.assertIn(f"Host: {2 * operations} of {2 * operations} operations", text.replace("\n", " "))
        self.assertGreater(self.rules(text)["sync"], 0)  # the thread waits for its collectives
        self.assertEqual(self.all_reduces(), (len(PARAMETERS), FLOAT * sum(PARAMETERS)))

    def test_distributed_data_parallel(self) -> None:
        self.trace("ddp")
        self.rules(self.convert("--host", "host_%d.json"))  # a thread may be busy when its all-reduce ends: no wait
        self.assertEqual(self.all_reduces(), (1, FLOAT * sum(PARAMETERS)))

    def rules(self, text: str) -> dict[str, int]:
        """Dependencies by rule, of which none is violated."""
        found: dict[str, int] = {}
        for row in (line.split() for line in text.splitlines()):
            if len(row) == 5 and row[0] in ("stream", "launch", "thread", "sync"):  # rule, kind, dependencies, violated, unexplained
                self.assertEqual(row[3], "0", row)
                found[row[0]] = found.get(row[0], 0) + int(row[2])
        return found


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode:
        print("skipped: python3-torch is not installed")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
