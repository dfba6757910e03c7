# SPDX-License-Identifier: Apache-2.0
"""mypy --strict over the package as it is built, and over a program that uses it, right and wrong.

types_test.py FOLDER, in which the package is."""

import subprocess
import sys
import tempfile
from pathlib import Path

RIGHT = """
import fredsim
import numpy
from numpy.typing import NDArray

machine = fredsim.Machine("configs/fred_d.yaml").with_(**{"switch.kind": "fred"})
results = fredsim.run(machine, "all_reduce", "1MiB", group=[0, 1, 2, 3], on_progress=lambda p: print(p.fraction))
time: float = results.runs[0].time_ns
speedup: float | None = results.runs[0].speedup
flits: int = sum(link.flits for link in results.runs[0].links)
load: NDArray[numpy.int64] = machine.plan("all_gather").link_bytes
rate: float | None = fredsim.traffic(machine, rate=[0.1, 0.2], in_process=True).saturation.accepted_rate
ports: int = fredsim.conflicts(8, 3, 2).runs[0].ports
"""
# Each line is an error by itself.
WRONG = ["results.runs[0].time_n", "speedup + 1", "fredsim.run(machine, 3)", "fredsim.traffic(machine, rate=[None])"]


def mypy(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(folder / "cache"), *words], capture_output=True, text=True,
                          cwd=folder, env={"PATH": "/usr/bin:/bin", "MYPYPATH": str(PACKAGE)})  # fmt: skip


PACKAGE = Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    program = folder / "program.py"
    program.write_text(RIGHT, encoding="utf-8")
    done = mypy(folder, "-p", "fredsim", "-m", "program")
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    lines = len(RIGHT.splitlines())
    program.write_text(RIGHT + "\n".join(WRONG) + "\n", encoding="utf-8")
    done = mypy(folder, "program.py")
    for number, line in enumerate(WRONG, lines + 1):
        if f"program.py:{number}: error" not in done.stdout:
            raise SystemExit(f"mypy finds nothing wrong with: {line}\n{done.stdout}{done.stderr}")
