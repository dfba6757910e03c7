# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C: KeyboardInterrupt, and nothing is left of the run: no process, no zombie, no file."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# A run of hours, which announces its start; then its remaining processes. Children of children
# count, too.
SCRIPT = """
import os, sys
from pathlib import Path
import fredsim

def in_flight(progress):
    if progress.fraction > 0 or progress.points:
        print("under way", flush=True)

def processes_of(parent):
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if stat.read_text().rpartition(")")[2].split()[1] == str(parent):
                children.append(int(stat.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return children

try:
    {call}
    print("complete")
except KeyboardInterrupt:
    print("KeyboardInterrupt", "children:", processes_of(os.getpid()))
print("goes on")
"""
RUN = 'fredsim.run(fredsim.Machine("configs/mesh_2x2.yaml").to_dict(), size="64GiB", no_skip=True, on_progress=in_flight)'
TRAFFIC = 'fredsim.traffic("configs/mesh_2x2.yaml", 0.1, cycles=10**8, on_progress=in_flight)'
SEARCH = 'print("under way", flush=True); fredsim.conflicts(32, 3, 4, trials=10**9)'
SWEEP = ('fredsim.sweep({"machines": ["configs/mesh_2x2.yaml"], "run": {"size": ["1KiB", "64GiB"], "no-skip": True}}, jobs=2, '
         "on_progress=lambda p: in_flight(p) if p.complete else None)")  # fmt: skip


class InterruptTest(unittest.TestCase):
    def check(self, call: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            child = subprocess.Popen([sys.executable, "-B", "-u", "-c", SCRIPT.replace("{call}", call)], stdout=subprocess.PIPE, text=True,
                                     env=os.environ | {"TMPDIR": folder})  # fmt: skip
            assert child.stdout is not None
            try:
                self.assertEqual(child.stdout.readline(), "under way\n")
                child.send_signal(signal.SIGINT)
                rest = [line for line in child.stdout.read().splitlines() if line != "under way"]
            finally:
                child.kill()
                child.wait()
                child.stdout.close()
            self.assertEqual(rest, ["KeyboardInterrupt children: []", "goes on"])
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_a_run(self) -> None:
        self.check(RUN)

    def test_in_this_process(self) -> None:
        self.check(TRAFFIC)
        self.check(SEARCH)

    def test_a_study(self) -> None:
        self.check(SWEEP)


if __name__ == "__main__":
    unittest.main()
